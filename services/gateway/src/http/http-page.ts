import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';

/** Somebody looks at a page or a file that needs no key. */
export interface PageVisit {
  readonly params: Readonly<Record<string, string>>;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The request header If-None-Match, or empty. */
  readonly ifNoneMatch: string;
  /** Whether the visitor takes an answer that is packed with gzip. */
  readonly acceptsGzip: boolean;
}

/** What a page answers. */
export interface PageReply {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A class that handles one page. */
export interface HandlesVisits {
  handle(visit: PageVisit): Promise<PageReply>;
}

/** Where a page stands: its public address, and the path below it. */
export interface PagePlace {
  readonly address: (config: GatewayConfig) => string;
  readonly path: string;
}

const pageKey = Symbol('pinkas:http-page');

/** Makes a class the handler of GET and HEAD at a public address of the configuration. */
export function HttpPage(address: PagePlace['address'], path: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
  return <T extends new (...dependencies: any[]) => HandlesVisits>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(pageKey, { address, path } satisfies PagePlace, target);
  };
}

/** Where a class's page stands, if it handles one. */
export function pagePlaceOf(target: object): PagePlace | undefined {
  return Reflect.getMetadata(pageKey, target) as PagePlace | undefined;
}
