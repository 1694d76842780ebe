import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decryptToken, encryptToken } from './token-cipher.js';

describe('a token at rest', () => {
  const key = randomBytes(32);
  const place = 'business-1 access';

  it('comes back as it was', () => {
    expect(decryptToken(key, place, encryptToken(key, place, 'secret-token'))).toBe('secret-token');
  });

  it('never looks the same twice, and does not show its text', () => {
    const one = encryptToken(key, place, 'secret-token');
    expect(one.equals(encryptToken(key, place, 'secret-token'))).toBe(false);
    expect(one.includes('secret')).toBe(false);
  });

  it('is worth nothing in another place, under another key, or with a bit changed', () => {
    const sealed = encryptToken(key, place, 'secret-token');
    expect(() => decryptToken(key, 'business-2 access', sealed)).toThrow();
    expect(() => decryptToken(randomBytes(32), place, sealed)).toThrow();
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(() => decryptToken(key, place, changed)).toThrow();
  });
});
