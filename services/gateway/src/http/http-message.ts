import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isUuid } from '@pinkas/contracts';
import type { ApiError } from '@pinkas/service-kit';
import type { RawReply } from '@pinkas/service-kit/http';
import type { RateLimitResult } from './rate-limiter.js';

/** One HTTP request, independent of the framework that received it. */
export interface HttpRequest {
  readonly requestId: string;
  readonly method: string;
  /** The client's address; X-Forwarded-For counts only where trusted proxies set it. */
  readonly address: string;
  /** What it carries as its API key; empty where there is none. */
  readonly apiKey: string;
  /** Names and values in turn, as they came: what reads them decides what a repeated line means. */
  readonly rawHeaders: readonly string[];
  readonly params: Readonly<Record<string, string>>;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The header that made its bytes malformed. */
  readonly malformedHeader?: string | undefined;
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

type WithHeaders = Pick<HttpRequest, 'rawHeaders'>;

/** The headers that have one value, besides those of a credential. Where their lines differ, the request is refused. */
export const singleHeaders = ['Idempotency-Key', 'Content-Type', 'Content-Encoding', 'Host'] as const;

/**
 * The value of a header that has one; empty where there is none. Lines that are equal count once: a proxy that retries may add one.
 * @returns undefined where lines differ: another reader of the request may have taken the other one.
 */
export function headerOf(request: WithHeaders, name: string): string | undefined {
  const [value = '', ...others] = linesOf(request, name);
  return others.every((other) => other === value) ? value : undefined;
}

/** The value of a header that is a list, from all of its lines (RFC 9110, section 5.3). */
export function listHeaderOf(request: WithHeaders, name: string): string {
  return linesOf(request, name).join(', ');
}

/** The lines of a header. Node has removed blanks and tabs around each, which are no part of it (RFC 9110, section 5.5). */
function linesOf({ rawHeaders }: WithHeaders, name: string): string[] {
  const lowerCase = name.toLowerCase();
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === lowerCase,
  );
}

/**
 * The API key in the headers of a request: the bearer token, X-Api-Key, or both where they are equal. Empty where there is none,
 * and where lines differ. Basic credentials are those of a proxy in front, and none here.
 */
export function apiKeyOf(request: WithHeaders): string {
  const [authorization, apiKey] = [headerOf(request, 'authorization'), headerOf(request, 'x-api-key')];
  if (authorization === undefined || apiKey === undefined) {
    return '';
  }
  if (authorization === '' || /^basic( |$)/i.test(authorization)) {
    return apiKey;
  }
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  return apiKey === '' || apiKey === token ? (token ?? '') : '';
}

/** The caller's X-Request-Id where it is a UUID, else a new one. */
export function requestIdOf(request: WithHeaders): string {
  const own = headerOf(request, 'x-request-id');
  return own !== undefined && isUuid(own) ? own : randomUUID();
}
