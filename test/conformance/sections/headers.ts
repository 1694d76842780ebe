import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { publicRoutes, toEventId } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { aLongMinute } from '../avoid-minute-end.js';
import { expectRefusal } from '../error-table.js';
import { newName, quote } from '../example-bodies.js';
import type { Issuer, Suite } from '../suite.js';

/** Until the next minute of the clock begins. */
const secondsLeft = () => Math.ceil((60_000 - (Date.now() % 60_000)) / 1000);

/** Section 5, the response headers, and the decision on X-Request-Id. What every answer has is held against every answer. */
export function responseHeaders(suite: Suite): void {
  describe('5 response headers', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });

    it("decisions, X-Request-Id: a caller's own is kept when it is a UUID", async () => {
      for (const id of [randomUUID(), randomUUID().toUpperCase(), '017f22e2-79b0-7cc3-98c4-dc0c0c07398f']) {
        const [found, refused] = await Promise.all([
          suite.call(issuer.key, 'GET', '/me', { headers: { 'x-request-id': id } }),
          suite.call(issuer.key, 'GET', '/nothing', { headers: { 'x-request-id': id } }),
        ]);
        expect([found.headers['x-request-id'], refused.body.request_id]).toEqual([id, id]);
      }
    });

    it.each(['mine', '', '17', `${randomUUID()}0`, 'a'.repeat(500)])(
      'decisions, X-Request-Id: any other (%s) is replaced by a new one',
      async (id) => {
        const { headers } = await suite.call(issuer.key, 'GET', '/me', { headers: { 'x-request-id': id } });
        expect(headers['x-request-id']).not.toBe(id);
      },
    );

    it('decisions, X-Request-Id: it is in the log lines of all who work on the request', async () => {
      const own = await suite.newIssuer({
        auto_send: { enabled: true, channel: 'email', quiet_hours: null },
      });
      const id = randomUUID();
      const body = quote({ customer: { name: newName(), email: `${id}@example.com` } });
      const { status } = await suite.issue(own.key, body, randomUUID(), { headers: { 'x-request-id': id } });
      expect(status).toBe(201);
      for (const service of ['gateway', 'issuing', 'delivery']) {
        const { log } = suite.file.services.find(({ name }) => name === service) ?? { log: '' };
        await eventually(`${service} has logged it`, async () =>
          (await readFile(log, 'utf8')).includes(`"request_id":"${id}"`),
        );
      }
    });

    it.each(publicRoutes.filter(({ method }) => method === 'GET').map((route) => route.path))(
      'decisions, HEAD: %s is answered as GET is, without the body',
      async (path) => {
        const known = path.replace(':event_id', toEventId(randomUUID())).replace(':id', randomUUID());
        const [get, head] = [
          await suite.call(issuer.key, 'GET', known),
          await suite.call(issuer.key, 'HEAD', known),
        ];
        const { 'content-type': type, 'content-length': length } = head.headers;
        expect([head.status, type, length, head.bytes.length]).toEqual([
          get.status,
          get.headers['content-type'],
          get.headers['content-length'],
          0,
        ]);
      },
    );

    it('every request has an id of its own', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => suite.get(issuer.key, '/me')));
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(5);
    });

    it('RateLimit-* count the requests of the key in this minute, refused ones too', async () => {
      await aLongMinute();
      const { key } = await suite.newKey(issuer.business.id, { per_minute: 10 });
      const remaining = [];
      for (const path of ['/me', '/documents/17', '/documents?limit=0', '/document-types']) {
        const before = secondsLeft();
        const { headers } = await suite.get(key, path);
        expect(headers['ratelimit-limit']).toBe('10');
        remaining.push(Number(headers['ratelimit-remaining']));
        expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(before);
        expect(Number(headers['ratelimit-reset'])).toBeGreaterThanOrEqual(secondsLeft());
      }
      expect(remaining).toEqual([9, 8, 7, 6]);
    });

    it('a creation counts like any other request', async () => {
      await aLongMinute();
      const { key } = await suite.newKey(issuer.business.id, { per_minute: 10 });
      expect((await suite.issue(key, quote())).headers['ratelimit-remaining']).toBe('9');
      expect((await suite.issue(key, { type: 'quote' })).headers['ratelimit-remaining']).toBe('8');
    });

    it('RateLimit headers without a valid key count the requests of the client address', async () => {
      await aLongMinute();
      const address = suite.newAddress();
      const first = await suite.call(null, 'GET', '/me', { address });
      const second = await suite.call('pk_wrong', 'GET', '/me', { address });
      const third = await suite.call(null, 'GET', '/errors', { address });
      const remaining = [first, second, third].map(({ headers }) => headers['ratelimit-remaining']);
      expect(remaining).toEqual(['59', '58', '57']);
      expect(first.headers['ratelimit-limit']).toBe('60');
    });

    it('9 the version is the first part of the path', async () => {
      const origin = new URL(suite.file.base_url).origin;
      const answer = await suite.visit(`${origin}/me`, {
        headers: { authorization: `Bearer ${issuer.key}` },
      });
      expect(answer.status).toBe(404);
      expectRefusal(await suite.get(issuer.key, '/v1/me'), 'not_found');
    });
  });
}
