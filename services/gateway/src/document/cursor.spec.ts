import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deriveCursorKey, readCursor, writeCursor } from './cursor.js';

const key = deriveCursorKey(randomBytes(32));
const businessId = randomUUID();
const position = { issued_at: '2026-06-15T08:00:00.123Z', id: randomUUID() };
const cursor = writeCursor(key, businessId, position);

describe('a cursor', () => {
  it('brings back the position that it was written for', () => {
    expect(readCursor(key, businessId, cursor)).toEqual(position);
    expect(readCursor(key, businessId.toUpperCase(), cursor)).toEqual(position);
  });

  it('stands in an address as it is, and fits into the query', () => {
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(cursor.length).toBeLessThan(200);
  });

  it('is one and the same for one position', () => {
    expect(writeCursor(key, businessId, position)).toBe(cursor);
    expect(writeCursor(key, businessId, { ...position, id: randomUUID() })).not.toBe(cursor);
  });

  it('is worth nothing to another business, or under another key', () => {
    expect(readCursor(key, randomUUID(), cursor)).toBeUndefined();
    expect(readCursor(deriveCursorKey(randomBytes(32)), businessId, cursor)).toBeUndefined();
  });

  it('is worth nothing with any bit of it changed', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      const at = Math.floor(bit / 8);
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8));
      expect(readCursor(key, businessId, changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('is worth nothing cut short, lengthened, or written another way', () => {
    for (let length = 0; length < cursor.length; length += 1) {
      expect(readCursor(key, businessId, cursor.slice(0, length))).toBeUndefined();
    }
    const bytes = Buffer.from(cursor, 'base64url');
    const others = [`${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor}.`, bytes.toString('hex')];
    for (const other of others) expect(readCursor(key, businessId, other)).toBeUndefined();
  });

  it.each(['', 'x', '=', 'א', '\u0000', 'AQ', 'A'.repeat(98), JSON.stringify(position), position.id])(
    'is not the rubbish %p',
    (rubbish) => expect(readCursor(key, businessId, rubbish)).toBeUndefined(),
  );

  it('cannot be made with the secret that hashes keys: its key is derived', () => {
    const pepper = randomBytes(32);
    expect(deriveCursorKey(pepper)).toEqual(deriveCursorKey(pepper));
    expect(deriveCursorKey(pepper)).toHaveLength(32);
    expect(readCursor(deriveCursorKey(pepper), businessId, writeCursor(pepper, businessId, position))).toBe(
      undefined,
    );
  });
});
