import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scrape } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

describe('DeliveryMetrics', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery();
  });
  afterAll(() => delivery.stop());

  const open = async (state: string) =>
    (await scrape(delivery.service)).get(`pinkas_deliveries_pending{state="${state}"}`);

  it('DeliveryMetrics reports unsent messages and their age', async () => {
    expect([await open('due'), await open('deferred'), await open('sending')]).toEqual([0, 0, 0]);
    await delivery.mailbox.mode('temporary');
    const invoice = await delivery.issue(delivery.newRecipient());
    await delivery.render(invoice);
    const row = await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect([await open('due'), await open('deferred')]).toEqual([0, 1]);
    expect((await scrape(delivery.service)).get('pinkas_deliveries_oldest_due_seconds')).toBe(0);
    // Nobody sends it, though its time has come.
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
