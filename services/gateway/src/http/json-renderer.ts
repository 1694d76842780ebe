import {
  type ErrorBody,
  type ErrorEntry,
  errorCatalogue,
  sentences,
  type ValidationError,
} from '@pinkas/contracts';
import { type ApiError, toApiError } from '@pinkas/service-kit';
import type { HttpReply } from '@pinkas/service-kit/http';
import type { RouteReply } from './http-route.js';
import type { RateLimitResult } from './rate-limiter.js';

const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

const rateLimitHeaders = (result: RateLimitResult) => ({
  'ratelimit-limit': String(result.limit),
  'ratelimit-remaining': String(result.remaining),
  'ratelimit-reset': String(result.resetSeconds),
});

/** How the responses of one kind of route look. */
export interface ResponseRenderer<Reply> {
  /** The problem that a caller learns of an error. */
  toApiError(error: unknown): ApiError;
  render(reply: Reply, rateLimit: RateLimitResult | undefined): HttpReply;
  renderError(apiError: ApiError, requestId: string, rateLimit: RateLimitResult): HttpReply;
}

/** Responses of the HTTP API. */
export function jsonRenderer(docsUrl: string): ResponseRenderer<RouteReply & { readonly status: number }> {
  return {
    toApiError,
    render: ({ headers, body, ...reply }, rateLimit) => ({
      ...reply,
      headers: { ...jsonHeaders, ...(rateLimit && rateLimitHeaders(rateLimit)), ...headers },
      body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
    }),
    renderError: (apiError, requestId, rateLimit) => ({
      status: apiError.status,
      headers: { ...jsonHeaders, ...rateLimitHeaders(rateLimit) },
      body: JSON.stringify(errorBody(apiError, requestId, docsUrl)),
    }),
  };
}

/** The page that explains an error code. */
export function errorUrl(docsUrl: string, code: string): string {
  return `${docsUrl}/errors#${code}`;
}

/** The error object of a problem (interface 2.8), with only the details that the catalogue names. */
export function errorBody(apiError: ApiError, requestId: string, docsUrl: string): ErrorBody {
  const entry: ErrorEntry = errorCatalogue[apiError.code];
  const { explanation, hint = entry.hint } = apiError;
  const details = Object.fromEntries(
    Object.entries(apiError.details ?? {})
      .filter(([member]) => entry.details.includes(member))
      .map(([member, value]) => [member, member === 'errors' ? inBothLanguages(value) : value]),
  );
  return {
    error: {
      code: apiError.code,
      message: explained(entry.message, explanation?.message),
      message_he: explained(entry.messageHe, explanation?.message_he),
      ...(hint === undefined ? {} : { hint }),
      retryable: entry.retryable,
      doc_url: errorUrl(docsUrl, apiError.code),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    },
    request_id: requestId,
  };
}

const explained = (message: string, explanation: string | undefined): string =>
  explanation === undefined ? message : `${message.replace(/\.$/, '')}: ${explanation}.`;

/** A service of the previous release writes no Hebrew. */
const inBothLanguages = (errors: unknown): unknown =>
  Array.isArray(errors)
    ? errors.map(({ path, message, message_he = sentences.invalid.message_he }: ValidationError) => ({
        path,
        message,
        message_he,
      }))
    : errors;
