import type { Readable } from 'node:stream';

/** What a request is answered with, and what the log may contain about it. */
export interface HttpReply<Body extends string | Buffer | Readable = string | Buffer | Readable> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Body;
  /** Ids and the error code; no personal data. */
  readonly logFields?: { readonly code?: string };
}

/** Where a request comes from that has no more than that. */
export interface HttpOrigin {
  readonly requestId: string;
  readonly address: string;
  /** The header that made its bytes malformed. */
  readonly malformedHeader?: string | undefined;
}

/** What reaches no route: a request for a tunnel; bytes that are no HTTP request; a request that came too slowly. */
export type RawRejection = 'unknown' | 'malformed' | 'too_slow';

/** A reply that is written to the socket itself. */
export type RawReply = HttpReply<string | Buffer>;
