import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  createKey,
  type ErrorCode,
  errorCatalogue,
  listDocuments,
  revokeKey,
  setKillSwitch,
  updateBusiness,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type AnotherGateway, errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('two gateways', () => {
  let gateway: GatewayUnderTest;
  let both: readonly [AnotherGateway, AnotherGateway];
  beforeAll(async () => {
    gateway = await startGateway();
    both = [gateway, await gateway.startAnotherGateway()];
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    // Each test has its own minute, of which 50 seconds are left.
    const now = new Date(gateway.clock.now.getTime() + 60_000);
    now.setUTCSeconds(10, 0);
    gateway.clock.now = now;
  });

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const remainingOf = (answer: { headers: Headers }) => Number(answer.headers.get('ratelimit-remaining'));

  describe('the rate limit', () => {
    it('one gateway allows exactly the limit of concurrent requests', async () => {
      const { key } = await gateway.caller({ key: { per_minute: 20 } });
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => gateway.http('/v1/me', { key: key.key })),
      );
      const allowed = answers.filter((answer) => answer.status === 200);
      const rejected = answers.filter((answer) => answer.status === 429);
      expect([allowed.length, rejected.length]).toEqual([20, 30]);
      expect(new Set(allowed.map(remainingOf)).size).toBe(20);
      for (const answer of rejected) {
        expect(errorCodeOf(answer)).toBe('rate_limited');
        expect(remainingOf(answer)).toBe(0);
        expect(answer.headers.get('retry-after')).toBe('50');
      }
      expect(allowed[0]?.headers.get('ratelimit-limit')).toBe('20');
      expect(allowed[0]?.headers.get('ratelimit-reset')).toBe('50');
    });

    it('two gateways together allow exactly the limit of concurrent requests', async () => {
      const { key } = await gateway.caller({ key: { per_minute: 20 } });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 === 0 ? both[0] : both[1]).http('/v1/document-types', { key: key.key }),
        ),
      );
      const allowed = answers.filter((answer) => answer.status === 200);
      expect(allowed.map(remainingOf).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, index) => index),
      );
      const rejected = answers.filter((answer) => answer.status === 429);
      expect(rejected.map(errorCodeOf)).toEqual(Array(30).fill('rate_limited'));
      for (const answer of rejected) {
        expect(answer.headers.get('retry-after')).toBe('50');
      }
      expect(await gateway.countedInRedis(key.id)).toBe(50);
    });

    it('two gateways share the rate limit of an address without a key', async () => {
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          (index % 2 === 0 ? both[0] : both[1]).http('/v1/me', from('192.0.2.77')),
        ),
      );
      expect(answers.filter((answer) => answer.status === 401)).toHaveLength(60);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(4);
    });

    it('a minute begins at the same millisecond for two gateways', async () => {
      const { key } = await gateway.caller({ key: { per_minute: 3 } });
      const [first, second] = both;
      const call = async (at: AnotherGateway) => {
        const { status, headers } = await at.http('/v1/document-types', { key: key.key });
        return [status, headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')];
      };
      const minuteEnd = new Date(gateway.clock.now);
      minuteEnd.setUTCSeconds(59, 999);
      gateway.clock.now = minuteEnd;
      expect(await call(first)).toEqual([200, '2', '1']);
      expect(await call(second)).toEqual([200, '1', '1']);
      expect(await call(first)).toEqual([200, '0', '1']);
      expect(await call(second)).toEqual([429, '0', '1']);
      gateway.clock.now = new Date(minuteEnd.getTime() + 1);
      expect(await call(second)).toEqual([200, '2', '60']);
      expect(await call(first)).toEqual([200, '1', '60']);
    });

    it('a request is counted in one round trip to Redis, with and without a key', async () => {
      const { key } = await gateway.caller();
      const unknown = from('192.0.2.50');
      // The first request also loads the script.
      await gateway.http('/v1/document-types', { key: key.key });
      await gateway.commandsInRedis();
      await gateway.http('/v1/document-types', { key: key.key });
      await gateway.http('/v1/customers?limit=0', { key: key.key });
      await gateway.http('/v1/me', unknown);
      await gateway.http('/v1/errors', unknown);
      await gateway.http('/v1/nothing', unknown);
      const { evalsha, incr, pexpire, ...others } = await gateway.commandsInRedis();
      // The script runs the other two; `info` and `config` are of the test.
      expect([evalsha, incr, pexpire]).toEqual([5, 5, 1]);
      expect(Object.keys(others).filter((name) => name !== 'info' && name !== 'config')).toEqual([]);
    });

    it('a public route and an unknown path count for a valid key, and otherwise for the address', async () => {
      const { key } = await gateway.caller({ business: { archived: true }, key: { per_minute: 2 } });
      for (const options of [{}, { key: 'nonsense' }]) {
        const answer = await gateway.http('/v1/errors', options);
        expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, '60']);
      }
      expect(await gateway.countedInRedis(key.id)).toBe(0);
      const statuses: number[] = [];
      for (const path of ['/v1/errors', '/v1/nothing', '/v1/openapi.json']) {
        const answer = await gateway.http(path, { key: key.key });
        expect(answer.headers.get('ratelimit-limit')).toBe('2');
        statuses.push(answer.status);
      }
      expect(statuses).toEqual([200, 404, 429]);
    });

    it('unknown paths share the rate limit of an address, and pages have their own, without RateLimit headers', async () => {
      const visitor = from('192.0.2.3');
      const page = await gateway.http('/docs/errors', visitor);
      expect([page.status, page.headers.get('ratelimit-limit')]).toEqual([200, null]);
      await Promise.all(Array.from({ length: 59 }, () => gateway.http('/v1/nothing', visitor)));
      const last = await gateway.http('/v1/me', visitor);
      expect([last.status, remainingOf(last)]).toEqual([401, 0]);
      const pages = await Promise.all(
        Array.from({ length: 59 }, () => gateway.http('/docs/errors', visitor)),
      );
      expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
      const rejected = await gateway.http('/docs/errors', visitor);
      expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '50']);
      expect(rejected.headers.get('content-type')).toContain('text/html');
      expect((await gateway.http('/v1/nothing', visitor)).status).toBe(429);
    });

    it('a request while the HTTP API is off counts against the rate limit', async () => {
      const { key } = await gateway.caller({ key: { per_minute: 1 } });
      const getMe = () => gateway.http('/v1/me', { key: key.key });
      await gateway.network.call(setKillSwitch, { enabled: false });
      expect(remainingOf(await getMe())).toBe(0);
      expect(errorCodeOf(await getMe())).toBe('api_disabled');
      await gateway.network.call(setKillSwitch, { enabled: true });
      expect(errorCodeOf(await getMe())).toBe('rate_limited');
    });

    it.each(['cut', 'hang'] as const)(
      'a gateway whose Redis line is %s continues from the last count, and counts in Redis again afterwards',
      async (how) => {
        const { key } = await gateway.caller({ key: { per_minute: 10 } });
        const send = (count: number) =>
          Promise.all(Array.from({ length: count }, () => gateway.http('/v1/me', { key: key.key })));
        expect((await send(4)).map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
        gateway.redisLine[how]();
        const withoutRedis = await send(20);
        expect(withoutRedis.filter((answer) => answer.status === 200)).toHaveLength(6);
        const rejected = withoutRedis.filter((answer) => answer.status === 429);
        expect(rejected.map(errorCodeOf)).toEqual(Array(14).fill('rate_limited'));
        gateway.redisLine.restore();
        await eventually('requests are counted in Redis again', async () => {
          await gateway.http('/v1/me', { key: key.key });
          return (await gateway.countedInRedis(key.id)) > 4;
        });
        expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(429);
      },
    );
  });

  describe('requests without a well-formed key', () => {
    it('a thousand of them wait for no table, and answer unauthorized until the budget of their address is spent', async () => {
      const { key } = await gateway.caller();
      const malformed = ['x', `${key.key}x`, `${key.key.slice(0, -1)}-`, key.key.replace('live', 'test')];
      const codes = new Map<string, number>();
      const waiting = await gateway.database.db.transaction().execute(async (trx) => {
        await sql`lock table kill_switch, api_key, business in access exclusive mode`.execute(trx);
        for (let sent = 0; sent < 1_000; sent += 100) {
          const answers = await Promise.all(
            Array.from({ length: 100 }, (_, index) => {
              const value = malformed[index % malformed.length] ?? '';
              return gateway.http('/v1/me', { key: value, ...from('192.0.2.99') });
            }),
          );
          for (const code of answers.map(errorCodeOf)) {
            codes.set(code, (codes.get(code) ?? 0) + 1);
          }
          // PostgreSQL ends a transaction that is idle for 20 s, as a thousand requests may take on a busy machine.
          await sql`select 1`.execute(trx);
        }
        const { rows } = await sql<{ query: string }>`
          select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        `.execute(trx);
        return rows.map(({ query }) => query);
      });
      expect(Object.fromEntries(codes)).toEqual({ unauthorized: 60, rate_limited: 940 });
      // Each of the two gateways reads the kill switch once a second, may store uses of keys, and reads nothing for a request.
      const read = waiting.filter((query) => !query.startsWith('with "later" as'));
      expect(read.length).toBeLessThanOrEqual(2);
      expect(read.filter((query) => query.includes('api_key'))).toEqual([]);
    });

    it('api_disabled comes before rate_limited and unauthorized at every gateway within a second', async () => {
      const visitor = { key: 'x', ...from('192.0.2.100') };
      const codes = async () =>
        (await Promise.all(both.map((at) => at.http('/v1/me', visitor)))).map(errorCodeOf);
      await gateway.network.call(setKillSwitch, { enabled: false });
      await eventually('both gateways have read the kill switch', async () =>
        (await codes()).every((code) => code === 'api_disabled'),
      );
      await Promise.all(Array.from({ length: 60 }, () => gateway.http('/v1/me', visitor)));
      expect(await codes()).toEqual(['api_disabled', 'api_disabled']);
      await gateway.network.call(setKillSwitch, { enabled: true });
      await eventually('both gateways have read it again', async () =>
        (await codes()).every((code) => code === 'rate_limited'),
      );
    });
  });

  describe('access', () => {
    /** The codes of both gateways for a request with an invalid body: every check before the body comes first. */
    const codes = async (key: string) => {
      const answers = await Promise.all(
        both.map((at) =>
          at.http('/v1/documents', { method: 'POST', key, body: {}, headers: { 'idempotency-key': 'k' } }),
        ),
      );
      for (const answer of answers) {
        expect(answer.status).toBe(errorCatalogue[errorCodeOf(answer) as ErrorCode].httpStatus);
      }
      return answers.map(errorCodeOf);
    };
    const twice = (code: ErrorCode) => [code, code];

    it('every change of a business, a key or the kill switch applies to the next request at both gateways', async () => {
      const { business, key } = await gateway.caller();
      const change = (settings: BusinessChange) =>
        gateway.network.call(updateBusiness, { business_id: business.id, change: settings });
      expect(await codes(key.key)).toEqual(twice('validation_error'));

      // From the last check to the first, each on top of the others.
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
      await gateway.network.call(revokeKey, { key_id: key.id });
      expect(await codes(key.key)).toEqual(twice('key_revoked'));
      expect(await gateway.network.call(setKillSwitch, { enabled: false })).toEqual({ enabled: false });
      expect(await codes(key.key)).toEqual(twice('api_disabled'));
      expect(await codes('nonsense')).toEqual(twice('api_disabled'));

      // And back.
      expect(await gateway.network.call(setKillSwitch, { enabled: true })).toEqual({ enabled: true });
      expect(await codes(key.key)).toEqual(twice('key_revoked'));
      expect(await codes('nonsense')).toEqual(twice('unauthorized'));
      const next = await gateway.network.call(createKey, {
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

    it('a cursor of one gateway is valid at the other', async () => {
      const { key } = await gateway.caller();
      const position = 42;
      const positions: unknown[] = [];
      const end = gateway.network.answer(listDocuments, ({ before }) => {
        positions.push(before);
        return { documents: [], next_before: position };
      });
      const [first, second] = both;
      const page = await first.http('/v1/documents', { key: key.key });
      const next = await second.http(`/v1/documents?cursor=${page.json.next_cursor}`, { key: key.key });
      end();
      expect([next.status, positions]).toEqual([200, [null, position]]);
    });
  });
});
