import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

describe('PlanDelivery', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());

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

  it('PlanDelivery publishes a plan only where the response says another outcome', async () => {
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
          .selectFrom('rendered_document')
          .selectAll()
          .where('document_id', '=', invoice.id)
          .executeTakeFirst(),
      );
      expect(await delivery.rows(invoice)).toEqual([]);
      expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    },
  );

  it('PlanDelivery returns no_recipient without an address', async () => {
    const invoice = await delivery.issue(null);
    expect((await delivery.planned(invoice)).status).toBe('no_recipient');
  });

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

  it("PlanDelivery sends the accountant's copy although the caller suppressed the email", async () => {
    const accountant = delivery.newRecipient();
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient, {
      document: { send: false },
      business: { accountant_copy: { enabled: true, email: accountant } },
    });
    expect((await delivery.planned(invoice)).status).toBe('suppressed');
    await delivery.render(invoice);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(accountant)).toHaveLength(1);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
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
