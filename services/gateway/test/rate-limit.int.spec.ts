import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createKey } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('the limit per minute', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  it('lets exactly so many of 50 concurrent requests through, and tells each what is left', async () => {
    const { key } = await gateway.caller({ key: { per_minute: 20 } });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => gateway.http('/v1/me', { key: key.key })),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.status === 429);
    expect([passed.length, refused.length]).toEqual([20, 30]);
    expect(new Set(passed.map((answer) => answer.headers.get('ratelimit-remaining'))).size).toBe(20);
    for (const answer of refused) {
      expect(errorCodeOf(answer)).toBe('rate_limited');
      expect(answer.headers.get('ratelimit-remaining')).toBe('0');
      expect(answer.headers.get('retry-after')).toBe('50');
    }
    expect(passed[0]?.headers.get('ratelimit-limit')).toBe('20');
    expect(passed[0]?.headers.get('ratelimit-reset')).toBe('50');
  });

  it('is counted in one round trip to Redis, whoever asks', async () => {
    const { key } = await gateway.caller();
    const unknown = from('192.0.2.50');
    // The first time the script itself travels.
    await gateway.http('/v1/document-types', { key: key.key });
    await gateway.commandsInRedis();
    await gateway.http('/v1/document-types', { key: key.key });
    await gateway.http('/v1/customers?limit=0', { key: key.key });
    await gateway.http('/v1/me', unknown);
    await gateway.http('/v1/errors', unknown);
    await gateway.http('/v1/nothing', unknown);
    const { evalsha, incr, pexpire, ...others } = await gateway.commandsInRedis();
    // The script itself runs the other two; the rest is the test's own looking.
    expect([evalsha, incr, pexpire]).toEqual([5, 5, 1]);
    expect(Object.keys(others).filter((name) => name !== 'info' && name !== 'config')).toEqual([]);
  });

  it('begins anew with the next minute', async () => {
    const { key } = await gateway.caller({ key: { per_minute: 1 } });
    expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(200);
    expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(429);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(200);
  });

  it('is each key of its own, also of two keys of one business', async () => {
    const { key, business } = await gateway.caller({ key: { per_minute: 1 } });
    const other = await gateway.network.ask(createKey, { business_id: business.id, per_minute: 1 });
    expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(200);
    expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(429);
    expect((await gateway.http('/v1/me', { key: other.key })).status).toBe(200);
  });

  it('counts refused requests of a key as well', async () => {
    const { key } = await gateway.caller({ key: { per_minute: 2 }, business: { archived: true } });
    expect(errorCodeOf(await gateway.http('/v1/me', { key: key.key }))).toBe('business_archived');
    expect(errorCodeOf(await gateway.http('/v1/me', { key: key.key }))).toBe('business_archived');
    expect(errorCodeOf(await gateway.http('/v1/me', { key: key.key }))).toBe('rate_limited');
  });

  it('answers 401 to an address without a key until its own 60 are spent, then 429, and leaves keys alone', async () => {
    const { key } = await gateway.caller();
    const answers = await Promise.all(
      Array.from({ length: 65 }, () => gateway.http('/v1/me', from('192.0.2.1'))),
    );
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(60);
    expect(answers.filter((answer) => errorCodeOf(answer) === 'rate_limited')).toHaveLength(5);
    expect((await gateway.http('/v1/me', { key: key.key, ...from('192.0.2.1') })).status).toBe(200);
    expect((await gateway.http('/v1/me', from('192.0.2.2'))).status).toBe(401);
  });

  it('shares that budget with unknown paths and with pages, which bear no RateLimit headers', async () => {
    const visitor = from('192.0.2.3');
    const page = await gateway.http('/docs/errors', visitor);
    expect([page.status, page.headers.get('ratelimit-limit')]).toEqual([200, null]);
    await Promise.all(Array.from({ length: 58 }, () => gateway.http('/v1/nothing', visitor)));
    const last = await gateway.http('/v1/me', visitor);
    expect([last.status, last.headers.get('ratelimit-remaining')]).toEqual([401, '0']);
    const refused = await gateway.http('/docs/errors', visitor);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
    expect(refused.headers.get('content-type')).toContain('text/html');
    expect((await gateway.http('/v1/nothing', visitor)).status).toBe(429);
  });

  it.each(['cut', 'hang'] as const)(
    'holds without Redis (%s), goes on from what was counted, and finds Redis again',
    async (how) => {
      const { key } = await gateway.caller({ key: { per_minute: 10 } });
      const send = (count: number) =>
        Promise.all(Array.from({ length: count }, () => gateway.http('/v1/me', { key: key.key })));
      expect((await send(4)).map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
      gateway.redisLine[how]();
      const without = await send(20);
      expect(without.filter((answer) => answer.status === 200)).toHaveLength(6);
      const refused = without.filter((answer) => answer.status === 429);
      expect(refused.map(errorCodeOf)).toEqual(Array(14).fill('rate_limited'));
      gateway.redisLine.mend();
      // A count that grows in Redis itself shows that it is asked again.
      await eventually('requests are counted in Redis again', async () => {
        await gateway.http('/v1/me', { key: key.key });
        return (await gateway.countedInRedis(key.id)) > 4;
      });
      expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(429);
    },
  );
});
