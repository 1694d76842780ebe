import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const dayMs = 24 * 60 * 60 * 1000;

describe('the daily limit of messages', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery({ config: async () => ({ messagesPerBusinessAndDay: 5 }) });
  });
  afterAll(() => delivery.stop());

  it('messages beyond the limit of their business wait for the next day in Israel, and every one is sent once', async () => {
    const recipient = delivery.newRecipient();
    const documents = await Promise.all(Array.from({ length: 8 }, () => delivery.issue(recipient)));
    await Promise.all(documents.map((document) => delivery.render(document)));
    // Noon of 15 June; the next day begins at 21:00 UTC.
    const decided = await Promise.all(
      documents.map((document) =>
        delivery.rowWhere(
          document,
          'the message is sent or deferred',
          ({ state, not_before }) => state === 'sent' || not_before !== null,
        ),
      ),
    );
    const deferred = decided.filter(({ state }) => state !== 'sent');
    expect(deferred).toHaveLength(3);
    for (const row of deferred) {
      expect(row).toMatchObject({
        state: 'ready',
        attempts: 0,
        not_before: new Date('2026-06-15T21:00:00Z'),
      });
    }
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(5);

    // Another business has a limit of its own.
    const other = randomUUID();
    const elsewhere = await delivery.issue(delivery.newRecipient(), {
      document: { business_id: other },
      business: { id: other },
    });
    await delivery.render(elsewhere);
    await delivery.inState(elsewhere, 'sent');

    delivery.advanceClock(dayMs);
    for (const document of documents) {
      await delivery.inState(document, 'sent');
    }
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(8);
  });
});
