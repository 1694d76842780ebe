import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { aLongMinute } from '../avoid-minute-end.js';
import { expectRefusal } from '../error-table.js';
import { quote } from '../example-bodies.js';
import { secondsToMidnight } from '../israel-time.js';
import type { Issuer, Suite } from '../suite.js';

/** Section 8 beside the sizes of fields: requests a minute, documents a day, and the budget of an address. */
export function limits(suite: Suite): void {
  const statusesOf = (answers: readonly { status: number }[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) {
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  };
  const manyTimes = <T>(count: number, call: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, call));

  describe('8 requests a minute', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });

    it('a default key may send 60; the 61st is rate_limited with Retry-After', async () => {
      const { key } = await suite.newKey(issuer.business.id, { per_minute: undefined });
      await aLongMinute();
      const answers = await manyTimes(65, () => suite.get(key, '/document-types'));
      expect(statusesOf(answers)).toEqual({ 200: 60, 429: 5 });
      for (const answer of answers.filter(({ status }) => status === 429)) {
        expectRefusal(answer, 'rate_limited');
        expect(answer.headers['ratelimit-remaining']).toBe('0');
        expect(answer.headers['retry-after']).toBe(answer.headers['ratelimit-reset']);
      }
    });

    it('each key has its own, also of one business', async () => {
      await aLongMinute();
      const [one, other] = await Promise.all(
        [1, 1].map((perMinute) => suite.newKey(issuer.business.id, { per_minute: perMinute })),
      );
      expect((await suite.get(one?.key ?? '', '/me')).status).toBe(200);
      expectRefusal(await suite.get(one?.key ?? '', '/me'), 'rate_limited');
      expect((await suite.get(other?.key ?? '', '/me')).status).toBe(200);
    });

    it('a replay and a refused creation count; a refused one issues nothing', async () => {
      await aLongMinute();
      const { key } = await suite.newKey(issuer.business.id, { per_minute: 3 });
      const idempotencyKey = randomUUID();
      expect((await suite.issue(key, quote(), idempotencyKey)).status).toBe(201);
      expect((await suite.issue(key, quote(), idempotencyKey)).status).toBe(201);
      expectRefusal(await suite.issue(key, {}), 'validation_error');
      expectRefusal(await suite.issue(key, quote()), 'rate_limited');
    });
  });

  describe('decisions, Settled, Requests: the budget of an address without a valid key', () => {
    it('an address without a key gets 401 for 60 requests, then 429, and requests with keys are not affected', async () => {
      const { key } = await suite.newIssuer();
      const address = suite.newAddress();
      await aLongMinute();
      const answers = await manyTimes(63, () => suite.call(null, 'GET', '/me', { address }));
      expect(statusesOf(answers)).toEqual({ 401: 60, 429: 3 });
      expectRefusal(await suite.call('pk_wrong', 'GET', '/me', { address }), 'rate_limited');
      expect((await suite.call(key, 'GET', '/me', { address })).status).toBe(200);
      expect((await suite.call(null, 'GET', '/me', { address: suite.newAddress() })).status).toBe(401);
    });

    it('the limit of an address is shared by GET /errors and /openapi.json; pages have their own, and so has a key', async () => {
      const { key } = await suite.newIssuer();
      const { view_url, pdf_url } = await suite.issued(key, quote());
      const unknown = view_url.replace(/[^/]+$/, 'A'.repeat(22));
      const address = suite.newAddress();
      await aLongMinute();
      const reference = `${suite.file.docs_url}/errors`;
      expect((await suite.call(null, 'GET', '/openapi.json', { address })).status).toBe(200);
      const errors = await manyTimes(60, () => suite.call(null, 'GET', '/errors', { address }));
      expect(statusesOf(errors)).toEqual({ 200: 59, 429: 1 });
      for (const path of ['/me', '/openapi.json', '/nothing']) {
        expectRefusal(await suite.call(null, 'GET', path, { address }), 'rate_limited');
        expect((await suite.call(key, 'GET', path, { address })).status).toBe(
          path === '/nothing' ? 404 : 200,
        );
      }
      const visited = [
        await suite.visit(unknown, { address }),
        ...(await manyTimes(60, () => suite.visit(reference, { address }))),
      ];
      expect(statusesOf(visited)).toEqual({ 200: 59, 404: 1, 429: 1 });
      for (const url of [unknown, reference]) {
        const refused = await suite.visit(url, { address });
        expect(refused.status).toBe(429);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(0);
      }
      // Documents that exist have a limit of their own.
      const pages = await manyTimes(70, () => suite.visit(view_url, { address }));
      expect(statusesOf(pages)).toEqual({ 200: 70 });
      expect((await suite.visit(pdf_url, { address })).status).toBe(200);
    });
  });

  describe('8 documents a day', () => {
    it('daily_limit_reached holds for the key, and ends at midnight in Israel', async () => {
      const issuer = await suite.newIssuer({}, { daily_documents: 2 });
      const other = await suite.newKey(issuer.business.id, { daily_documents: 1 });
      const idempotencyKey = randomUUID();
      const first = await suite.issued(issuer.key, quote(), idempotencyKey);
      await suite.issued(issuer.key, quote({ type: 'order' }));
      const refused = await suite.issue(issuer.key, quote());
      expectRefusal(refused, 'daily_limit_reached');
      expect(Math.abs(Number(refused.headers['retry-after']) - secondsToMidnight())).toBeLessThan(5);
      expect((await suite.me(issuer.key)).limits).toMatchObject({ daily_documents: 2, used_today: 2 });
      // A replay counts no document, and the other key has a day of its own.
      expect((await suite.issue(issuer.key, quote(), idempotencyKey)).body).toEqual(first);
      expect((await suite.issue(other.key, quote())).status).toBe(201);
      expectRefusal(await suite.issue(other.key, quote()), 'daily_limit_reached');
    });

    it('the daily limit is exact for many concurrent requests of several types', async () => {
      const { key } = await suite.newIssuer({}, { daily_documents: 5 });
      const types = ['quote', 'order', 'proforma'] as const;
      let next = 0;
      const answers = await manyTimes(12, () =>
        suite.issue(key, quote({ type: types[next++ % 3] as 'quote' })),
      );
      expect(statusesOf(answers)).toEqual({ 201: 5, 429: 7 });
      expect((await suite.me(key)).limits.used_today).toBe(5);
    });

    it('cancelling gives nothing back', async () => {
      const { key } = await suite.newIssuer({}, { daily_documents: 1 });
      const { id } = await suite.issued(key, quote());
      await suite.cancel(key, id);
      expectRefusal(await suite.issue(key, quote()), 'daily_limit_reached');
    });
  });
}
