import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiEvent, createEndpoint, type ErrorBody, toEventId } from '@pinkas/contracts';
import { eventually, WebhookReceiver } from '@pinkas/testkit';
import { Webhook } from 'standardwebhooks';
import { faultPathsOf } from '../error-table.js';
import { quote } from '../example-bodies.js';
import type { Issuer, Suite } from '../suite.js';

interface Page {
  data: ApiEvent[];
  next_cursor: string;
}

/** Events: the list, and webhooks. */
export function events(suite: Suite): void {
  describe('events', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });
    const page = async (query: string) => (await suite.get<Page>(issuer.key, `/events${query}`)).body;

    it('events begin with the first call of the list, and a poller sees each once, as webhooks send it', async () => {
      const receiver = await WebhookReceiver.start();
      try {
        const before = await suite.issued(issuer.key, quote());
        const first = await page('');
        expect(first).toEqual({ data: [], next_cursor: expect.any(String) });
        const request = { business_id: issuer.business.id, url: receiver.url };
        const { secret } = await suite.callContract(createEndpoint, request);
        const document = await suite.issued(issuer.key, quote());
        await suite.cancel(issuer.key, document.id);
        const seen: ApiEvent[] = [];
        let cursor = first.next_cursor;
        await eventually('both events are listed', async () => {
          const { data, next_cursor } = await page(`?limit=1&cursor=${cursor}`);
          seen.push(...data);
          cursor = next_cursor;
          return seen.length === 2;
        });
        expect(seen.map(({ type, data }) => [type, data.document?.id, data.document?.status])).toEqual([
          ['document.issued', document.id, 'open'],
          ['document.cancelled', document.id, 'cancelled'],
        ]);
        expect(seen.some(({ data }) => data.document?.id === before.id)).toBe(false);
        await eventually('both webhooks arrived', () => receiver.received.length === 2);
        for (const { headers, body } of receiver.received) {
          const event = new Webhook(secret).verify(body, headers) as ApiEvent;
          expect(seen).toContainEqual(event);
          const { body: read } = await suite.get<ApiEvent>(issuer.key, `/events/${event.id}`);
          expect(read).toEqual(event);
        }
        const { data } = await page('?type=document.cancelled&type=document.closed');
        expect(data).toEqual(seen.slice(1));
      } finally {
        await receiver.stop();
      }
    });

    it('every fault of a query of events is named', async () => {
      const list = await suite.get<ErrorBody>(issuer.key, '/events?limit=0&type=x&cursor=!&page=1');
      expect(faultPathsOf(list)).toEqual(['/query/cursor', '/query/limit', '/query/page', '/query/type']);
      const event = await suite.get<ErrorBody>(issuer.key, `/events/${toEventId(randomUUID())}?page=1`);
      expect(faultPathsOf(event)).toEqual(['/query/page']);
    });
  });
}
