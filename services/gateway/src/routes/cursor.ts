import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** A new layout needs a new version: an old cursor is then rejected instead of misread. */
const version = 2;
const macBytes = 32;
const positionBytes = 8;
const cursorBytes = 1 + macBytes + positionBytes;

/** The key that authenticates cursors, derived from the pepper for this purpose only. */
export function deriveCursorKey(pepper: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, Buffer.alloc(0), 'pinkas: cursors of lists', 32));
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
