import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

describe('the plan of an issued document', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());

  it('is announced at once, while the message waits for the final PDF', async () => {
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

  it.each([
    ['disabled', { business: { auto_send: { enabled: false, channel: 'email', quiet_hours: null } } }],
    ['suppressed', { document: { send: false } }],
  ] as const)('that is %s sends nothing, also when the PDF is there', async (status, change) => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient, change);
    expect(await delivery.planned(invoice)).toEqual({ status, channel: null, scheduled_for: null });
    await delivery.render(invoice);
    await eventually('the rendering is noted', () =>
      delivery.database.db
        .selectFrom('rendered')
        .selectAll()
        .where('document_id', '=', invoice.id)
        .executeTakeFirst(),
    );
    expect(await delivery.rows(invoice)).toEqual([]);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('without an address is no_recipient', async () => {
    const invoice = await delivery.issue(null);
    expect((await delivery.planned(invoice)).status).toBe('no_recipient');
  });

  it('in quiet hours is deferred to their end, and nothing leaves before', async () => {
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
    await delivery.rowWhere(invoice, 'the message is ready', (row) => row.state === 'ready');
    delivery.clock.now = new Date('2026-06-16T03:59:00Z');
    const other = delivery.newRecipient();
    const marker = await delivery.issue(other);
    await delivery.render(marker);
    await delivery.rowWhere(marker, 'another message is sent', (row) => row.state === 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);

    delivery.clock.now = new Date('2026-06-16T04:00:00Z');
    await delivery.rowWhere(invoice, 'the message is sent', (row) => row.state === 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it("sends the accountant's copy by its own setting, although the caller suppressed the mail", async () => {
    const accountant = delivery.newRecipient();
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient, {
      document: { send: false },
      business: { accountant_copy: { enabled: true, email: accountant } },
    });
    expect((await delivery.planned(invoice)).status).toBe('suppressed');
    await delivery.render(invoice);
    await delivery.rowWhere(invoice, 'the copy is sent', (row) => row.state === 'sent');
    expect(await delivery.mailbox.mailTo(accountant)).toHaveLength(1);
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it('is made once, and its message sent once, however often the events come', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.render(invoice);
    await delivery.rowWhere(invoice, 'the message is sent', (row) => row.state === 'sent');
    await delivery.redeliverAll();
    await delivery.render(invoice, 2);
    const marker = await delivery.issue(delivery.newRecipient());
    await delivery.render(marker);
    await delivery.rowWhere(marker, 'another message is sent', (row) => row.state === 'sent');
    expect(delivery.plannedOf(invoice)).toHaveLength(1);
    expect(await delivery.rows(invoice)).toHaveLength(1);
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    expect(delivery.sentOf(invoice)).toHaveLength(1);
  });
});
