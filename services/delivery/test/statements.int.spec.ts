import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listMessages, sendReminder, sendStatement } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

describe('messages that bring no PDF of their document', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());
  beforeEach(() => delivery.reset());

  it('a reminder and a statement do not wait for the allocation number of their document', async () => {
    const document = await delivery.issue(delivery.newRecipient(), { due: false });
    delivery.debts.set(document.id, 7_080);
    const [business_id, document_id] = [delivery.business.id, document.id];
    const reminded = await delivery.network.call(sendReminder, {
      ...{ business: delivery.business, customer_id: document.customer.id, document_ids: [document_id] },
      ...{ reminder_id: randomUUID(), recipient: delivery.newRecipient(), subject: 'תזכורת', text: 'שלום,' },
    });
    expect(reminded).toMatchObject({ state: 'ready', held_until: null });
    await delivery.network.call(sendStatement, {
      business: delivery.business,
      customer_id: document.customer.id,
      document_id,
      ...{ statement_id: randomUUID(), recipient: delivery.newRecipient(), person_id: randomUUID() },
      ...{ as_of: '2026-06-15', closing: 7_080, subject: 'כרטסת', text: 'שלום,' },
      pdf: Buffer.from('%PDF-1.7 a statement').toString('base64'),
    });
    await eventually('both are sent', async () => {
      const { messages } = await delivery.network.call(listMessages, { business_id, document_id });
      return messages.length === 2 && messages.every(({ state }) => state === 'sent');
    });
  });
});
