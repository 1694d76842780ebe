import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type IssuedDocument, listMessages, messageDue, suppressAddress } from '@pinkas/contracts';
import { eventually, exampleDocument, exampleDue, scrape } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import { generateDkimKey } from './dkim.js';

const second = 1_000;

const dkimKey = generateDkimKey();
const domain = 'shop.example.com';
let delivery: DeliveryUnderTest;
beforeAll(async () => {
  const dkimKeys = new Map([[domain, { domain, selector: 'pinkas', privateKey: dkimKey.pem }]]);
  delivery = await startDelivery({ config: async () => ({ dkimKeys }) });
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('DeliveryMetrics', () => {
  const open = async (state: string) =>
    (await scrape(delivery.service)).get(`pinkas_deliveries_pending{state="${state}"}`);

  it('DeliveryMetrics reports unsent messages and their age', async () => {
    // Of a service that has sent nothing yet: this is its first test.
    expect([await open('due'), await open('deferred'), await open('sending')]).toEqual([0, 0, 0]);
    await delivery.mailbox.mode('temporary');
    const invoice = await delivery.issue(delivery.newRecipient());
    await delivery.render(invoice);
    const row = await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect([await open('due'), await open('deferred')]).toEqual([0, 1]);
    expect((await scrape(delivery.service)).get('pinkas_deliveries_oldest_due_seconds')).toBe(0);
    // No one sends it, though its time has come.
    await delivery.database.db
      .updateTable('delivery')
      .set({
        next_attempt_at: new Date(delivery.clock.now.getTime() - 90_000),
        claimed_until: new Date(delivery.clock.now.getTime() + 3_600_000),
      })
      .where('id', '=', row.id)
      .execute();
    expect([await open('due'), await open('deferred')]).toEqual([1, 0]);
    expect((await scrape(delivery.service)).get('pinkas_deliveries_oldest_due_seconds')).toBe(90);
  });
});

describe('PlanDelivery', () => {
  it('PlanDelivery publishes the plan while the message waits for the final PDF', async () => {
    const invoice = await delivery.issue(delivery.newRecipient());
    expect(await delivery.planned(invoice)).toEqual({
      status: 'queued',
      channel: 'email',
      scheduled_for: null,
    });
    expect(await delivery.rows(invoice)).toMatchObject([
      { channel: 'email', purpose: 'customer', state: 'waiting', attempts: 0, not_before: null },
    ]);
  });

  it('PlanDelivery publishes a plan only where the response has another outcome', async () => {
    const answered = { status: 'queued', channel: 'email', scheduled_for: null } as const;
    const [same, other] = [
      await delivery.issue(delivery.newRecipient(), { answered }),
      await delivery.issue(null, { answered }),
    ];
    expect((await delivery.planned(other)).status).toBe('no_recipient');
    await delivery.render(same);
    await delivery.inState(same, 'sent');
    expect(delivery.plannedOf(same)).toEqual([]);
  });

  it.each([
    ['disabled', { business: { auto_send: { enabled: false, channel: 'email', quiet_hours: null } } }],
    ['suppressed', { document: { send: false } }],
  ] as const)(
    'PlanDelivery sends nothing for a %s plan, also when the PDF is final',
    async (status, change) => {
      const recipient = delivery.newRecipient();
      const invoice = await delivery.issue(recipient, change);
      expect(await delivery.planned(invoice)).toEqual({ status, channel: null, scheduled_for: null });
      await delivery.render(invoice);
      await eventually('the rendering is noted', () =>
        delivery.database.db
          .selectFrom('document')
          .selectAll()
          .where('document_id', '=', invoice.id)
          .where('revision', 'is not', null)
          .executeTakeFirst(),
      );
      expect(await delivery.rows(invoice)).toEqual([]);
      expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    },
  );

  it('PlanDelivery defers a message to the end of the quiet hours', async () => {
    const recipient = delivery.newRecipient();
    delivery.clock.now = new Date('2026-06-15T20:00:00Z');
    const invoice = await delivery.issue(recipient, {
      business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } },
    });
    expect(await delivery.planned(invoice)).toEqual({
      status: 'deferred_quiet_hours',
      channel: 'email',
      scheduled_for: '2026-06-16T04:00:00.000Z',
    });
    await delivery.render(invoice);
    await delivery.inState(invoice, 'ready');
    delivery.clock.now = new Date('2026-06-16T03:59:00Z');
    const other = delivery.newRecipient();
    const marker = await delivery.issue(other);
    await delivery.render(marker);
    await delivery.inState(marker, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);

    delivery.clock.now = new Date('2026-06-16T04:00:00Z');
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('PlanDelivery decides by the instant of issue however late it plans, and sends what is due by then', async () => {
    delivery.clock.now = new Date('2026-06-17T05:00:00Z');
    const late = await delivery.issueReady(delivery.newRecipient(), {
      document: { issued_at: '2026-06-16T20:00:00.000Z' },
      business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } },
    });
    expect(await delivery.planned(late)).toEqual({
      status: 'deferred_quiet_hours',
      channel: 'email',
      scheduled_for: '2026-06-17T04:00:00.000Z',
    });
    await delivery.inState(late, 'sent');
  });

  it('PlanDelivery plans and sends once when events are redelivered', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.render(invoice);
    await delivery.inState(invoice, 'sent');
    await delivery.redeliverAll();
    await delivery.render(invoice, { revision: 2 });
    const marker = await delivery.issue(delivery.newRecipient());
    await delivery.render(marker);
    await delivery.inState(marker, 'sent');
    expect(delivery.plannedOf(invoice)).toHaveLength(1);
    expect(await delivery.rows(invoice)).toHaveLength(1);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    expect(delivery.sentOf(invoice)).toHaveLength(1);
  });
});

describe('ReleaseDelivery', () => {
  it('PlanDelivery sends a message at once where no number is required, and names the PDF that the book has', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient, { numberRequired: false });
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    expect(delivery.fetched.filter(({ document_id }) => document_id === invoice.id)).toMatchObject([
      { artifact_sha256: 'ab'.repeat(32) },
    ]);
    expect(delivery.plannedOf(invoice)).toHaveLength(1);
  });

  it('ReleaseDelivery releases a message when the PDF is final', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.planned(invoice);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    await delivery.render(invoice);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('PlanDelivery sends a message whose PDF was final before the plan', async () => {
    const recipient = delivery.newRecipient();
    const document = exampleDocument({ business_id: delivery.business.id });
    document.customer.email = recipient;
    await delivery.render(document);
    await eventually('the rendering is noted', () =>
      delivery.database.db
        .selectFrom('document')
        .selectAll()
        .where('document_id', '=', document.id)
        .where('revision', 'is not', null)
        .executeTakeFirst(),
    );
    await delivery.network.publish(messageDue, document.id, exampleDue(document, delivery.business));
    await delivery.inState(document, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('ReleaseDelivery and PlanDelivery send a message in any order of their events', async () => {
    const recipient = delivery.newRecipient();
    const documents = Array.from({ length: 30 }, () => {
      const document = exampleDocument({ business_id: delivery.business.id });
      document.customer.email = recipient;
      return document;
    });
    await Promise.all(
      documents.flatMap((document) => [
        delivery.network.publish(messageDue, document.id, exampleDue(document, delivery.business)),
        delivery.render(document),
      ]),
    );
    await eventually('all are sent', async () => {
      // What a busy machine did not get through is due again a moment later.
      delivery.advanceClock(5 * second);
      const mails = await delivery.mailbox.mailTo(recipient);
      return new Set(mails.map(({ message_id }) => message_id)).size === 30;
    });
  });
});

describe('listMessages', () => {
  const list = (invoice: IssuedDocument, businessId = invoice.business_id) =>
    delivery.network.call(listMessages, { business_id: businessId, document_id: invoice.id });

  it('listMessages returns a message with every attempt and what the provider answered', async () => {
    const recipient = delivery.newRecipient();
    await delivery.mailbox.mode('temporary', 1);
    const invoice = await delivery.issueReady(recipient);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    const row = await delivery.inState(invoice, 'sent');
    const [first, last] = await delivery.attempts(invoice);
    expect(first?.outcome).toBe('temporary');
    expect(await list(invoice)).toEqual({
      messages: [
        {
          delivery_id: row.id,
          channel: 'email',
          purpose: 'customer',
          state: 'sent',
          next_attempt_at: null,
          not_before: null,
          held_until: null,
          follow_up: false,
          requested: false,
          ended_at: row.sent_at?.toISOString(),
          reason: null,
          recipient,
          suppressed: false,
          created_at: row.created_at.toISOString(),
          attempts: [first, last].map((attempt, index) => ({
            n: index + 1,
            started_at: attempt?.started_at.toISOString(),
            ended_at: attempt?.ended_at?.toISOString(),
            outcome: ['temporary', 'accepted'][index],
            response: attempt?.provider_response,
            allocation_number: null,
          })),
        },
      ],
    });
    expect(first?.provider_response).toMatch(/^4\d\d/);
  });

  it('listMessages says of each message whether its address is suppressed now', async () => {
    const [recipient, accountant] = [delivery.newRecipient(), delivery.newRecipient()];
    const invoice = await delivery.issueReady(recipient, {
      business: { accountant_copy: { enabled: true, email: accountant } },
    });
    await eventually('the messages are sent', () => delivery.sentOf(invoice).length === 2);
    await delivery.network.call(suppressAddress, {
      business_id: invoice.business_id,
      address: recipient.toUpperCase(),
      detail: null,
    });
    const { messages } = await list(invoice);
    expect(new Map(messages.map((message) => [message.recipient, message.suppressed]))).toEqual(
      new Map([
        [recipient, true],
        [accountant, false],
      ]),
    );
  });

  it('listMessages returns nothing of a document of another business and of an unplanned one', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    await delivery.inState(invoice, 'sent');
    const nothing = { messages: [] };
    expect(await list(invoice, randomUUID())).toEqual(nothing);
    expect(await list({ ...invoice, id: randomUUID() })).toEqual(nothing);
  });
});
