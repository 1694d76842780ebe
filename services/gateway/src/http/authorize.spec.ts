import { describe, expect, it } from '@jest/globals';
import {
  type Business,
  type ErrorCode,
  getDocuments,
  getMe,
  postDocumentCancel,
  postDocuments,
  scopes,
} from '@pinkas/contracts';
import { exampleBusiness } from '@pinkas/testkit';
import type { Principal } from '../api-key/api-key.repository.js';
import { authorize, checkAccess } from './authorize.js';

const principal = (change: Partial<Business> = {}, key: Partial<Principal['key']> = {}): Principal => ({
  business: { ...exampleBusiness(), ...change },
  key: {
    id: '00000000-0000-4000-8000-000000000001',
    business_id: '00000000-0000-4000-8000-000000000002',
    mode: 'live',
    name: 'API key',
    prefix: 'pk_live_00000000',
    scopes: [...scopes],
    per_minute: 60,
    daily_documents: 300,
    created_at: '2026-06-15T08:00:00.000Z',
    revoked_at: null,
    last_used_at: null,
    ...key,
  },
});
const codeOf = (check: () => unknown): ErrorCode | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as { code: ErrorCode }).code;
  }
};

describe('checkAccess', () => {
  const revoked = principal({}, { revoked_at: '2026-06-15T08:00:00.000Z' });

  it.each([
    [undefined, 'a valid key', true, true, principal()],
    ['key_revoked', 'a revoked key', true, true, revoked],
    ['unauthorized', 'an unknown key', true, true, undefined],
    ['rate_limited', 'a valid key over its rate limit', true, false, principal()],
    ['rate_limited', 'an unknown key over the rate limit of its address', true, false, undefined],
    ['api_disabled', 'a revoked key over its rate limit while the API is off', false, false, revoked],
  ] as const)('the problem %s is what a request meets with %s', (code, _name, apiEnabled, allowed, found) => {
    expect(codeOf(() => checkAccess({ apiEnabled, principal: found }, { allowed }))).toBe(code);
  });
});

describe('authorize', () => {
  const codes = (route: Parameters<typeof authorize>[1], caller: Principal) =>
    codeOf(() => authorize(caller, route, 'https://example.com/pay'));

  it('the first failing check decides, in the order that the HTTP API fixes', () => {
    const blocked: Partial<Business> = {
      archived: true,
      provider: 'external',
      legal_type: null,
      subscription: 'inactive',
      track: 'expenses_only',
    };
    const fixes: readonly (readonly [ErrorCode, Partial<Business>])[] = [
      ['business_archived', { archived: false }],
      ['external_provider_not_supported', { provider: 'native' }],
      ['business_profile_incomplete', { legal_type: 'osek_murshe' }],
      ['subscription_required', { subscription: 'active' }],
      ['issuing_blocked_expenses_only', { track: 'full' }],
    ];
    for (const [code, fix] of fixes) {
      expect(codes(postDocuments, principal(blocked, { scopes: [] }))).toBe(code);
      Object.assign(blocked, fix);
    }
    expect(codes(postDocuments, principal(blocked, { scopes: [] }))).toBe('insufficient_scope');
    expect(codes(postDocuments, principal(blocked))).toBeUndefined();
  });

  it('a business on the expenses-only track may call every route that issues nothing', () => {
    const caller = principal({ track: 'expenses_only' });
    expect(codes(getDocuments, caller)).toBeUndefined();
    expect(codes(postDocumentCancel, caller)).toBeUndefined();
  });

  it('a key needs the scope of the route, and no scope for a route without one', () => {
    const reader = principal({}, { scopes: ['documents:read'] });
    expect(codes(getDocuments, reader)).toBeUndefined();
    expect(codes(postDocumentCancel, reader)).toBe('insufficient_scope');
    expect(codes(getMe, principal({}, { scopes: [] }))).toBeUndefined();
  });

  it('a business without a subscription learns where to pay', () => {
    expect(() =>
      authorize(principal({ subscription: 'inactive' }), getMe, 'https://example.com/pay'),
    ).toThrow(expect.objectContaining({ details: { payment_url: 'https://example.com/pay' } }));
  });
});
