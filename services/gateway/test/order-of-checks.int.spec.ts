import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BusinessChange, revokeKey, updateBusiness } from '@pinkas/contracts';
import { errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('the order of checks', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  it('is the one of the interface: whatever is put right, the next fault answers', async () => {
    const caller = await gateway.caller({
      business: {
        archived: true,
        provider: 'external',
        legal_type: null,
        subscription: 'inactive',
        track: 'expenses_only',
      },
      key: { scopes: ['documents:read'] },
    });
    const wrong = { body: 'x'.repeat(262_145), headers: { 'content-type': 'text/plain' } };
    const ask = async (key: string, options: Parameters<GatewayUnderTest['post']>[1]) => {
      const answer = await gateway.post(key, { idempotencyKey: '', ...options });
      return [answer.status, errorCodeOf(answer)];
    };
    const change = (settings: BusinessChange) =>
      gateway.network.ask(updateBusiness, { business_id: caller.business.id, change: settings });
    const { key } = caller.key;

    expect(await ask('nonsense', wrong)).toEqual([401, 'unauthorized']);
    expect(await ask(key, wrong)).toEqual([403, 'business_archived']);
    await change({ archived: false });
    expect(await ask(key, wrong)).toEqual([403, 'external_provider_not_supported']);
    await change({ provider: 'native' });
    expect(await ask(key, wrong)).toEqual([403, 'business_profile_incomplete']);
    await change({ legal_type: 'osek_murshe' });
    expect(await ask(key, wrong)).toEqual([402, 'subscription_required']);
    await change({ subscription: 'active' });
    expect(await ask(key, wrong)).toEqual([403, 'issuing_blocked_expenses_only']);
    await change({ track: 'full' });
    expect(await ask(key, wrong)).toEqual([403, 'insufficient_scope']);

    const writer = (await gateway.caller()).key.key;
    expect(await ask(writer, wrong)).toEqual([413, 'payload_too_large']);
    const small = { ...wrong, body: 'x' };
    expect(await ask(writer, small)).toEqual([400, 'missing_idempotency_key']);
    expect(await ask(writer, { ...small, idempotencyKey: 'k' })).toEqual([400, 'invalid_json']);
    expect(await ask(writer, { idempotencyKey: 'k', body: {} })).toEqual([400, 'validation_error']);
    expect(await ask(writer, { idempotencyKey: 'k'.repeat(129), body: '{' })).toEqual([400, 'invalid_json']);
    expect(gateway.issued).toHaveLength(0);

    await gateway.network.ask(revokeKey, { key_id: caller.key.id });
    await change({ archived: true });
    expect(await ask(key, wrong)).toEqual([401, 'key_revoked']);
  });

  it('lets a business on the expenses-only track read, and says where to pay', async () => {
    const reader = await gateway.caller({ business: { track: 'expenses_only' } });
    expect((await gateway.http('/v1/me', { key: reader.key.key })).status).toBe(200);
    const unpaid = await gateway.caller({ business: { subscription: 'inactive' } });
    const answer = await gateway.http('/v1/me', { key: unpaid.key.key });
    expect(errorCodeOf(answer)).toBe('subscription_required');
    expect(answer.json.error.details).toEqual({ payment_url: 'https://example.com/pay' });
  });

  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/v1/me/'],
    ['GET', '/v2/me'],
    ['GET', '/'],
    ['DELETE', '/v1/me'],
    ['PUT', '/v1/documents'],
    ['PROPFIND', '/v1/me'],
    ['GET', '/v1/%zz'],
    ['GET', `/v1/${'x'.repeat(2_000)}`],
  ])('ends at not_found for %s %s, with and without a key', async (method, path) => {
    const { key } = await gateway.caller();
    for (const one of [{}, { key: key.key }]) {
      const answer = await gateway.http(path, { method, ...one });
      expect([answer.status, errorCodeOf(answer)]).toEqual([404, 'not_found']);
    }
  });

  it('ends at not_found also for a body that nobody asked for', async () => {
    const answer = await gateway.http('/v1/nothing', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': ';;;' },
    });
    expect(errorCodeOf(answer)).toBe('not_found');
  });
});
