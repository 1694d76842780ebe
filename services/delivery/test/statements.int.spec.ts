import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type IssuedDocument,
  listMessages,
  messageEventDue,
  sendReminder,
  sendStatement,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { StatementPurger } from '../src/reminder/statement-purger.js';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const hourMs = 60 * 60 * 1000;

describe('messages that bring no PDF of their document', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());
  beforeEach(() => delivery.reset());

  const messagesOf = async ({ id }: IssuedDocument) =>
    (await delivery.network.call(listMessages, { business_id: delivery.business.id, document_id: id }))
      .messages;
  const refusedAt = (path: string) =>
    expect.objectContaining({
      code: 'validation_error',
      details: { errors: [expect.objectContaining({ path })] },
    });

  it('a statement and a reminder do not wait for the number of their document, and the reminder alone is an event for callers', async () => {
    const events = delivery.network.collect(messageEventDue);
    const document = await delivery.issue(delivery.newRecipient(), { due: false });
    delivery.debts.set(document.id, 7_080);
    const given = {
      business: { ...delivery.business, events: true },
      customer_id: document.customer.id,
      ...{ recipient: delivery.newRecipient(), subject: 'כרטסת', text: 'שלום,', person_id: randomUUID() },
    };
    const sent = (count: number) =>
      eventually(`${count} messages are sent`, async () => {
        const messages = await messagesOf(document);
        return messages.length === count && messages.every(({ state }) => state === 'sent');
      });
    await delivery.network.call(sendStatement, {
      ...{ ...given, document_id: document.id, statement_id: randomUUID() },
      ...{ as_of: '2026-06-15', closing: 7_080 },
      pdf: Buffer.from('%PDF-1.7 a statement').toString('base64'),
    });
    await sent(1);
    const reminder = { ...given, document_ids: [document.id], reminder_id: randomUUID() };
    expect(await delivery.network.call(sendReminder, reminder)).toMatchObject({
      ...{ state: 'ready', held_until: null },
    });
    await sent(2);
    await eventually('there is an event', () => events.length > 0);
    expect(events.map(({ type }) => type)).toEqual(['reminder.sent']);
  });

  it('a statement is kept as its hash a week after it was sent, and a business sends two hundred a day', async () => {
    const document = await delivery.issue(delivery.newRecipient(), { due: false });
    const pdf = Buffer.from(`%PDF-1.7 ${randomUUID()}`);
    const auto_send = { ...delivery.business.auto_send, quiet_hours: '11:00-14:00' };
    const send = (business: Business, statement_id: string) =>
      delivery.network.call(sendStatement, {
        ...{ business, customer_id: document.customer.id, document_id: document.id, statement_id },
        ...{ recipient: delivery.newRecipient(), person_id: randomUUID(), as_of: '2026-06-15', closing: 118 },
        ...{ subject: 'כרטסת', text: 'שלום,', pdf: pdf.toString('base64') },
      });
    const sent = randomUUID();
    await send(delivery.business, sent);
    await eventually('it is sent', async () => (await messagesOf(document))[0]?.state === 'sent');
    // The others wait for the end of the quiet hours.
    const quiet = { ...delivery.business, auto_send };
    for (let count = 1; count < 200; count += 1) {
      await send(quiet, randomUUID());
    }
    await expect(send(quiet, randomUUID())).rejects.toEqual(refusedAt('/recipient'));
    const purger = delivery.service.app.get(StatementPurger);
    const files = () =>
      delivery.database.db
        .selectFrom('statement_file')
        .select(['delivery_id', 'pdf', 'sha256'])
        .where('business_id', '=', delivery.business.id)
        .where('delivery_id', '=', sent)
        .execute();
    await purger.tickNow();
    expect(await files()).toEqual([{ delivery_id: sent, pdf, sha256: null }]);
    await delivery.database.db
      .updateTable('delivery')
      .set({ sent_at: new Date(delivery.clock.now.getTime() - 8 * 24 * hourMs) })
      .where('id', '=', sent)
      .execute();
    await purger.tickNow();
    const sha256 = createHash('sha256').update(pdf).digest();
    expect(await files()).toEqual([{ delivery_id: sent, pdf: null, sha256 }]);
  });
});
