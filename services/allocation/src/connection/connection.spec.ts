import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decryptToken, encryptToken } from '@pinkas/service-kit';
import { consentEnd } from '../authority/authority-tokens.js';
import { connectionOf } from '../authority/connection-state.js';

const now = new Date('2026-06-15T08:00:00Z');
const days = (count: number) => new Date(now.getTime() + count * 24 * 3_600_000);
const facts = (change: { refresh_expires_at?: Date | null; broken_at?: Date | null }) => ({
  business_id: '3f0c1f8e-5b0a-4f0e-9a55-000000000001',
  connected_at: days(-60),
  refresh_expires_at: days(30),
  broken_at: null,
  user_id: null,
  user_name: 'Demo User',
  ...change,
});

describe('connectionOf', () => {
  it('connectionOf is connected until the refresh token expires', () => {
    expect(connectionOf(facts({}), now)).toMatchObject({
      state: 'connected',
      since: days(-60).toISOString(),
      until: days(30).toISOString(),
      person: 'Demo User',
    });
  });

  it('connectionOf is expiring from 15 days before the end', () => {
    expect(connectionOf(facts({ refresh_expires_at: days(15) }), now).state).toBe('expiring');
    expect(connectionOf(facts({ refresh_expires_at: new Date(days(15).getTime() + 1) }), now).state).toBe(
      'connected',
    );
  });

  it('connectionOf has ended since the refresh token expired', () => {
    expect(connectionOf(facts({ refresh_expires_at: now }), now)).toMatchObject({
      state: 'ended',
      since: now.toISOString(),
      until: null,
    });
  });

  it('connectionOf has ended since the authority rejected the refresh token', () => {
    expect(connectionOf(facts({ broken_at: days(-1) }), now)).toMatchObject({
      state: 'ended',
      since: days(-1).toISOString(),
      until: null,
    });
  });

  it('connectionOf has no end when the authority gave none', () => {
    expect(connectionOf(facts({ refresh_expires_at: null }), now)).toMatchObject({
      state: 'connected',
      until: null,
    });
  });
});

describe('consentEnd', () => {
  it('a consent ends 90 days after the login, or when the authority states, whichever is first', () => {
    expect(consentEnd(now, null)).toEqual(days(90));
    expect(consentEnd(now, days(30))).toEqual(days(30));
    // What a refresh after 60 days states: 90 days from then.
    expect(consentEnd(now, days(150))).toEqual(days(90));
  });
});

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
