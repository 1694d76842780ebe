import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';

/** A request for a page or a file that needs no key. */
export interface PageRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The request header If-None-Match, or empty. */
  readonly ifNoneMatch: string;
  /** Whether the client accepts a response compressed with gzip. */
  readonly acceptsGzip: boolean;
}

/** What the handler of a page returns. */
export interface PageReply {
  readonly status: 200 | 303 | 304 | 410 | 502;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A class that handles one page. */
export interface PageHandler {
  handle(request: PageRequest): Promise<PageReply>;
}

/**
 * A class that handles a page of a document. It looks the document up first: requests for one that exists have a rate limit of their
 * own.
 */
export interface DocumentPageHandler<Found> {
  /** @throws ApiError `not_found`. */
  find(request: PageRequest): Promise<Found>;
  show(found: Found, request: PageRequest): Promise<PageReply>;
}

/** Any handler of a page. */
export type AnyPageHandler = PageHandler | DocumentPageHandler<unknown>;

/** Where a page is served: a public address of the configuration, and the path below it. */
export interface PageBinding {
  readonly address: (config: GatewayConfig) => string;
  readonly path: string;
}

const pageKey = Symbol('pinkas:http-page');

/** Makes a class the handler of GET and HEAD at a public address of the configuration. */
export function HttpPage(address: PageBinding['address'], path: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies, and a page find anything.
  return <T extends new (...dependencies: any[]) => PageHandler | DocumentPageHandler<any>>(
    target: T,
  ): void => {
    Injectable()(target);
    Reflect.defineMetadata(pageKey, { address, path } satisfies PageBinding, target);
  };
}

/** The page that a class handles, if it handles one. */
export function pageBindingOf(target: object): PageBinding | undefined {
  return Reflect.getMetadata(pageKey, target) as PageBinding | undefined;
}
