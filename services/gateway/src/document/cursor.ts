import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IssuePosition } from '@pinkas/contracts';

/** Another layout is another version, so that a cursor of the old one is refused and not misread. */
const version = 1;
const macBytes = 32;
const uuidBytes = 16;
const headBytes = 1 + macBytes + uuidBytes;

/** The key that cursors are sealed with: derived, so that it opens nothing else. */
export function deriveCursorKey(pepper: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, Buffer.alloc(0), 'pinkas: cursors of lists', 32));
}

/**
 * Writes a position in the list of one business as a text that can stand in an address.
 * It is sealed, so that callers can neither make one up nor carry one to another business; it is no secret.
 */
export function writeCursor(key: Buffer, businessId: string, position: IssuePosition): string {
  const id = bytesOfUuid(position.id);
  const instant = Buffer.from(position.issued_at);
  const mac = sealOf(key, businessId, id, instant);
  return Buffer.concat([Buffer.of(version), mac, id, instant]).toString('base64url');
}

/** The position of a cursor that was written for this business, or undefined where it was not. */
export function readCursor(key: Buffer, businessId: string, cursor: string): IssuePosition | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder skips what it does not know: only the one way to write these bytes is the cursor.
  if (bytes[0] !== version || bytes.length <= headBytes || bytes.toString('base64url') !== cursor) {
    return undefined;
  }
  const id = bytes.subarray(1 + macBytes, headBytes);
  const instant = bytes.subarray(headBytes);
  const mac = bytes.subarray(1, 1 + macBytes);
  if (!timingSafeEqual(mac, sealOf(key, businessId, id, instant))) return undefined;
  return { id: uuidOfBytes(id), issued_at: instant.toString() };
}

/** Each part before the last has a fixed length, so that no two positions are sealed as the same bytes. */
function sealOf(key: Buffer, businessId: string, id: Buffer, instant: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(Buffer.of(version))
    .update(bytesOfUuid(businessId))
    .update(id)
    .update(instant)
    .digest();
}

function bytesOfUuid(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

function uuidOfBytes(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
