import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  createKey,
  type ErrorCode,
  errorCatalogue,
  listDocuments,
  revokeKey,
  switchApi,
  updateBusiness,
} from '@pinkas/contracts';
import { type AnotherGateway, errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('two gateways', () => {
  let gateway: GatewayUnderTest;
  let both: readonly AnotherGateway[];
  beforeAll(async () => {
    gateway = await startGateway();
    both = [gateway, await gateway.startAnother()];
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  const issueAt = (at: AnotherGateway, key: string) =>
    at.http('/v1/documents', { method: 'POST', key, body: {}, headers: { 'idempotency-key': 'k' } });

  /** What each answers to a request whose body is wrong: everything that comes before the body comes first. */
  const codes = async (key: string) => {
    const answers = await Promise.all(both.map((one) => issueAt(one, key)));
    for (const answer of answers) {
      expect(answer.status).toBe(errorCatalogue[errorCodeOf(answer) as ErrorCode].httpStatus);
    }
    return answers.map(errorCodeOf);
  };
  const twice = (code: ErrorCode) => [code, code];

  it('see every change of a business, of a key and of the switch with the very next request', async () => {
    const { business, key } = await gateway.caller();
    const change = (settings: BusinessChange) =>
      gateway.network.ask(updateBusiness, { business_id: business.id, change: settings });
    expect(await codes(key.key)).toEqual(twice('validation_error'));

    // From the last check to the first, each on top of the others: so each also comes before all that came already.
    await change({ track: 'expenses_only' });
    expect(await codes(key.key)).toEqual(twice('issuing_blocked_expenses_only'));
    await change({ subscription: 'inactive' });
    expect(await codes(key.key)).toEqual(twice('subscription_required'));
    await change({ legal_type: null });
    expect(await codes(key.key)).toEqual(twice('business_profile_incomplete'));
    await change({ provider: 'external' });
    expect(await codes(key.key)).toEqual(twice('external_provider_not_supported'));
    await change({ archived: true });
    expect(await codes(key.key)).toEqual(twice('business_archived'));
    await gateway.network.ask(revokeKey, { key_id: key.id });
    expect(await codes(key.key)).toEqual(twice('key_revoked'));
    expect(await gateway.network.ask(switchApi, { enabled: false })).toEqual({ enabled: false });
    expect(await codes(key.key)).toEqual(twice('api_disabled'));
    expect(await codes('nonsense')).toEqual(twice('api_disabled'));

    // And back.
    expect(await gateway.network.ask(switchApi, { enabled: true })).toEqual({ enabled: true });
    expect(await codes(key.key)).toEqual(twice('key_revoked'));
    expect(await codes('nonsense')).toEqual(twice('unauthorized'));
    const next = await gateway.network.ask(createKey, {
      business_id: business.id,
      scopes: ['documents:read'],
    });
    expect(await codes(next.key)).toEqual(twice('business_archived'));
    await change({ archived: false });
    expect(await codes(next.key)).toEqual(twice('external_provider_not_supported'));
    await change({ provider: 'native' });
    expect(await codes(next.key)).toEqual(twice('business_profile_incomplete'));
    await change({ legal_type: 'osek_murshe' });
    expect(await codes(next.key)).toEqual(twice('subscription_required'));
    await change({ subscription: 'active' });
    expect(await codes(next.key)).toEqual(twice('issuing_blocked_expenses_only'));
    await change({ track: 'full' });
    expect(await codes(next.key)).toEqual(twice('insufficient_scope'));
  });

  it('let exactly as many of 50 concurrent requests through as one would', async () => {
    const { key } = await gateway.caller({ key: { per_minute: 20 } });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (both[index % 2] as AnotherGateway).http('/v1/document-types', { key: key.key }),
      ),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    expect(passed).toHaveLength(20);
    expect(
      passed.map((answer) => Number(answer.headers.get('ratelimit-remaining'))).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 20 }, (_, index) => index));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.map(errorCodeOf)).toEqual(Array(30).fill('rate_limited'));
    for (const answer of refused) expect(answer.headers.get('retry-after')).toBe('50');
    expect(await gateway.countedInRedis(key.id)).toBe(50);
  });

  it('turn the minute together, and to the millisecond', async () => {
    const { key } = await gateway.caller({ key: { per_minute: 3 } });
    const [first, second] = both as [AnotherGateway, AnotherGateway];
    const ask = async (at: AnotherGateway) => {
      const { status, headers } = await at.http('/v1/document-types', { key: key.key });
      return [status, headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')];
    };
    const minute = new Date(gateway.clock.now);
    minute.setUTCSeconds(59, 999);
    gateway.clock.now = minute;
    expect(await ask(first)).toEqual([200, '2', '1']);
    expect(await ask(second)).toEqual([200, '1', '1']);
    expect(await ask(first)).toEqual([200, '0', '1']);
    expect(await ask(second)).toEqual([429, '0', '1']);
    gateway.clock.now = new Date(minute.getTime() + 1);
    expect(await ask(second)).toEqual([200, '2', '60']);
    expect(await ask(first)).toEqual([200, '1', '60']);
  });

  it('share the budget of an address without a key', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        (both[index % 2] as AnotherGateway).http('/v1/me', { headers }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(60);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(4);
  });

  it('read each other’s cursors', async () => {
    const { business, key } = await gateway.caller();
    const position = { issued_at: '2026-06-15T08:00:00.000Z', id: business.id };
    const asked: unknown[] = [];
    const end = gateway.network.answer(listDocuments, ({ before }) => {
      asked.push(before);
      return { documents: [], next_before: position };
    });
    const [first, second] = both as [AnotherGateway, AnotherGateway];
    const page = await first.http('/v1/documents', { key: key.key });
    const next = await second.http(`/v1/documents?cursor=${page.json.next_cursor}`, { key: key.key });
    end();
    expect([next.status, asked]).toEqual([200, [null, position]]);
  });
});
