import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { ValidationError } from '@pinkas/contracts';
import type { GatewayConfig } from '../config.js';

/** A new layout needs a new version: an old cursor is then rejected instead of misread. */
const version = 2;
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

  write(businessId: string, position: number): string {
    return writeCursor(this.#key, businessId, position);
  }

  /** The position; undefined where the cursor was not written for this business. */
  read(businessId: string, cursor: string): number | undefined {
    return (
      readCursor(this.#key, businessId, cursor) ??
      (this.#previousKey && readCursor(this.#previousKey, businessId, cursor))
    );
  }

  /** The errors of a query: a cursor is valid for one business, which no schema can express. */
  errors(businessId: string, { cursor }: Readonly<Record<string, unknown>>): ValidationError[] {
    return typeof cursor === 'string' && this.read(businessId, cursor) === undefined
      ? [{ path: '/cursor', message: 'must be the next_cursor of a page of this business' }]
      : [];
  }
}

/**
 * Encodes a position in the list of one business for use in a URL. It is authenticated, so that callers can neither forge one
 * nor use one for another business; it is not secret.
 */
export function writeCursor(key: Buffer, businessId: string, position: number): string {
  const encoded = Buffer.alloc(positionBytes);
  encoded.writeBigUInt64BE(BigInt(position));
  return Buffer.concat([Buffer.of(version), macOf(key, businessId, encoded), encoded]).toString('base64url');
}

/** Decodes a cursor; undefined where it was not written for this business. */
export function readCursor(key: Buffer, businessId: string, cursor: string): number | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder skips unknown characters: only the canonical encoding is accepted.
  if (bytes[0] !== version || bytes.length !== cursorBytes || bytes.toString('base64url') !== cursor) {
    return undefined;
  }
  const mac = bytes.subarray(1, 1 + macBytes);
  const encoded = bytes.subarray(1 + macBytes);
  return timingSafeEqual(mac, macOf(key, businessId, encoded))
    ? Number(encoded.readBigUInt64BE())
    : undefined;
}

/** Each part has a fixed length, so that no two positions have the same input. */
function macOf(key: Buffer, businessId: string, position: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(Buffer.of(version))
    .update(Buffer.from(businessId.replaceAll('-', ''), 'hex'))
    .update(position)
    .digest();
}
