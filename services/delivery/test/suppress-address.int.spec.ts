import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type IssuedDocument,
  listSuppressions,
  resendDelivery,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

describe('an address that is suppressed', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());
  afterEach(() => delivery.mailbox.mode('ok'));

  const suppress = (address: string, words: string | null = null) =>
    delivery.network.ask(suppressAddress, { business_id: delivery.business.id, address, words });
  const unsuppress = (address: string) =>
    delivery.network.ask(unsuppressAddress, { business_id: delivery.business.id, address });
  const suppressions = async () =>
    (await delivery.network.ask(listSuppressions, { business_id: delivery.business.id })).suppressions;
  const resend = (invoice: IssuedDocument) =>
    delivery.network.ask(resendDelivery, { document_id: invoice.id });
  const issueReady = async (
    recipient: string,
    change?: { document?: Partial<IssuedDocument>; business?: Partial<Business> },
  ) => {
    const invoice = await delivery.issue(recipient, change);
    await delivery.planned(invoice);
    await delivery.render(invoice);
    return invoice;
  };
  const where = (invoice: IssuedDocument, state: string) =>
    delivery.rowWhere(invoice, `it is ${state}`, (row) => row.state === state);

  it('is not written to, in whatever letter case, until it is let in again', async () => {
    const recipient = delivery.newRecipient();
    const told = await suppress(recipient.toUpperCase(), 'The customer asked for it.');
    expect(told).toEqual({
      business_id: delivery.business.id,
      channel: 'email',
      address: recipient,
      reason: 'blocked',
      words: 'The customer asked for it.',
      since: delivery.clock.now.toISOString(),
    });
    expect(await suppressions()).toContainEqual(told);
    // Saying it again changes nothing.
    expect(await suppress(recipient)).toEqual(told);
    const invoice = await issueReady(`Customer${recipient.slice(8)}`);
    expect(await delivery.planned(invoice)).toEqual({
      status: 'suppressed',
      channel: null,
      scheduled_for: null,
    });
    expect(await delivery.rows(invoice)).toEqual([]);

    expect(await unsuppress(recipient)).toEqual(told);
    expect(await suppressions()).not.toContainEqual(told);
    await where(await issueReady(recipient), 'sent');
  });

  it('of one business is written to by another', async () => {
    const recipient = delivery.newRecipient();
    await suppress(recipient);
    const other = await issueReady(recipient, { document: { business_id: randomUUID() } });
    await where(other, 'sent');
    expect(await suppressions()).toHaveLength(
      (await suppressions()).filter(({ business_id: id }) => id === delivery.business.id).length,
    );
    const everywhere = await delivery.network.ask(listSuppressions, {});
    expect(everywhere.suppressions.map(({ address }) => address)).toContain(recipient);
  });

  it('after its message was planned lets that message fail in sight, before rendering gives the PDF away', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.planned(invoice);
    await suppress(recipient);
    await delivery.render(invoice);
    expect(await where(invoice, 'failed')).toMatchObject({ last_error: 'The address is suppressed.' });
    expect(delivery.handedOver).not.toContain(invoice.id);
    expect(await delivery.attempts(invoice)).toEqual([]);
    await eventually('the announcement', () => delivery.failedOf(invoice)[0]);

    // Sending it again does not help as long as it is suppressed.
    expect(await resend(invoice)).toMatchObject({
      resent: 0,
      messages: [{ state: 'failed', reason: 'The address is suppressed.' }],
    });
    await unsuppress(recipient);
    expect(await resend(invoice)).toMatchObject({ resent: 1 });
    await where(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it("is not written to with the accountant's copy either, which fails in sight", async () => {
    const accountant = delivery.newRecipient();
    await suppress(accountant);
    const invoice = await issueReady(delivery.newRecipient(), {
      document: { send: false },
      business: { accountant_copy: { enabled: true, email: accountant } },
    });
    expect(await where(invoice, 'failed')).toMatchObject({
      purpose: 'accountant',
      last_error: 'The address is suppressed.',
    });
    expect(await delivery.mailbox.mailTo(accountant)).toEqual([]);
  });

  it('is so by itself when its server says that nobody is there', async () => {
    await delivery.mailbox.mode('refuse', 1);
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    const row = await where(invoice, 'failed');
    expect(await suppressions()).toContainEqual({
      business_id: delivery.business.id,
      channel: 'email',
      address: recipient,
      reason: 'bounced',
      words: row.last_error,
      since: delivery.clock.now.toISOString(),
    });
    expect(await delivery.planned(await issueReady(recipient))).toMatchObject({ status: 'suppressed' });
    await unsuppress(recipient);
    await resend(invoice);
    await where(invoice, 'sent');
  });

  it('is not so when its server refuses for now', async () => {
    await delivery.mailbox.mode('temporary', 1);
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect((await suppressions()).map(({ address }) => address)).not.toContain(recipient);
  });

  it('may be a phone number, and must be one or the other', async () => {
    const phone = delivery.newPhone();
    expect(await suppress(`0${phone.slice(4)}`)).toMatchObject({ channel: 'whatsapp', address: phone });
    for (const ask of [suppress, unsuppress]) {
      await expect(ask('nobody')).rejects.toMatchObject({
        code: 'validation_error',
        details: {
          errors: [{ path: '/address', message: 'is no mail address and no phone number' }],
        },
      });
    }
    await expect(unsuppress(delivery.newRecipient())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is listed once, however many there are', async () => {
    const business = randomUUID();
    await delivery.database.db
      .insertInto('suppression')
      .values(
        Array.from({ length: 250 }, () => ({
          business_id: business,
          channel: 'email' as const,
          address: delivery.newRecipient(),
          reason: 'blocked' as const,
          words: null,
          since: delivery.clock.now,
        })),
      )
      .execute();
    const first = await delivery.network.ask(listSuppressions, { business_id: business });
    const second = await delivery.network.ask(listSuppressions, {
      business_id: business,
      ...(first.next_after ? { after: first.next_after } : {}),
    });
    expect(second.next_after).toBeNull();
    const addresses = [...first.suppressions, ...second.suppressions].map(({ address }) => address);
    expect(new Set(addresses).size).toBe(250);
  });
});
