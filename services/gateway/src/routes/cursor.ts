import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { canonicalJson, isUuid, sentence, type ValidationError } from '@pinkas/contracts';
import type { GatewayConfig } from '../config.js';

/** A new layout needs a new version: an old cursor is then rejected instead of misread. */
const version = 3;
const macBytes = 32;
const positionBytes = 8;
const cursorBytes = 1 + macBytes + positionBytes;

/** What positions are of: a cursor of one list is none of another. */
type List = 'documents' | 'events';
const purposes: Readonly<Record<List, string>> = {
  documents: 'pinkas: cursors of lists',
  events: 'pinkas: cursors of events',
};

/** The key that authenticates cursors, derived from the pepper for this purpose only. */
export function deriveCursorKey(pepper: Buffer, list: List = 'documents'): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, Buffer.alloc(0), purposes[list], 32));
}

/** The cursors of a list, which stay valid while the pepper is changed. */
export class ListCursors {
  readonly #key: Buffer;
  readonly #previousKey: Buffer | undefined;

  constructor(config: Pick<GatewayConfig, 'apiKeyPepper' | 'previousApiKeyPepper'>, list: List) {
    const { apiKeyPepper, previousApiKeyPepper } = config;
    this.#key = deriveCursorKey(apiKeyPepper, list);
    this.#previousKey = previousApiKeyPepper ? deriveCursorKey(previousApiKeyPepper, list) : undefined;
  }

  /** The cursor of a position in the list that a query filters. */
  write(businessId: string, query: Query, position: number): string {
    return writeCursor(this.#key, { businessId, filters: filtersOf(query) }, position);
  }

  /** The position of a query; undefined where its cursor was not written for this business and these filters, or is absent. */
  read(businessId: string, query: Query): number | undefined {
    const { cursor } = query;
    if (typeof cursor !== 'string') {
      return undefined;
    }
    const scope = { businessId, filters: filtersOf(query) };
    return (
      readCursor(this.#key, scope, cursor) ??
      (this.#previousKey && readCursor(this.#previousKey, scope, cursor))
    );
  }

  /** The errors of a query: a cursor is valid for one business and one set of filters, which no schema can express. */
  errors(businessId: string, query: Query): ValidationError[] {
    return typeof query.cursor === 'string' && this.read(businessId, query) === undefined
      ? [{ path: '/cursor', ...otherList }]
      : [];
  }
}

type Query = Readonly<Record<string, unknown>>;

const otherList = sentence(
  'must be the next_cursor of a page of this business with the same filters',
  'חייב להיות ה-next_cursor של דף של עסק זה, עם אותם מסננים',
);

/** What a query filters by, as one text: the order of its values and the letter case of ids make no difference. */
function filtersOf({ cursor, limit, ...filters }: Query): string {
  const values = Object.entries(filters).map(([name, value]) => [name, canonical(value)]);
  return canonicalJson(Object.fromEntries(values));
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.toSorted();
  }
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value;
}

/** What a cursor is valid for. */
interface CursorScope {
  readonly businessId: string;
  readonly filters: string;
}

/**
 * Encodes a position in a list for use in a URL. It is authenticated, so that callers can neither forge one nor use one for another
 * business or other filters; it is not secret.
 */
export function writeCursor(key: Buffer, scope: CursorScope, position: number): string {
  const encoded = Buffer.alloc(positionBytes);
  encoded.writeBigUInt64BE(BigInt(position));
  const mac = macOf(key, scope, encoded);
  return Buffer.concat([Buffer.of(version), mac, encoded]).toString('base64url');
}

/** Decodes a cursor; undefined where it was not written for this business and these filters. */
export function readCursor(key: Buffer, scope: CursorScope, cursor: string): number | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder skips unknown characters: only the canonical encoding is accepted.
  if (bytes.length !== cursorBytes || bytes[0] !== version || bytes.toString('base64url') !== cursor) {
    return undefined;
  }
  const mac = bytes.subarray(1, 1 + macBytes);
  const encoded = bytes.subarray(1 + macBytes);
  return timingSafeEqual(mac, macOf(key, scope, encoded)) ? Number(encoded.readBigUInt64BE()) : undefined;
}

/** Each part but the last has a fixed length, so that no two scopes have the same input. */
function macOf(key: Buffer, { businessId, filters }: CursorScope, position: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(Buffer.of(version))
    .update(Buffer.from(businessId.replaceAll('-', ''), 'hex'))
    .update(position)
    .update(filters)
    .digest();
}
