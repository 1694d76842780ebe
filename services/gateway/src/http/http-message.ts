import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { isUuid } from '@pinkas/contracts';
import type { ApiError } from '@pinkas/service-kit';
import type { RawReply } from '@pinkas/service-kit/http';
import type { RateLimitResult } from './rate-limiter.js';

/** One HTTP request, independent of the framework that received it. */
export interface HttpRequest {
  readonly requestId: string;
  /** The client's address; X-Forwarded-For counts only where trusted proxies set it. */
  readonly address: string;
  /** What it carries as its API key; empty where there is none. */
  readonly apiKey: string;
  /** Header names in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly params: Readonly<Record<string, string>>;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The body, not read yet. */
  readonly stream: Readable;
}

/** One HTTP response, with what the log may contain about it. */
export interface HttpResponse extends RawReply {
  readonly logFields: RequestLogFields;
}

/** Produces the response of a request; never throws. */
export type Respond = (request: HttpRequest) => Promise<HttpResponse>;

/** How the responses of one kind of route look. */
export interface ResponseRenderer<Reply> {
  /** The problem that a caller learns of an error. */
  toApiError(error: unknown): ApiError;
  render(reply: Reply, rateLimit: RateLimitResult | undefined): RenderedResponse;
  renderError(apiError: ApiError, requestId: string, rateLimit: RateLimitResult): RenderedResponse;
}

type RenderedResponse = Omit<HttpResponse, 'logFields'>;

/** What the log contains of a request besides its route: ids and codes, no personal data. */
export interface RequestLogFields {
  business_id?: string;
  key_id?: string;
  /** The error code of the response. */
  code?: string;
}

/** A header that a request carries at most once, or empty. */
export function headerOf(request: HttpRequest, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/**
 * The API key in the headers of a request: the bearer token, X-Api-Key, or both where they are equal. Empty where there is none,
 * and where headers are repeated or differ: a proxy in front may have looked at the other one.
 */
export function apiKeyOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string {
  // Before 20.19.1, Node's `headersDistinct` throws for a header whose name is that of a property of every object.
  const valuesOf = (header: string) =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === header);
  const [authorization, apiKeys] = [valuesOf('authorization'), valuesOf('x-api-key')];
  if (authorization.length > 1 || apiKeys.length > 1) {
    return '';
  }
  const [key = '', other = key] = [...authorization.map(bearerTokenOf), ...apiKeys];
  return key === other ? key : '';
}

function bearerTokenOf(authorization: string): string {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
}

/** The caller's X-Request-Id where it is a UUID, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && isUuid(own) ? own : randomUUID();
}
