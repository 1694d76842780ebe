import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { Fault, Route } from '@pinkas/contracts';
import type { KeyHolder } from '../api-key/api-key.repository.js';
import { malformedTexts } from '../fault/malformed-texts.js';

/** One call of a route that is open to anyone. */
export interface OpenCall<Query = unknown> {
  /** By name; each is a UUID. */
  readonly params: Readonly<Record<string, string>>;
  /** Matches the route's schema, the defaults of which are filled in. */
  readonly query: Query;
}

/** One call with a key that passed every check before the business rules. */
export interface Call<Body = unknown, Query = unknown> extends OpenCall<Query> {
  /** The key that called, and its business. */
  readonly caller: KeyHolder;
  /** Matches the route's schema; undefined where the route takes no body, or where an optional one was left out. */
  readonly body: Body;
  /** Empty where the route takes none. */
  readonly idempotencyKey: string;
}

/** A query whose schema gives these parameters a default. */
export type Filled<Query, Names extends keyof Query> = Query & Required<Pick<Query, Names>>;

/** What a route answers; the status is the route's. */
export interface Reply<Body = unknown> {
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A class that handles one route for callers with a key. */
export interface HandlesCalls {
  // Properties, not methods: so that a class that needs a caller cannot be bound to a route that has none.
  // biome-ignore lint/suspicious/noExplicitAny: each class names the body and the query of its own route.
  readonly handle: (call: Call<any, any>) => Promise<Reply>;
  /** The faults of a query that its schema cannot say, with paths below it; gets values that do not match as well. */
  readonly queryFaults?: (query: Readonly<Record<string, unknown>>, caller: KeyHolder) => readonly Fault[];
  /**
   * Where a route has it, what its path names comes before the faults of the request: asked when there are some.
   * @throws Problem `not_found`.
   */
  readonly requireFound?: (call: Pick<Call, 'caller' | 'params'>) => Promise<void>;
}

/** A class that handles one route for anyone. */
export interface HandlesOpenCalls {
  // biome-ignore lint/suspicious/noExplicitAny: each class names the query of its own route.
  readonly handle: (call: OpenCall<any>) => Promise<Reply>;
}

type Handles<R extends Route> = R['access'] extends 'anyone' ? HandlesOpenCalls : HandlesCalls;

/** A route with what its schema cannot say. */
export interface RouteBinding {
  readonly route: Route;
  /** The faults of a body beside those of the schema; gets bodies that do not match the schema as well. */
  readonly bodyFaults: (body: unknown) => Fault[];
}

const routeKey = Symbol('pinkas:http-route');

/** Makes a class the handler of a route of the public interface. */
export function HttpRoute<R extends Route>(
  route: R,
  bodyFaults: RouteBinding['bodyFaults'] = (body) => malformedTexts(body),
) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
  return <T extends new (...dependencies: any[]) => Handles<R>>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(routeKey, { route, bodyFaults } satisfies RouteBinding, target);
  };
}

/** The route that a class handles, if it handles one. */
export function routeBindingOf(target: object): RouteBinding | undefined {
  return Reflect.getMetadata(routeKey, target) as RouteBinding | undefined;
}
