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
import { eventually, exampleDue, readTrail, type WebhookReceiver } from '@pinkas/testkit';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { EndpointMonitor } from '../src/webhook/endpoint-monitor.js';
import { EventPurger } from '../src/webhook/event-purger.js';
import { arrivedAt, startWebhooks, type WebhooksUnderTest } from './webhooks.js';

const second = 1_000;
const day = 24 * 3_600 * second;

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
    const trail = await readTrail(webhooks.database, webhooks.business.id);
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
    const trail = await readTrail(webhooks.database, webhooks.business.id);
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
