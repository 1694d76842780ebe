import 'reflect-metadata';
import { Injectable, type Type } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import type { HttpReply } from '@pinkas/service-kit/http';
import type { GatewayConfig } from '../config.js';
import type { Upload } from './uploads.js';

/** A request for a page or a file that needs no key. */
export interface PageRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The request header If-None-Match, or empty. */
  readonly ifNoneMatch: string;
}

/** What the handler of a page returns. */
export type PageReply = HttpReply<string | Buffer>;

/** A class that handles one page. */
export interface PageHandler {
  handle(request: PageRequest): Promise<PageReply>;
}

/** A class that handles a page with a form that takes a file. */
export interface UploadPageHandler extends PageHandler {
  receive(request: PageRequest, upload: Upload): Promise<PageReply>;
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
export type AnyPageHandler = PageHandler | UploadPageHandler | DocumentPageHandler<unknown>;

/** Where a page is served: a public address of the configuration, and the path below it. */
export interface PageBinding {
  readonly address: (config: GatewayConfig) => string;
  readonly path: string;
  /** Whether it takes a file by POST. */
  readonly upload: boolean;
}

const pageKey = Symbol('pinkas:http-page');

/** Makes a class the handler of GET and HEAD at a public address of the configuration, and of POST where it takes a file. */
export function HttpPage(address: PageBinding['address'], path: string, { upload = false } = {}) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies, and a page find anything.
  return <T extends new (...dependencies: any[]) => PageHandler | DocumentPageHandler<any>>(
    target: T,
  ): void => {
    Injectable()(target);
    Reflect.defineMetadata(pageKey, { address, path, upload } satisfies PageBinding, target);
  };
}

/** The page that a class handles, if it handles one. */
export function pageBindingOf(target: object): PageBinding | undefined {
  return Reflect.getMetadata(pageKey, target) as PageBinding | undefined;
}

/** A page that is the same for everyone, and is made at its first request. */
export function fixedPage(
  address: PageBinding['address'],
  path: string,
  make: (config: GatewayConfig) => PageReply | Promise<PageReply>,
): Type<PageHandler> {
  @HttpPage(address, path)
  class FixedPage implements PageHandler {
    #reply: ReturnType<typeof make> | undefined;

    constructor(@InjectConfig() private readonly config: GatewayConfig) {}

    async handle(): Promise<PageReply> {
      this.#reply ??= make(this.config);
      return this.#reply;
    }
  }
  return FixedPage;
}
