import type { Readable } from 'node:stream';

/** One HTTP request, apart from the framework that received it. */
export interface Incoming {
  readonly requestId: string;
  /** The client's address, as far as trusted proxies tell it. */
  readonly address: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly params: Readonly<Record<string, string>>;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The body, not read yet. */
  readonly stream: Readable;
}

/** One HTTP response, with what the log may say about it. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly logged: LoggedCall;
}

/** What a line in the log says of a request, beside its route: ids and codes, no personal data. */
export interface LoggedCall {
  business_id?: string;
  key_id?: string;
  /** The error code that was answered. */
  code?: string;
}

/** A header that a request carries at most once, or empty. */
export function headerOf(incoming: Incoming, name: string): string {
  const value = incoming.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
