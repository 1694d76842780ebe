import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deriveCursorKey, ListCursors, readCursor, writeCursor } from './cursor.js';

const key = deriveCursorKey(randomBytes(32));
const businessId = randomUUID();
const position = 12_345;
const scope = { businessId, filters: '{"type":"quote"}' };
const cursor = writeCursor(key, scope, position);

describe('readCursor and writeCursor', () => {
  it('a cursor decodes to the position it was written for', () => {
    expect(readCursor(key, scope, cursor)).toEqual(position);
    expect(readCursor(key, { ...scope, businessId: businessId.toUpperCase() }, cursor)).toEqual(position);
  });

  it('a cursor needs no percent-encoding and is shorter than 200 characters', () => {
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(cursor.length).toBeLessThan(200);
  });

  it('equal positions have equal cursors, and different positions different ones', () => {
    expect(writeCursor(key, scope, position)).toBe(cursor);
    expect(writeCursor(key, scope, position + 1)).not.toBe(cursor);
  });

  it('a cursor is invalid for another business, for other filters and under another key', () => {
    expect(readCursor(key, { ...scope, businessId: randomUUID() }, cursor)).toBeUndefined();
    expect(readCursor(key, { ...scope, filters: '{}' }, cursor)).toBeUndefined();
    expect(readCursor(deriveCursorKey(randomBytes(32)), scope, cursor)).toBeUndefined();
  });

  it('a cursor is invalid with any bit of it changed', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      const at = Math.floor(bit / 8);
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8));
      expect(readCursor(key, scope, changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('a cursor is invalid when it is shortened, extended, or encoded differently', () => {
    for (let length = 0; length < cursor.length; length += 1) {
      expect(readCursor(key, scope, cursor.slice(0, length))).toBeUndefined();
    }
    const bytes = Buffer.from(cursor, 'base64url');
    const others = [`${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor}.`, bytes.toString('hex')];
    for (const other of others) {
      expect(readCursor(key, scope, other)).toBeUndefined();
    }
  });

  it.each(['', 'x', '=', 'א', '\u0000', 'AQ', 'A'.repeat(98), String(position), randomUUID()])(
    'the text %p is no cursor',
    (text) => expect(readCursor(key, scope, text)).toBeUndefined(),
  );

  it('a cursor cannot be written with the pepper itself, from which its key is derived', () => {
    const pepper = randomBytes(32);
    expect(deriveCursorKey(pepper)).toEqual(deriveCursorKey(pepper));
    expect(deriveCursorKey(pepper)).toHaveLength(32);
    expect(readCursor(deriveCursorKey(pepper), scope, writeCursor(pepper, scope, position))).toBe(undefined);
  });
});

describe('ListCursors', () => {
  const cursors = new ListCursors({ apiKeyPepper: randomBytes(32), previousApiKeyPepper: null }, 'events');
  const filters = { type: ['document.issued', 'delivery.sent'], document_id: randomUUID() };
  const written = cursors.write(businessId, filters, position);

  it('a cursor is valid for its filters, whatever their order, letter case of ids and limit', () => {
    const { type, document_id: id } = filters;
    const same = { cursor: written, limit: 7, document_id: id.toUpperCase(), type: type.toReversed() };
    expect(cursors.read(businessId, same)).toBe(position);
    expect(cursors.errors(businessId, same)).toEqual([]);
  });

  it.each([{}, { type: ['document.issued'] }, { ...filters, from: '2026-01-01' }])(
    'a cursor with the other filters %j is an error of /cursor',
    (other) =>
      expect(cursors.errors(businessId, { ...other, cursor: written })).toMatchObject([{ path: '/cursor' }]),
  );
});
