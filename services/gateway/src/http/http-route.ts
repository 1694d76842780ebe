import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { Fault, Route } from '@pinkas/contracts';
import type { KeyHolder } from '../api-key/api-key.repository.js';

/** One call of the interface that passed every check before the business rules. */
export interface Call<Body = unknown> {
  /** The key that called, and its business. */
  readonly caller: KeyHolder;
  readonly params: Readonly<Record<string, string>>;
  /** Matches the route's schema; undefined where the route takes no body. */
  readonly body: Body;
  /** Empty where the route takes none. */
  readonly idempotencyKey: string;
}

/** What a route answers; the status is the route's. */
export interface Reply<Body = unknown> {
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A class that handles one route. */
export interface HandlesCalls {
  // biome-ignore lint/suspicious/noExplicitAny: each class names the body of its own route.
  handle(call: Call<any>): Promise<Reply>;
}

/** A route with what its schema cannot say. */
export interface RouteBinding {
  readonly route: Route;
  /** The faults of a body beside those of the schema; gets bodies that do not match the schema as well. */
  readonly bodyFaults: (body: unknown) => Fault[];
}

const routeKey = Symbol('pinkas:http-route');

/** Makes a class the handler of a route of the public interface. */
export function HttpRoute(route: Route, bodyFaults: RouteBinding['bodyFaults'] = () => []) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
  return <T extends new (...dependencies: any[]) => HandlesCalls>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(routeKey, { route, bodyFaults } satisfies RouteBinding, target);
  };
}

/** The route that a class handles, if it handles one. */
export function routeBindingOf(target: object): RouteBinding | undefined {
  return Reflect.getMetadata(routeKey, target) as RouteBinding | undefined;
}
