import {
  compile,
  isEventId,
  isUuid,
  prefixPaths,
  sentence,
  sentences,
  type ValidationError,
  validationErrorsMax,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import type { FastifyRequest } from 'fastify';
import type { RouteBinding, RouteRequest } from './http-route.js';
import { parseJsonObject, readBody } from './read-body.js';
import { firstOfEachPath, queryOf, queryReader } from './read-query.js';
import { headerOf, listHeaderOf, singleHeaders } from './request-headers.js';

/** The longest Idempotency-Key, in code points. */
const idempotencyKeyMax = 128;

/** The content of a request, read and valid. */
export type RequestParts = Pick<RouteRequest, 'params' | 'query' | 'body' | 'idempotencyKey'>;

/** Reads requests to one route; `queryErrors` adds validation errors of the query beyond its schema. */
export type RequestReader = (
  request: FastifyRequest,
  queryErrors?: (query: Readonly<Record<string, unknown>>) => readonly ValidationError[],
  /** Called with the JSON object of the body, also where the request is invalid. */
  onBody?: (body: object) => void,
) => Promise<RequestParts>;

/**
 * Compiles the reader of a route's requests. It throws, in the order that the HTTP API fixes: `payload_too_large`, `not_found`
 * for a malformed id in the path, `missing_idempotency_key`, `invalid_json`, and `validation_error` with every error of body,
 * query and headers together.
 */
export function requestReader(binding: RouteBinding): RequestReader {
  const { route } = binding;
  const readQuery = queryReader(route.query);
  const bodyErrors = bodyErrorsOf(binding);
  return async (request, queryErrors = () => [], onBody = () => {}) => {
    const bytes =
      route.body === null
        ? undefined
        : await readBody(request.raw, headerOf(request.raw, 'content-length') ?? '');
    const params = request.params as Readonly<Record<string, string>>;
    if (!Object.entries(params).every(([name, value]) => isId(name, value))) {
      throw new ApiError('not_found');
    }

    const query = readQuery(queryOf(request.url));
    const errors = [
      ...headerErrors(request),
      ...query.errors,
      ...prefixPaths('/query', queryErrors(query.values)),
    ];
    const idempotencyKey = route.idempotent ? requireIdempotencyKey(request, errors) : '';
    let body: object | undefined;
    if (bytes !== undefined && !(bytes.length === 0 && route.bodyOptional)) {
      body = parseJsonObject(bytes, {
        contentType: headerOf(request.raw, 'content-type'),
        contentEncoding: headerOf(request.raw, 'content-encoding'),
        transferEncoding: listHeaderOf(request.raw, 'transfer-encoding'),
      });
      onBody(body);
      errors.push(...bodyErrors(body));
    }
    if (errors.length > 0) {
      throw ApiError.invalid(firstOfEachPath(errors).slice(0, validationErrorsMax));
    }
    return { params, query: query.values, body, idempotencyKey };
  };
}

/** Every path parameter of the HTTP API is an id: that of an event, or a UUID. */
const isId = (name: string, value: string): boolean =>
  name === 'event_id' ? isEventId(value) : isUuid(value);

/** The Idempotency-Key of a request as it is read; null where it has none. */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const value = headerOf(request.raw, 'idempotency-key');
  return value === undefined || value === '' ? null : decodeHeader(value);
}

function requireIdempotencyKey(request: FastifyRequest, errors: ValidationError[]): string {
  const value = headerOf(request.raw, 'idempotency-key');
  if (value === '') {
    throw new ApiError('missing_idempotency_key');
  }
  const key = decodeHeader(value ?? '');
  if ([...key].length > idempotencyKeyMax) {
    errors.push({
      path: '/headers/Idempotency-Key',
      ...sentences.lengthMax(idempotencyKeyMax),
    });
  }
  return key;
}

/** The headers whose lines differ: another reader of the request may have taken the other one. */
function headerErrors(request: FastifyRequest): ValidationError[] {
  return singleHeaders
    .filter((name) => headerOf(request.raw, name) === undefined)
    .map((name) => ({ path: `/headers/${name}`, ...repeatedHeader }));
}

const repeatedHeader = sentence(
  'must not be repeated with another value',
  'אסור שיופיע פעמיים עם ערכים שונים',
);

/** The text of a header. Node decodes headers as Latin-1; bytes that are UTF-8 are decoded again, so that limits count characters. */
function decodeHeader(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return header;
  }
}

/** The validation errors of the schema, and those beyond it. */
function bodyErrorsOf({ route, bodyErrors }: RouteBinding): (body: unknown) => ValidationError[] {
  if (route.body === null) {
    return () => [];
  }
  const check = compile(route.body);
  return (body) => {
    const checked = check(body);
    return [...(checked.ok ? [] : checked.errors), ...bodyErrors(body)];
  };
}
