import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deriveCursorKey, readCursor, writeCursor } from './cursor.js';

const key = deriveCursorKey(randomBytes(32));
const businessId = randomUUID();
const position = 12_345;
const cursor = writeCursor(key, businessId, position);

describe('readCursor and writeCursor', () => {
  it('a cursor decodes to the position it was written for', () => {
    expect(readCursor(key, businessId, cursor)).toEqual(position);
    expect(readCursor(key, businessId.toUpperCase(), cursor)).toEqual(position);
  });

  it('a cursor needs no percent-encoding and is shorter than 200 characters', () => {
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(cursor.length).toBeLessThan(200);
  });

  it('equal positions have equal cursors, and different positions different ones', () => {
    expect(writeCursor(key, businessId, position)).toBe(cursor);
    expect(writeCursor(key, businessId, position + 1)).not.toBe(cursor);
  });

  it('a cursor is invalid for another business and under another key', () => {
    expect(readCursor(key, randomUUID(), cursor)).toBeUndefined();
    expect(readCursor(deriveCursorKey(randomBytes(32)), businessId, cursor)).toBeUndefined();
  });

  it('a cursor is invalid with any bit of it changed', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      const at = Math.floor(bit / 8);
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8));
      expect(readCursor(key, businessId, changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('a cursor is invalid when it is shortened, extended, or encoded differently', () => {
    for (let length = 0; length < cursor.length; length += 1) {
      expect(readCursor(key, businessId, cursor.slice(0, length))).toBeUndefined();
    }
    const bytes = Buffer.from(cursor, 'base64url');
    const others = [`${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor}.`, bytes.toString('hex')];
    for (const other of others) {
      expect(readCursor(key, businessId, other)).toBeUndefined();
    }
  });

  it.each(['', 'x', '=', 'א', '\u0000', 'AQ', 'A'.repeat(98), String(position), randomUUID()])(
    'the text %p is no cursor',
    (text) => expect(readCursor(key, businessId, text)).toBeUndefined(),
  );

  it('a cursor cannot be written with the pepper itself, from which its key is derived', () => {
    const pepper = randomBytes(32);
    expect(deriveCursorKey(pepper)).toEqual(deriveCursorKey(pepper));
    expect(deriveCursorKey(pepper)).toHaveLength(32);
    expect(readCursor(deriveCursorKey(pepper), businessId, writeCursor(pepper, businessId, position))).toBe(
      undefined,
    );
  });
});
