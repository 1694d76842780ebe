import type { Readable } from 'node:stream';

/** What a request is answered with, and what the log may contain about it. */
export interface HttpReply<Body extends string | Buffer | Readable = string | Buffer | Readable> {
  readonly status: number;
  /** With an `etag`, a client that has it already gets 304. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Body;
  /** Whether clients that accept it get the body compressed; in bytes, it is compressed once, since it is sent often. */
  readonly compress?: boolean;
  /** Ids and the error code; no personal data. */
  readonly logFields?: { readonly code?: string };
}

/** Why no handler replies to a request. */
export interface Refusal {
  /** 404: there is no route; 400: it is no HTTP request; 408: it came too slowly; otherwise that of the error. */
  readonly status: number;
  /** What Fastify, or a handler, has thrown. */
  readonly error?: Error;
  /** Node's code for what is no HTTP request, and the header that made it so. */
  readonly reason?: string | undefined;
  readonly malformedHeader?: string | undefined;
}
