import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  connectionEventDue,
  createEndpoint,
  documentEventDue,
  fromEventId,
  getEvent,
  listEndpoints,
  messageEventDue,
  removeEndpoint,
  resendWebhooks,
  rotateEndpointSecret,
  setEndpointEnabled,
  showEndpoint,
  testEndpoint,
  toEventId,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { auditTrail, eventually, exampleDue, type WebhookReceiver } from '@pinkas/testkit';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { EndpointMonitor } from '../src/webhook/endpoint-monitor.js';
import { EventPurger } from '../src/webhook/event-purger.js';
import { answerBytesOfDay, claimDueWebhooks } from '../src/webhook/webhook.repository.js';
import { webhookPausesMs } from '../src/webhook/webhook-schedule.js';
import { startWebhooks, type WebhooksUnderTest } from './webhooks.js';

const second = 1_000;
const day = 24 * 3_600 * second;

let webhooks: WebhooksUnderTest;
let receiver: WebhookReceiver;
beforeAll(async () => {
  webhooks = await startWebhooks();
});
afterAll(() => webhooks.stop());
beforeEach(async () => {
  await webhooks.reset();
  webhooks.newBook();
  webhooks.names.clear();
  receiver = await webhooks.receiver();
});

const arrived = (count: number, at = receiver) =>
  eventually(`${count} webhooks arrived`, () => at.received.length >= count && at.received);
/** Whether a signature is that of a secret. The clock of the test is not that of the machine. */
const isSignedBy = (secret: string, { headers, body }: WebhookReceiver['received'][number]) =>
  (headers['webhook-signature'] ?? '')
    .split(' ')
    .includes(
      new Webhook(secret).sign(
        headers['webhook-id'] ?? '',
        new Date(Number(headers['webhook-timestamp']) * second),
        body,
      ),
    );
/** Waits until a transaction of the service waits for a lock. */
const isBlocked = () =>
  eventually('a transaction waits for a lock', async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(webhooks.database.db);
    return rows.length > 0;
  });
const pendingOf = async (id: string) => (await webhooks.endpoint(id)).pending;

describe('webhooks', () => {
  it('an event is sent with id, time and signature, and its body is that of the list', async () => {
    const { endpoint, secret } = await webhooks.createEndpoint(receiver.url);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const id = await webhooks.publishEvent();
    const [webhook] = await arrived(1);
    expect(webhook?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Pinkas\/\d+\.\d+\.\d+$/),
      'webhook-id': id,
      'webhook-timestamp': String(webhooks.clock.now.getTime() / second),
    });
    expect(webhook && isSignedBy(secret, webhook)).toBe(true);
    const body = JSON.parse(webhook?.body ?? '');
    expect(body).toMatchObject({
      id,
      type: 'document.issued',
      mode: 'live',
      business_id: webhooks.business.id,
    });
    expect((await webhooks.listed()).events).toEqual([body]);
    const { event } = await webhooks.network.call(getEvent, {
      business_id: webhooks.business.id,
      event_id: fromEventId(id),
    });
    expect(event).toBe(webhook?.body);
    const [attempt] = await webhooks.attemptsOf(endpoint.id, 1);
    expect(attempt).toMatchObject({
      event_id: id,
      n: 1,
      received: true,
      status: 204,
      reason: null,
      request: webhook?.body,
      response: '',
      next_attempt_at: null,
    });
  });

  it('an endpoint gets the types that it names, in its own book alone', async () => {
    const live = webhooks.business.id;
    await webhooks.createEndpoint(receiver.url, { types: ['document.cancelled'] });
    const tests = await webhooks.receiver();
    await webhooks.createEndpoint(tests.url, { business_id: testBookOf(live) });
    await webhooks.publishEvent();
    const cancelled = await webhooks.publishEvent(webhooks.documentEvent({ type: 'document.cancelled' }));
    webhooks.newBook({ id: testBookOf(live) });
    const inTests = await webhooks.publishEvent();
    await arrived(1);
    await arrived(1, tests);
    expect([receiver.ids, tests.ids]).toEqual([[cancelled], [inTests]]);
    expect(JSON.parse(tests.received[0]?.body ?? '')).toMatchObject({ mode: 'test', business_id: live });
  });

  it('a test document whose item provokes the end of the connection has an event of that behind its own', async () => {
    webhooks.newBook({ id: testBookOf(webhooks.business.id) });
    const listed = (count: number) =>
      eventually('all events are listed', async () => {
        const page = await webhooks.listed();
        return page.events.length === count && page;
      });
    await webhooks.publishEvent(webhooks.documentEvent({ connection: 'expiring' }));
    // Events of the connection have no order of their own.
    await listed(2);
    await webhooks.publishEvent(webhooks.documentEvent({ connection: 'disconnected' }));
    const { events } = await listed(4);
    expect(events.filter(({ type }) => type.startsWith('authority.'))).toMatchObject([
      {
        type: 'authority.expiring',
        mode: 'test',
        data: {
          connection: { valid_until: new Date(webhooks.clock.now.getTime() + 15 * day).toISOString() },
        },
      },
      { type: 'authority.disconnected', mode: 'test', data: { connection: { valid_until: null } } },
    ]);
  });

  it('messages and the connection to the authority are events, where the business wants them', async () => {
    const document = await webhooks.issueReady(webhooks.newRecipient(), { numberRequired: false });
    await eventually('the message is an event', async () => (await webhooks.listed()).events.length === 1);
    await webhooks.network.publish(connectionEventDue, webhooks.business.id, {
      business_id: webhooks.business.id,
      event_id: randomUUID(),
      occurred_at: webhooks.clock.now.toISOString(),
      type: 'authority.expiring',
      valid_until: '2026-07-01T00:00:00.000Z',
    });
    const { events } = await eventually('both are listed', async () => {
      const page = await webhooks.listed();
      return page.events.length === 2 && page;
    });
    expect(events).toMatchObject([
      {
        type: 'delivery.sent',
        data: {
          document: { id: document.id, delivery: { status: 'queued' } },
          delivery: {
            channel: 'email',
            purpose: 'customer',
            recipient: 'c***@example.com',
            attempt: 1,
            reason: null,
          },
        },
      },
      { type: 'authority.expiring', data: { connection: { valid_until: '2026-07-01T00:00:00.000Z' } } },
    ]);
    const { id } = webhooks.newBook({ events: false });
    const other = exampleDue(document, webhooks.business);
    await webhooks.issueReady(webhooks.newRecipient(), { numberRequired: false });
    await eventually('the message was sent', async () => {
      const rows = await webhooks.database.db
        .selectFrom('delivery')
        .select('state')
        .where('business_id', '=', id)
        .execute();
      return rows.length === 1 && rows[0]?.state === 'sent';
    });
    expect(other.business.events).toBe(false);
    expect((await webhooks.listed()).events).toEqual([]);
  });

  it('an event about a donation has what has become of its report', async () => {
    const event = webhooks.documentEvent({
      type: 'donation.reported',
      document: { type: 'donation_receipt' },
    });
    const donation = { status: 'reported', number: '405123456789', reason: null } as const;
    event.listed.state.donation = donation;
    await webhooks.publishEvent(event);
    const { events } = await eventually('the event is listed', async () => {
      const page = await webhooks.listed();
      return page.events.length === 1 && page;
    });
    expect(events).toMatchObject([{ type: 'donation.reported', data: { donation, document: { donation } } }]);
  });

  it('a message whose document no longer exists is no event', async () => {
    const { id } = webhooks.business;
    const delivery = {
      channel: 'email',
      purpose: 'customer',
      recipient: 'c***@example.com',
      attempt: 1,
      reason: null,
    } as const;
    const gone = { business_id: id, event_id: randomUUID(), occurred_at: webhooks.clock.now.toISOString() };
    await webhooks.network.publish(messageEventDue, randomUUID(), {
      ...gone,
      type: 'delivery.sent',
      document_id: randomUUID(),
      delivery,
    });
    const event = await webhooks.publishEvent();
    const { events } = await eventually('the next one is listed', async () => {
      const page = await webhooks.listed();
      return page.events.length > 0 && page;
    });
    expect(events.map((listed) => listed.id)).toEqual([event]);
  });

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

  it('a new secret signs at once, and the one before it for a day', async () => {
    const { endpoint, secret: first } = await webhooks.createEndpoint(receiver.url);
    const { secret: next, endpoint: rotated } = await webhooks.network.call(rotateEndpointSecret, {
      endpoint_id: endpoint.id,
    });
    expect(rotated.previous_secret_until).toBe(new Date(webhooks.clock.now.getTime() + day).toISOString());
    await webhooks.publishEvent();
    const [both] = await arrived(1);
    expect([first, next].map((secret) => both && isSignedBy(secret, both))).toEqual([true, true]);
    webhooks.advanceClock(day + second);
    await webhooks.publishEvent();
    const [, one] = await arrived(2);
    expect([first, next].map((secret) => one && isSignedBy(secret, one))).toEqual([false, true]);
    const stored = await webhooks.database.db.selectFrom('webhook_endpoint').select('secret').execute();
    expect(stored.some(({ secret }) => secret.toString('latin1').includes(next.slice(6)))).toBe(false);
  });

  it('the answer 410 disables an endpoint, and what it missed is sent after it is enabled', async () => {
    receiver.answer = (_webhook, response) => response.writeHead(410).end();
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    const since = webhooks.clock.now.toISOString();
    const first = await webhooks.publishEvent();
    await eventually('it is disabled', async () => !(await webhooks.endpoint(endpoint.id)).enabled);
    expect(await webhooks.endpoint(endpoint.id)).toMatchObject({ disabled_reason: 'gone' });
    const missed = await webhooks.publishEvent();
    await eventually('both are listed', async () => (await webhooks.listed()).events.length === 2);
    receiver.answer = (_webhook, response) => response.writeHead(200).end();
    const resend = { endpoint_id: endpoint.id, since };
    await expect(webhooks.network.call(resendWebhooks, resend)).rejects.toMatchObject({
      code: 'validation_error',
    });
    await webhooks.network.call(setEndpointEnabled, { endpoint_id: endpoint.id, enabled: true });
    expect(await webhooks.network.call(resendWebhooks, resend)).toEqual({ resent: 2, next_after: null });
    await arrived(3);
    expect(receiver.ids.slice(1).sort()).toEqual([first, missed].sort());
    await eventually('nothing waits', async () => (await pendingOf(endpoint.id)) === 0);
    expect(await webhooks.network.call(resendWebhooks, resend)).toEqual({ resent: 0, next_after: null });
    // One event is sent again, received or not.
    await webhooks.network.call(resendWebhooks, { endpoint_id: endpoint.id, event_id: first });
    await arrived(4);
    expect(receiver.ids.at(-1)).toBe(first);
  });

  it('an endpoint that fails for a day is a mail to its owner, and after five days it is disabled with another', async () => {
    const owner = webhooks.newRecipient();
    webhooks.newBook({ email: owner, language: 'en' });
    receiver.answer = (_webhook, response) => response.writeHead(500).end();
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    await webhooks.publishEvent();
    await webhooks.attemptsOf(endpoint.id, 1);
    const monitor = webhooks.service.app.get(EndpointMonitor);
    const mails = () => webhooks.mailbox.mailTo(owner);
    const look = async () => {
      while ((await monitor.tickNow()) !== 'idle') {}
    };
    await look();
    expect(await mails()).toHaveLength(0);
    webhooks.clock.now = new Date(webhooks.clock.now.getTime() + day);
    await look();
    await look();
    expect((await mails()).map(({ subject }) => subject)).toEqual(['Your events are not received']);
    expect((await webhooks.endpoint(endpoint.id)).enabled).toBe(true);
    webhooks.clock.now = new Date(webhooks.clock.now.getTime() + 4 * day);
    await look();
    await look();
    expect((await mails()).map(({ subject }) => subject).sort()).toEqual([
      'Your endpoint was disabled',
      'Your events are not received',
    ]);
    expect(await webhooks.endpoint(endpoint.id)).toMatchObject({
      enabled: false,
      disabled_reason: 'failing',
    });
    const trail = await auditTrail(webhooks.database, webhooks.business.id);
    expect(trail.at(-1)).toMatchObject({ action: 'webhook.disable', actor: 'service:delivery' });
  });

  it('a book has ten endpoints at most, and each change of one is in the trail', async () => {
    const created = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => webhooks.createEndpoint(`${receiver.url}/${index}`)),
    );
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const { endpoints } = await webhooks.network.call(listEndpoints, { business_id: webhooks.business.id });
    expect(endpoints).toHaveLength(10);
    const [{ id } = { id: '' }] = endpoints;
    const person_id = randomUUID();
    await webhooks.network.call(testEndpoint, { endpoint_id: id, person_id });
    await arrived(1);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'endpoint.test', data: {} });
    await webhooks.network.call(rotateEndpointSecret, { endpoint_id: id, person_id });
    await webhooks.network.call(setEndpointEnabled, { endpoint_id: id, enabled: false, person_id });
    await webhooks.network.call(setEndpointEnabled, { endpoint_id: id, enabled: true, person_id });
    await webhooks.network.call(removeEndpoint, { endpoint_id: id, person_id });
    await expect(webhooks.network.call(showEndpoint, { endpoint_id: id })).rejects.toMatchObject({
      code: 'not_found',
    });
    await webhooks.createEndpoint(receiver.url);
    const trail = await auditTrail(webhooks.database, webhooks.business.id);
    expect(trail.filter(({ subject }) => subject === id).map(({ action }) => action)).toEqual([
      'webhook.create',
      'webhook.test',
      'webhook.rotate',
      'webhook.disable',
      'webhook.enable',
      'webhook.remove',
    ]);
    expect(JSON.stringify(trail)).not.toContain('whsec_');
    await webhooks.service.app.get(EventPurger).tickNow();
    const left = await webhooks.database.db
      .selectFrom('webhook_endpoint')
      .select('id')
      .where('id', '=', id)
      .execute();
    expect(left).toEqual([]);
    expect(webhooks.started).toContain(webhooks.business.id);
  });

  it('an endpoint of another book is not found', async () => {
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    const other = { endpoint_id: endpoint.id, business_id: randomUUID() };
    for (const call of [
      webhooks.network.call(showEndpoint, other),
      webhooks.network.call(removeEndpoint, other),
      webhooks.network.call(rotateEndpointSecret, other),
      webhooks.network.call(testEndpoint, other),
      webhooks.network.call(setEndpointEnabled, { ...other, enabled: false }),
      webhooks.network.call(resendWebhooks, { ...other, since: endpoint.created_at }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(
      webhooks.network.call(createEndpoint, { business_id: webhooks.business.id, url: '' }),
    ).rejects.toMatchObject({ code: 'validation_error' });
  });
});

describe('the list of events', () => {
  it('events are listed in the order of commits, whatever the order in which they arrive', async () => {
    const events = Array.from({ length: 6 }, () => webhooks.documentEvent());
    const [first, second_, third, ...others] = events;
    for (const event of [...others.reverse(), third, second_]) {
      await webhooks.publishEvent(event);
    }
    await eventually('five events wait', async () => {
      const { rows } =
        await sql`select from event where business_id = ${webhooks.business.id} and position is null`.execute(
          webhooks.database.db,
        );
      return rows.length === 5;
    });
    expect(await webhooks.listed()).toEqual({ events: [], next_after: 0 });
    await webhooks.publishEvent(first);
    const page = await eventually('all are listed', async () => {
      const found = await webhooks.listed();
      return found.events.length === events.length && found;
    });
    expect(page.events.map(({ id }) => id)).toEqual(events.map(({ event_id }) => toEventId(event_id)));
    expect(page.next_after).toBe(events.length);
  });

  it('the list goes on after a quarter of an hour without an event that does not come, which is listed when it does', async () => {
    const [first, late, third] = Array.from({ length: 3 }, () => webhooks.documentEvent());
    await webhooks.publishEvent(first);
    await webhooks.publishEvent(third);
    const listed = (count: number) =>
      eventually(`${count} are listed`, async () => {
        const { events } = await webhooks.listed();
        return events.length === count && events.map(({ id }) => id);
      });
    await listed(1);
    await eventually('the third one waits', async () => {
      const { rows } =
        await sql`select from event where business_id = ${webhooks.business.id} and position is null`.execute(
          webhooks.database.db,
        );
      return rows.length === 1;
    });
    const purger = webhooks.service.app.get(EventPurger);
    await purger.tickNow();
    await listed(1);
    webhooks.clock.now = new Date(webhooks.clock.now.getTime() + 16 * 60 * second);
    await purger.tickNow();
    await listed(2);
    await webhooks.publishEvent(late);
    expect(await listed(3)).toEqual([first, third, late].map((event) => toEventId(event?.event_id ?? '')));
  });

  it('a poller that reads while eight writers publish sees each event once and in order', async () => {
    const count = 120;
    const events = Array.from({ length: count }, () => webhooks.documentEvent());
    const expected = events.map(({ event_id }) => toEventId(event_id));
    const queue = [...events];
    const writers = Array.from({ length: 8 }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        await webhooks.publishEvent(next);
      }
    });
    const seen: string[] = [];
    let after = 0;
    await eventually('the poller has seen all', async () => {
      // As many pages as there are.
      for (let page = await webhooks.listed({ after, limit: 7 }); page.events.length > 0; ) {
        seen.push(...page.events.map(({ id }) => id));
        after = page.next_after;
        page = await webhooks.listed({ after, limit: 7 });
      }
      return seen.length >= count;
    });
    await Promise.all(writers);
    expect(seen).toEqual(expected);
    expect(await webhooks.listed({ after })).toEqual({ events: [], next_after: after });
  });

  it('a list of types or of a document goes on behind all that it has looked at', async () => {
    const types = ['document.issued', 'document.cancelled', 'document.closed'] as const;
    const events = Array.from({ length: 9 }, (_, index) =>
      webhooks.documentEvent({ type: types[index % 3] as (typeof types)[number] }),
    );
    for (const event of events) {
      await webhooks.publishEvent(event);
    }
    await eventually('all are listed', async () => (await webhooks.listed()).events.length === events.length);
    const two = await webhooks.listed({ types: ['document.cancelled', 'document.closed'], limit: 4 });
    expect(two.events.map(({ type }) => type)).toEqual([types[1], types[2], types[1], types[2]]);
    const rest = await webhooks.listed({
      types: ['document.cancelled', 'document.closed'],
      after: two.next_after,
    });
    expect(rest).toMatchObject({ next_after: 9 });
    expect(rest.events).toHaveLength(2);
    const document_id = events[4]?.listed.document.id ?? '';
    const [ofDocument, ...none] = (await webhooks.listed({ document_id })).events;
    expect([ofDocument?.id, none]).toEqual([toEventId(events[4]?.event_id ?? ''), []]);
    expect(await webhooks.listed({ types: ['endpoint.test'] })).toEqual({ events: [], next_after: 9 });
  });

  it('an event that arrives twice is one, and is deleted with its webhooks after 90 days', async () => {
    const { endpoint } = await webhooks.createEndpoint(receiver.url);
    const event = webhooks.documentEvent();
    await webhooks.publishEvent(event);
    await webhooks.network.publish(documentEventDue, event.listed.document.id, event);
    await webhooks.attemptsOf(endpoint.id, 1);
    const next = await webhooks.publishEvent();
    await webhooks.attemptsOf(endpoint.id, 2);
    expect(receiver.ids).toEqual([toEventId(event.event_id), next]);
    const purger = webhooks.service.app.get(EventPurger);
    webhooks.clock.now = new Date(webhooks.clock.now.getTime() + 31 * day);
    while ((await purger.tickNow()) !== 'idle') {}
    expect(await webhooks.log(endpoint.id)).toEqual([]);
    expect((await webhooks.listed()).events).toHaveLength(2);
    webhooks.clock.now = new Date(webhooks.clock.now.getTime() + 60 * day);
    while ((await purger.tickNow()) !== 'idle') {}
    expect(await webhooks.listed()).toEqual({ events: [], next_after: 2 });
  });
});
