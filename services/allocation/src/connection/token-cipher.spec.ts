import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decryptToken, encryptToken } from './token-cipher.js';

describe('token cipher', () => {
  const key = randomBytes(32);
  const place = 'business-1 access';

  it('decryptToken returns the encrypted token', () => {
    expect(decryptToken(key, place, encryptToken(key, place, 'secret-token'))).toBe('secret-token');
  });

  it('encryptToken never returns the same bytes twice nor the plain text', () => {
    const one = encryptToken(key, place, 'secret-token');
    expect(one.equals(encryptToken(key, place, 'secret-token'))).toBe(false);
    expect(one.includes('secret')).toBe(false);
  });

  it('decryptToken rejects another context, another key and a changed bit', () => {
    const sealed = encryptToken(key, place, 'secret-token');
    expect(() => decryptToken(key, 'business-2 access', sealed)).toThrow();
    expect(() => decryptToken(randomBytes(32), place, sealed)).toThrow();
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(() => decryptToken(key, place, changed)).toThrow();
  });
});
