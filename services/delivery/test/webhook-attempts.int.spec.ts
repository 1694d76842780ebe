import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { resendWebhooks, setEndpointEnabled, testEndpoint } from '@pinkas/contracts';
import { eventually, type WebhookReceiver } from '@pinkas/testkit';
import { sql } from 'kysely';
import { answerBytesOfDay, claimDueWebhooks } from '../src/webhook/webhook.repository.js';
import { webhookPausesMs } from '../src/webhook/webhook-schedule.js';
import { arrivedAt, startWebhooks, type WebhooksUnderTest } from './webhooks.js';

const day = 24 * 3_600_000;

let webhooks: WebhooksUnderTest;
let receiver: WebhookReceiver;
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterAll(() => webhooks.stop());
beforeEach(async () => {
  receiver = await webhooks.begin();
});

const arrived = (count: number, at = receiver) => arrivedAt(at, count);
/** Waits until a transaction of the service waits for a lock. */
const isBlocked = () =>
  eventually('a transaction waits for a lock', async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(webhooks.database.db);
    return rows.length > 0;
  });
const pendingOf = async (id: string) => (await webhooks.endpoint(id)).pending;

describe('the attempts of webhooks', () => {
  it('a webhook that fails is sent again with the pauses of the schedule under the same id, and is given up after the last', async () => {
    receiver.answer = (_webhook, response) => response.writeHead(500).end('Out of order.');
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    const id = await webhooks.publishEvent();
    for (const [index, pauseMs] of webhookPausesMs.entries()) {
      const [last] = await webhooks.attemptsOf(endpoint.id, index + 1);
      expect(last).toMatchObject({
        n: index + 1,
        status: 500,
        reason: 'The endpoint answered 500: Out of order.',
      });
      const next = new Date(last?.next_attempt_at ?? 0).getTime() - webhooks.clock.now.getTime();
      expect(next).toBeGreaterThanOrEqual(pauseMs * 0.9);
      expect(next).toBeLessThanOrEqual(pauseMs * 1.1);
      webhooks.advanceClock(pauseMs * 1.1);
    }
    const [last] = await webhooks.attemptsOf(endpoint.id, webhookPausesMs.length + 1);
    expect(last).toMatchObject({ n: 11, next_attempt_at: null });
    expect(new Set(receiver.ids)).toEqual(new Set([id]));
    expect(await webhooks.endpoint(endpoint.id)).toMatchObject({
      pending: 0,
      failing_since: expect.any(String),
      last_failure: { reason: 'The endpoint answered 500: Out of order.' },
    });
  });

  it.each([
    ['redirects', 301, 'The endpoint answered 301.'],
    ['refuses', 403, 'The endpoint answered 403.'],
  ])('an endpoint that %s has failed, and nothing follows it', async (_what, status, reason) => {
    const elsewhere = await webhooks.receiver();
    receiver.answer = (_webhook, response) => response.writeHead(status, { location: elsewhere.url }).end();
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    await webhooks.publishEvent();
    expect(await webhooks.attemptsOf(endpoint.id, 1)).toMatchObject([{ status, reason, received: false }]);
    expect(elsewhere.received).toEqual([]);
  });

  it('an endpoint that hangs, closes at once or answers something else has failed', async () => {
    const answers: WebhookReceiver['answer'][] = [
      () => {},
      (_webhook, _response, request) => request.socket.destroy(),
      (_webhook, _response, request) => request.socket.end('SSH-2.0-example\r\n'),
    ];
    const reasons = [];
    for (const answer of answers) {
      const other = await webhooks.receiver();
      other.answer = answer;
      const { endpoint } = await webhooks.createEndpoint(other.url);
      await webhooks.network.call(testEndpoint, { endpoint_id: endpoint.id });
      const [attempt] = await webhooks.attemptsOf(endpoint.id, 1);
      reasons.push(attempt?.reason);
    }
    expect(reasons).toEqual([
      'There was no answer in time.',
      'The connection was closed before there was an answer.',
      'The answer is no HTTP response.',
    ]);
  });

  it('an answer without an end is received by its status, and 4 KB of it are kept', async () => {
    receiver.answer = (_webhook, response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) {}
        response.once('drain', write);
      };
      write();
    };
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    await webhooks.publishEvent();
    const [attempt] = await webhooks.attemptsOf(endpoint.id, 1);
    expect(attempt).toMatchObject({ received: true, status: 200, response: 'x'.repeat(4_096) });
  });

  it('an answer with 12 KB of headers is received', async () => {
    receiver.answer = (_webhook, response) => {
      response.writeHead(200, { 'content-security-policy': 'x'.repeat(12_000) }).end();
    };
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    await webhooks.publishEvent();
    expect(await webhooks.attemptsOf(endpoint.id, 1)).toMatchObject([{ received: true, status: 200 }]);
  });

  it('the log of an endpoint has no more of the answers of a day than its bound, whatever their bytes are', async () => {
    receiver.answer = (_webhook, response) => response.writeHead(200).end(Buffer.alloc(4_096, 0xff));
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    const logged = async () => {
      const { rows } = await sql<{ bytes: number; most: number; n: number }>`
        select sum(octet_length(response))::integer as bytes, max(octet_length(response)) as most, count(*)::integer as n
        from webhook_attempt where endpoint_id = ${endpoint.id}`.execute(webhooks.database.db);
      return rows[0] as { bytes: number; most: number; n: number };
    };
    await webhooks.publishEvent();
    await webhooks.attemptsOf(endpoint.id, 1);
    expect((await logged()).most).toBeLessThan(4_100);
    await sql`update webhook_endpoint set answer_bytes = ${answerBytesOfDay - 1} where id = ${endpoint.id}`.execute(
      webhooks.database.db,
    );
    await webhooks.publishEvent();
    await eventually('the second is logged', async () => (await logged()).n === 2);
    const before = await logged();
    expect(before.bytes).toBeGreaterThan(4_100);
    await webhooks.publishEvent();
    await eventually('the third is logged', async () => (await logged()).n === 3);
    expect((await logged()).bytes).toBe(before.bytes);
    webhooks.clock.now = new Date(webhooks.clock.now.getTime() + day);
    await webhooks.publishEvent();
    await eventually('the next day has room', async () => (await logged()).bytes > before.bytes);
  });

  it('a test of an endpoint and an event that is stored for it do not wait for each other', async () => {
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    await webhooks.publishEvent();
    await webhooks.attemptsOf(endpoint.id, 1);
    const { id: business_id } = webhooks.business;
    let tested: Promise<unknown> | undefined;
    await webhooks.database.db.transaction().execute(async (trx) => {
      await sql`select from event_book where business_id = ${business_id} for update`.execute(trx);
      tested = webhooks.network.call(testEndpoint, { endpoint_id: endpoint.id });
      await isBlocked();
      // As the event does whose transaction has the lock of the book.
      await sql`insert into webhook (business_id, endpoint_id, event_id, next_attempt_at)
        select business_id, ${endpoint.id}, id, now() + interval '1 year' from event where business_id = ${business_id}
        on conflict do nothing`.execute(trx);
      await sql`select from webhook_endpoint where id = ${endpoint.id} for key share`.execute(trx);
    });
    await expect(tested).resolves.toMatchObject({ event_id: expect.any(String) });
  });

  it('a person who sends again and an attempt whose outcome is stored do not wait for each other', async () => {
    receiver.answer = (_webhook, response) => response.writeHead(500).end();
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    await webhooks.publishEvent();
    await webhooks.attemptsOf(endpoint.id, 1);
    let resent: Promise<unknown> | undefined;
    await webhooks.database.db.transaction().execute(async (trx) => {
      await sql`select from webhook where endpoint_id = ${endpoint.id} for no key update`.execute(trx);
      const since = new Date(0).toISOString();
      resent = webhooks.network.call(resendWebhooks, { endpoint_id: endpoint.id, since });
      await isBlocked();
      // As an attempt that has failed does behind the lock of its webhook.
      await sql`update webhook_endpoint set last_failed_at = now(), last_failure = 'x' where id = ${endpoint.id}`.execute(
        trx,
      );
    });
    await expect(resent).resolves.toMatchObject({ resent: 1 });
  });

  it('an endpoint that presents another certificate gets nothing', async () => {
    const other = await webhooks.receiver('other.example.com');
    const { endpoint } = await webhooks.createEndpoint(other.url);
    await webhooks.publishEvent();
    expect(await webhooks.attemptsOf(endpoint.id, 1)).toMatchObject([
      { status: null, reason: expect.stringMatching(/^The TLS connection failed: [A-Z_]+\.$/) },
    ]);
    expect(other.received).toEqual([]);
  });

  it.each([
    ['127.0.0.2'],
    ['169.254.169.254'],
    ['10.0.0.1'],
    ['::ffff:10.0.0.1'],
    ['::1'],
    ['fd00:ec2::254'],
    ['100.100.100.200'],
    ['64:ff9b::a00:1'],
  ])('a name that leads to %s in addition to an allowed address gets nothing', async (address) => {
    webhooks.names.set('shop.example.com', ['127.0.0.1', address]);
    const { port } = new URL(receiver.url);
    const { endpoint } = await webhooks.createEndpoint(`http://shop.example.com:${port}/`);
    await webhooks.publishEvent();
    const [attempt] = await webhooks.attemptsOf(endpoint.id, 1);
    expect(attempt).toMatchObject({
      status: null,
      reason: 'The name of the host leads to an address that is not public.',
    });
    expect(receiver.received).toEqual([]);
  });

  it('a name is resolved once for each attempt, and the connection goes to the address that was judged', async () => {
    // Between the check and the connection, the name changes to an address that is not allowed.
    const rebinding = ['127.0.0.1'];
    webhooks.names.set('shop.example.com', rebinding);
    const { port } = new URL(receiver.url);
    const { endpoint } = await webhooks.createEndpoint(`http://shop.example.com:${port}/hook`);
    webhooks.lookups.length = 0;
    await webhooks.publishEvent();
    await arrived(1);
    expect(receiver.received[0]?.headers.host).toBe(`shop.example.com:${port}`);
    webhooks.names.set('shop.example.com', ['127.0.0.2']);
    await webhooks.publishEvent();
    const attempts = await webhooks.attemptsOf(endpoint.id, 2);
    expect(attempts.map(({ received }) => received).sort()).toEqual([false, true]);
    expect(webhooks.lookups).toEqual(['shop.example.com', 'shop.example.com']);
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ['ftp://shop.example.com', 'must begin with https://'],
    ['shop.example.com', 'must be a complete address such as https://shop.example.com/pinkas'],
    ['https://user:secret@shop.example.com', 'must not hold a user name or a password'],
    ['https://shop.example.com/#part', 'must not hold a fragment'],
    ['https://shop.example.com:25/', 'must have the port 443, or one from 1024 to 65535'],
    ['http://shop.example.com/', 'must have the port 443, or one from 1024 to 65535'],
    ['http://shop.example.com:8080/', undefined],
    ['https://168.63.129.16/', 'must lead to a public address'],
    ['https://169.254.169.254/', 'must lead to a public address'],
    ['https://0x7f.2/', 'must lead to a public address'],
    ['https://[::ffff:10.0.0.1]/', 'must lead to a public address'],
  ])('CreateEndpoint judges the address %s', async (url, message) => {
    const created = webhooks.createEndpoint(url);
    if (message === undefined) {
      expect((await created).endpoint.url).toBe(url);
    } else {
      await expect(created).rejects.toMatchObject({
        code: 'validation_error',
        details: { errors: [{ path: '/url', message }] },
      });
    }
  });

  it('a process that ended after the request sends the event again under the same id', async () => {
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    // The process claims, sends, and ends before it stores the outcome: its claim expires.
    let lost = 0;
    receiver.answer = (_webhook, response) => {
      const forget = lost === 0;
      lost += 1;
      void (async () => {
        if (forget) {
          await sql`update webhook set attempts = attempts + 1, claimed_until = ${new Date(webhooks.clock.now.getTime() - 1)}
            where endpoint_id = ${endpoint.id}`.execute(webhooks.database.db);
        }
        response.writeHead(200).end();
      })();
    };
    const id = await webhooks.publishEvent();
    await arrived(2);
    expect(receiver.ids).toEqual([id, id]);
    expect(await webhooks.attemptsOf(endpoint.id, 1)).toMatchObject([{ n: 3, received: true }]);
    expect(await pendingOf(endpoint.id)).toBe(0);
  });

  it('a process that ended before the request loses no event', async () => {
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    await webhooks.network.call(setEndpointEnabled, { endpoint_id: endpoint.id, enabled: false });
    const id = await webhooks.publishEvent();
    await eventually('it is stored', async () => (await webhooks.listed()).events.length === 1);
    await sql`insert into webhook (business_id, endpoint_id, event_id, attempts, next_attempt_at, claimed_until)
      select business_id, ${endpoint.id}, id, 1, stored_at, stored_at - interval '1 second' from event
      where business_id = ${webhooks.business.id}`.execute(webhooks.database.db);
    await webhooks.network.call(setEndpointEnabled, { endpoint_id: endpoint.id, enabled: true });
    await arrived(1);
    expect(receiver.ids).toEqual([id]);
  });

  it('an endpoint that hangs holds up none of the others, however many events it has', async () => {
    const dead = await webhooks.receiver();
    dead.answer = () => {};
    const { endpoint: slow } = await webhooks.createEndpoint(dead.url);
    await webhooks.createEndpoint(receiver.url);
    const ids = await Promise.all(Array.from({ length: 60 }, () => webhooks.publishEvent()));
    const other = await webhooks.receiver();
    const slowBook = webhooks.business;
    webhooks.newBook();
    await webhooks.createEndpoint(other.url);
    const others = await Promise.all(Array.from({ length: 5 }, () => webhooks.publishEvent()));
    await arrived(ids.length);
    await arrived(others.length, other);
    expect([new Set(receiver.ids), new Set(other.ids)]).toEqual([new Set(ids), new Set(others)]);
    webhooks.business = slowBook;
    expect(await pendingOf(slow.id)).toBe(ids.length);
    expect(dead.received.length).toBeLessThan(10);
  });

  it('businesses that have many webhooks in flight, and more that wait longer, hold up none of another business', async () => {
    const { db } = webhooks.database;
    await sql`delete from webhook`.execute(db);
    const now = webhooks.clock.now.getTime();
    const at = (ms: number) => new Date(now + ms);
    // Not yet due to the sender of the service: the test claims them, an hour later.
    const waiting = async (count: number, dueMs: number) => {
      const { id } = webhooks.newBook();
      const { endpoint } = await webhooks.createEndpoint(receiver.url);
      await sql`with stored as (
          insert into event (business_id, id, type, body, stored_at)
          select ${id}::uuid, gen_random_uuid(), 'endpoint.test', '{}', ${at(0)}::timestamptz from generate_series(1, ${count}::integer)
          returning id)
        insert into webhook (business_id, endpoint_id, event_id, next_attempt_at)
        select ${id}::uuid, ${endpoint.id}::uuid, id, ${at(dueMs)}::timestamptz from stored`.execute(db);
      return id;
    };
    const busy = await waiting(8, 60_000);
    const other = await waiting(8, 120_000);
    const claim = async (limit: number) =>
      (await claimDueWebhooks(db, limit, at(3_600_000), at(7_200_000), 32)).map(
        ({ business_id }) => business_id,
      );
    expect(await claim(1)).toEqual([busy]);
    expect(await claim(1)).toEqual([other]);
    expect((await claim(2)).sort()).toEqual([busy, other].sort());
    expect(await claim(16)).toHaveLength(4);
    expect(await claim(16)).toEqual([]);
    await sql`delete from webhook`.execute(db);
  });

  it('an event that a person sends again during an attempt that fails is due after it', async () => {
    let answer = () => {};
    receiver.answer = (_webhook, response) => {
      answer = () => response.writeHead(500).end();
    };
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    const event_id = await webhooks.publishEvent();
    await arrived(1);
    await webhooks.network.call(resendWebhooks, { endpoint_id: endpoint.id, event_id });
    receiver.answer = (_webhook, response) => response.writeHead(204).end();
    answer();
    await arrived(2);
    expect(await webhooks.attemptsOf(endpoint.id, 2)).toMatchObject([{ received: true }, { status: 500 }]);
  });

  it('a webhook that is stored while another of its endpoint is in flight is sent after it, and claimed by no more than its bound', async () => {
    const answers: (() => void)[] = [];
    receiver.answer = (_webhook, response) => void answers.push(() => response.writeHead(204).end());
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    const ids = await Promise.all(Array.from({ length: 7 }, () => webhooks.publishEvent()));
    await arrived(4);
    await eventually('all are listed', async () => (await webhooks.listed()).events.length === ids.length);
    expect([answers.length, await pendingOf(endpoint.id)]).toEqual([4, ids.length]);
    await eventually('all are received', async () => {
      for (const answer of answers.splice(0)) {
        answer();
      }
      return (await pendingOf(endpoint.id)) === 0;
    });
    expect(receiver.ids.toSorted()).toEqual(ids.toSorted());
  });
});
