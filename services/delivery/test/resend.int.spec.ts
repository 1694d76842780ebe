import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  auditDeliveries,
  type Business,
  type IssuedDocument,
  listDeliveryFailures,
  listDeliveryStates,
  listUndelivered,
  resendDelivery,
  sendMessage,
} from '@pinkas/contracts';
import { eventually, readTrail } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const second = 1_000;
const hour = 3_600 * second;

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery();
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('resendDelivery', () => {
  /** A mail of which no one knows whether it was taken, twice. */
  const issueUnknown = async (
    recipient: string,
    change?: { document?: Partial<IssuedDocument>; business?: Partial<Business> },
  ) => {
    await delivery.mailbox.mode('drop_after_data');
    const invoice = await delivery.issueReady(recipient, change);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'failed');
    await delivery.mailbox.mode('ok');
    return invoice;
  };
  const resend = (invoice: IssuedDocument) =>
    delivery.network.call(resendDelivery, { document_id: invoice.id });
  const audit = async (invoice: IssuedDocument) => {
    const { documents } = await delivery.network.call(auditDeliveries, {
      business_id: invoice.business_id,
      document_ids: [invoice.id],
    });
    return documents[0];
  };

  it('listDeliveryFailures returns document, recipient, reason and attempts of a failed message', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issueUnknown(recipient, { document: { number: 77 } });
    const [row] = await delivery.rows(invoice);
    const { failures } = await delivery.network.call(listDeliveryFailures, {
      business_id: invoice.business_id,
    });
    expect(failures[0]).toEqual({
      delivery_id: row?.id,
      business_id: invoice.business_id,
      document_id: invoice.id,
      document_type: 'tax_invoice',
      document_number: 77,
      channel: 'email',
      purpose: 'customer',
      recipient,
      suppressed_address: null,
      reason: row?.last_error,
      attempts: 2,
      failed_at: row?.failed_at?.toISOString(),
    });
    const everywhere = await delivery.network.call(listDeliveryFailures, {});
    expect(everywhere.failures).toContainEqual(failures[0]);
    const elsewhere = await delivery.network.call(listDeliveryFailures, { business_id: randomUUID() });
    expect(elsewhere).toEqual({ failures: [], next_after: null });
  });

  it('listDeliveryFailures lists every failure on exactly one page', async () => {
    const business = randomUUID();
    const invoice = await issueUnknown(delivery.newRecipient(), { document: { business_id: business } });
    const [row] = await delivery.rows(invoice);
    if (!row) {
      throw new Error('no message');
    }
    await delivery.database.db
      .insertInto('delivery')
      .values(
        Array.from({ length: 299 }, () => ({
          ...row,
          id: randomUUID(),
          recipient: delivery.newRecipient(),
          facts: JSON.stringify(row.facts),
          reminder: null,
          trace: null,
        })),
      )
      .execute();
    const first = await delivery.network.call(listDeliveryFailures, { business_id: business });
    const second = await delivery.network.call(listDeliveryFailures, {
      business_id: business,
      ...(first.next_after ? { after: first.next_after } : {}),
    });
    expect(second.next_after).toBeNull();
    const ids = [...first.failures, ...second.failures].map(({ delivery_id: id }) => id);
    expect(new Set(ids).size).toBe(300);
  });

  it('listUndelivered lists the documents of which nothing reached the customer, and listDeliveryStates what became of each', async () => {
    const business_id = randomUUID();
    const change = { document: { business_id } };
    const failed = await issueUnknown(delivery.newRecipient(), change);
    const sentLater = await issueUnknown(delivery.newRecipient(), change);
    const undelivered = async () =>
      (await delivery.network.call(listUndelivered, { business_id })).document_ids;
    const states = async () => {
      const document_ids = [failed.id, sentLater.id, randomUUID()];
      const { documents } = await delivery.network.call(listDeliveryStates, { business_id, document_ids });
      return new Map(documents.map(({ document_id, state }) => [document_id, state]));
    };
    expect(new Set(await undelivered())).toEqual(new Set([failed.id, sentLater.id]));
    const key = { business_id, document_id: sentLater.id };
    const message = {
      ...key,
      delivery_id: randomUUID(),
      channel: 'email',
      recipient: delivery.newRecipient(),
    } as const;
    await delivery.network.call(sendMessage, message);
    await eventually('the message is sent', async () => (await states()).get(sentLater.id) === 'sent');
    expect(await undelivered()).toEqual([failed.id]);
    // A failure that another message has made good needs no one.
    const { failures } = await delivery.network.call(listDeliveryFailures, { business_id });
    expect(failures.map(({ document_id }) => document_id)).toEqual([failed.id]);
    expect(await states()).toEqual(
      new Map([
        [failed.id, 'failed'],
        [sentLater.id, 'sent'],
      ]),
    );
    const other = { business_id: randomUUID() };
    expect(await delivery.network.call(listUndelivered, other)).toEqual({ document_ids: [] });
    const foreign = { ...other, document_ids: [failed.id] };
    expect(await delivery.network.call(listDeliveryStates, foreign)).toEqual({ documents: [] });
  });

  it('resendDelivery sends a failed message under the same id', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issueUnknown(recipient);
    const before = await delivery.inState(invoice, 'failed');
    expect(await resend(invoice)).toEqual({
      resent: 1,
      suppressed: 0,
      messages: [expect.objectContaining({ delivery_id: before.id, state: 'ready', ended_at: null })],
    });
    await delivery.inState(invoice, 'sent');
    const mails = await delivery.mailbox.mailTo(recipient);
    expect(mails.map((mail) => mail.message_id)).toEqual(Array(3).fill(before.message_id));
    const { failures } = await delivery.network.call(listDeliveryFailures, {
      business_id: invoice.business_id,
    });
    expect(failures.map(({ document_id: id }) => id)).not.toContain(invoice.id);
    expect(await audit(invoice)).toEqual({
      document_id: invoice.id,
      messages: [
        {
          delivery_id: before.id,
          channel: 'email',
          purpose: 'customer',
          recipient,
          state: 'sent',
          next_attempt_at: null,
          not_before: null,
          held_until: null,
          follow_up: false,
          requested: false,
          ended_at: delivery.clock.now.toISOString(),
          reason: null,
          accepted: 1,
          unknown: 2,
          without_number: 3,
          resends: 1,
        },
      ],
    });
    const trail = await readTrail(delivery.database, invoice.business_id);
    expect(trail.filter(({ subject }) => subject === invoice.id)).toEqual([
      {
        action: 'delivery.resend',
        actor: 'operator',
        subject: invoice.id,
        before: null,
        after: { messages: 1 },
      },
    ]);
  });

  it('resendDelivery restarts the retry schedule and the unknown outcomes', async () => {
    const invoice = await issueUnknown(delivery.newRecipient());
    delivery.advanceClock(30 * hour);
    await delivery.mailbox.mode('drop_after_data', 1);
    await resend(invoice);
    expect(await delivery.attempted(invoice, 1)).toMatchObject({
      state: 'ready',
      unknown_outcomes: 1,
      next_attempt_at: new Date(delivery.clock.now.getTime() + 5 * second),
    });
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect((await delivery.attempts(invoice)).map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'unknown'],
      [2, 'unknown'],
      [3, 'unknown'],
      [4, 'accepted'],
    ]);
  });

  it('resendDelivery defers a message to the end of the quiet hours', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await issueUnknown(recipient, {
      business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } },
    });
    const sentBefore = (await delivery.mailbox.mailTo(recipient)).length;
    const noon = delivery.clock.now;
    delivery.clock.now = new Date('2026-07-01T20:00:00Z');
    expect(await resend(invoice)).toMatchObject({
      resent: 1,
      messages: [
        {
          state: 'ready',
          not_before: '2026-07-02T04:00:00.000Z',
          next_attempt_at: '2026-07-02T04:00:00.000Z',
        },
      ],
    });
    delivery.clock.now = new Date('2026-07-02T03:59:00Z');
    await delivery.inState(await delivery.issueReady(delivery.newRecipient()), 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(sentBefore);
    delivery.clock.now = new Date('2026-07-02T04:00:00Z');
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(sentBefore + 1);
    expect(noon.getTime()).toBeLessThan(delivery.clock.now.getTime());
  });

  it('resendDelivery withdraws a failed message of a cancelled document', async () => {
    const recipient = delivery.newRecipient();
    const quote = await issueUnknown(recipient, { document: { type: 'quote' } });
    await delivery.cancel(quote);
    expect(await resend(quote)).toMatchObject({
      resent: 0,
      messages: [{ state: 'withdrawn', reason: 'The document was cancelled.' }],
    });
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
  });

  it('resendDelivery resends failed messages only and returns the status of the others', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    const row = await delivery.inState(invoice, 'sent');
    expect(await resend(invoice)).toMatchObject({
      resent: 0,
      messages: [{ state: 'sent', ended_at: row.sent_at?.toISOString() }],
    });
    const waiting = await delivery.issue(delivery.newRecipient());
    await delivery.planned(waiting);
    expect(await resend(waiting)).toMatchObject({ resent: 0, messages: [{ state: 'waiting' }] });
    const unsent = await delivery.issueReady(delivery.newRecipient(), { due: false });
    await eventually(
      'the PDF is recorded',
      async () => (await resend(unsent).catch(() => null))?.messages.length === 0,
    );
  });

  it('resendDelivery resends the messages of its own business only, in the name of the person', async () => {
    const invoice = await issueUnknown(delivery.newRecipient());
    const personId = randomUUID();
    const resendOf = (businessId: string) =>
      delivery.network.call(resendDelivery, {
        document_id: invoice.id,
        business_id: businessId,
        person_id: personId,
      });
    await expect(resendOf(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await delivery.inState(invoice, 'failed');
    expect(await resendOf(invoice.business_id)).toMatchObject({ resent: 1 });
    await delivery.inState(invoice, 'sent');
    const trail = await readTrail(delivery.database, invoice.business_id);
    expect(trail.filter(({ subject }) => subject === invoice.id)).toMatchObject([
      { action: 'delivery.resend', actor: `person:${personId}` },
    ]);
  });

  it('resendDelivery reports not_found for an unplanned document', async () => {
    await expect(delivery.network.call(resendDelivery, { document_id: randomUUID() })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('auditDeliveries returns messages of its own business only', async () => {
    const invoice = await delivery.issueReady(delivery.newRecipient());
    await delivery.inState(invoice, 'sent');
    const other = await delivery.network.call(auditDeliveries, {
      business_id: randomUUID(),
      document_ids: [invoice.id],
    });
    expect(other.documents).toEqual([{ document_id: invoice.id, messages: [] }]);
    const unknown = randomUUID();
    const { documents } = await delivery.network.call(auditDeliveries, {
      business_id: invoice.business_id,
      document_ids: [unknown, invoice.id],
    });
    expect(documents).toMatchObject([
      { document_id: unknown, messages: [] },
      { document_id: invoice.id, messages: [{ accepted: 1, unknown: 0 }] },
    ]);
  });
});
