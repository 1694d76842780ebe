import { randomBytes } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562, 5.7): the milliseconds of the clock, then 74 random bits. Rows of one time are neighbours in an
 * index, so the pages of it that are written are few, however many rows there are. It tells when it was made: what must not be
 * guessed has a random UUID.
 */
export function timeOrderedId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
