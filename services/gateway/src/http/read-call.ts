import { compile, type Fault, faultsMax, isUuid } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { below } from '../fault/faults-below.js';
import type { Call, RouteBinding } from './http-route.js';
import { idempotencyKeyMax, readIdempotencyKey } from './idempotency-key.js';
import { headerOf, type Incoming } from './incoming.js';
import { readJsonObject } from './json-body.js';
import { readBody } from './read-body.js';
import { firstOfEachPath, queryReader } from './read-query.js';

/** What a request sent, read and found good. */
export type SentParts = Pick<Call, 'params' | 'query' | 'body' | 'idempotencyKey'>;

/** Reads requests to one route; `queryFaults` adds what its schema cannot say of the query. */
export type CallReader = (
  incoming: Incoming,
  queryFaults?: (query: Readonly<Record<string, unknown>>) => readonly Fault[],
) => Promise<SentParts>;

/**
 * The reader of a route's requests. It refuses in the order of the interface: `payload_too_large`, then `not_found` for
 * an id in the path that can be none, then `missing_idempotency_key`, `invalid_json`, and `validation_error` with every
 * fault of body, query and headers together.
 */
export function callReader(binding: RouteBinding): CallReader {
  const { route } = binding;
  const readQuery = queryReader(route.query);
  const bodyFaults = bodyFaultsOf(binding);
  return async (incoming, queryFaults = () => []) => {
    const bytes =
      route.body === null ? undefined : await readBody(incoming.stream, headerOf(incoming, 'content-length'));
    const { params } = incoming;
    // Whatever a path of the interface names, it names by an id.
    if (!Object.values(params).every(isUuid)) throw new Problem('not_found');

    const query = readQuery(incoming.query);
    const faults = [...query.faults, ...below('/query', queryFaults(query.values))];
    const idempotencyKey = route.issues ? requireIdempotencyKey(incoming, faults) : '';
    let body: unknown;
    if (bytes !== undefined && !(bytes.length === 0 && route.bodyOptional)) {
      body = readJsonObject(bytes, headerOf(incoming, 'content-type'));
      faults.push(...bodyFaults(body));
    }
    if (faults.length > 0) throw Problem.invalid(firstOfEachPath(faults).slice(0, faultsMax));
    return { params, query: query.values, body, idempotencyKey };
  };
}

function requireIdempotencyKey(incoming: Incoming, faults: Fault[]): string {
  const key = readIdempotencyKey(headerOf(incoming, 'idempotency-key'));
  if (key === '') throw new Problem('missing_idempotency_key');
  if ([...key].length > idempotencyKeyMax) {
    faults.push({
      path: '/headers/Idempotency-Key',
      message: `must not have more than ${idempotencyKeyMax} characters`,
    });
  }
  return key;
}

/** The faults of the schema and those that it cannot say. */
function bodyFaultsOf({ route, bodyFaults }: RouteBinding): (body: unknown) => Fault[] {
  if (route.body === null) return () => [];
  const check = compile(route.body);
  return (body) => {
    const checked = check(body);
    return [...(checked.ok ? [] : checked.faults), ...bodyFaults(body)];
  };
}
