import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { malformedTexts, type Route, type ValidationError } from '@pinkas/contracts';
import type { HttpReply } from '@pinkas/service-kit/http';
import type { Principal } from '../api-key/api-key.repository.js';

/** A valid request to a route that needs no key. */
interface PublicRouteRequest<Query = unknown> {
  /** By name; each is a UUID. */
  readonly params: Readonly<Record<string, string>>;
  /** Matches the route's schema, with its defaults filled in. */
  readonly query: Query;
}

/** A request with a key that passed every check before the business rules. */
export interface RouteRequest<Body = unknown, Query = unknown> extends PublicRouteRequest<Query> {
  /** The key of the request, and its business. */
  readonly principal: Principal;
  /** Matches the route's schema; undefined where the route takes no body, or where an optional one is absent. */
  readonly body: Body;
  /** Empty where the route takes none. */
  readonly idempotencyKey: string;
}

/** A query whose schema gives these parameters a default. */
export type Filled<Query, Names extends keyof Query> = Query & Required<Pick<Query, Names>>;

/** What the handler of a route returns; the status is the route's. */
export interface RouteReply<Body = unknown> extends Pick<HttpReply, 'compress'> {
  /** Sent as JSON; bytes are sent as they are. */
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A class that handles one route for callers with a key. */
export interface RouteHandler {
  // Properties, not methods: a class that needs a principal cannot be bound to a public route.
  // biome-ignore lint/suspicious/noExplicitAny: each class names the body and the query of its own route.
  readonly handle: (request: RouteRequest<any, any>) => Promise<RouteReply>;
  /** Validation errors of a query beyond its schema, with paths below it; also gets values that do not match the schema. */
  readonly queryErrors?: (
    query: Readonly<Record<string, unknown>>,
    principal: Principal,
  ) => readonly ValidationError[];
  /**
   * Called only when the request is invalid, on a route where a missing resource is reported before validation errors.
   * @throws ApiError `not_found`.
   */
  readonly requireFound?: (request: Pick<RouteRequest, 'principal' | 'params'>) => Promise<void>;
}

/** A class that handles one route for callers without a key. */
export interface PublicRouteHandler {
  // biome-ignore lint/suspicious/noExplicitAny: each class names the query of its own route.
  readonly handle: (request: PublicRouteRequest<any>) => Promise<RouteReply>;
}

type HandlerOf<R extends Route> = R['access'] extends 'anyone' ? PublicRouteHandler : RouteHandler;

/** A route, and what its schema cannot express. */
export interface RouteBinding {
  readonly route: Route;
  /** Validation errors of a body beyond its schema; also gets bodies that do not match the schema. */
  readonly bodyErrors: (body: unknown) => ValidationError[];
}

const routeKey = Symbol('pinkas:http-route');

/** Makes a class the handler of a route of the HTTP API. */
export function HttpRoute<R extends Route>(
  route: R,
  bodyErrors: RouteBinding['bodyErrors'] = (body) => malformedTexts(body),
) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
  return <T extends new (...dependencies: any[]) => HandlerOf<R>>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(routeKey, { route, bodyErrors } satisfies RouteBinding, target);
  };
}

/** The route that a class handles, if it handles one. */
export function routeBindingOf(target: object): RouteBinding | undefined {
  return Reflect.getMetadata(routeKey, target) as RouteBinding | undefined;
}
