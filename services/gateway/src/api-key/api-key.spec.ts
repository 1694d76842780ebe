import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hashKey, isWellFormedKey, makeKeyValue } from './api-key.js';

describe('makeKeyValue', () => {
  it.each(['live', 'test'] as const)(
    'a new %s key starts with its prefix, is well-formed, and differs from every other',
    (mode) => {
      const { value, prefix } = makeKeyValue(mode);
      expect(prefix).toMatch(new RegExp(`^pk_${mode}_.{8}$`));
      expect(value.startsWith(`${prefix}_`)).toBe(true);
      expect(isWellFormedKey(value)).toBe(true);
      expect(makeKeyValue(mode).value).not.toBe(value);
    },
  );
});

describe('isWellFormedKey', () => {
  const { value } = makeKeyValue('live');

  it('a key ends with the CRC-32 of the text before it, in base 62', () => {
    // 649,812,895 by zlib.
    const text = 'pk_live_AAAABBBB_0123456789012345678901234567890123456789abc';
    expect(isWellFormedKey(`${text}0hyY19`)).toBe(true);
    expect(isWellFormedKey(`${text}0hyY18`)).toBe(false);
  });

  it('a key of which one character is replaced by any other is not well-formed', () => {
    for (let index = 0; index < value.length; index += 1) {
      const other = value[index] === 'x' ? 'y' : 'x';
      expect(isWellFormedKey(`${value.slice(0, index)}${other}${value.slice(index + 1)}`)).toBe(false);
    }
  });

  it.each([
    '',
    'nonsense',
    value.replace('live', 'beta'),
    value.replace('live', 'test'),
    'pk_live_\u00e9',
    value.slice(0, -1),
    `${value}x`,
    value.toUpperCase(),
    ` ${value}`,
  ])('the text %p is not a well-formed key', (text) => expect(isWellFormedKey(text)).toBe(false));
});

describe('hashKey', () => {
  it('the hash of a key depends on every character and on the pepper', () => {
    const { value } = makeKeyValue('live');
    const pepper = randomBytes(32);
    const changed = `${value.slice(0, -1)}${value.endsWith('a') ? 'b' : 'a'}`;
    expect(hashKey(pepper, value)).toHaveLength(32);
    expect(hashKey(pepper, value)).toEqual(hashKey(pepper, value));
    expect(hashKey(pepper, changed)).not.toEqual(hashKey(pepper, value));
    expect(hashKey(randomBytes(32), value)).not.toEqual(hashKey(pepper, value));
  });
});
