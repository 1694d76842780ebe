import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PurgeReservations } from '../src/card/purge-reservations.js';
import { type CustomerUnderTest, startCustomer } from './customer.js';

describe('a reservation that never became a customer', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

  it('is forgotten after an hour, while customers and fresh reservations stay', async () => {
    const purge = customer.service.app.get(PurgeReservations);
    const stale = await customer.resolve({ name: 'Stale', tax_id: '777777715' });
    const real = await customer.issueTo({ name: 'Real' });
    await purge.purge();
    expect(await customer.card(stale.id)).toBeDefined();

    customer.clock.now = new Date(customer.clock.now.getTime() + 62 * 60 * 1000);
    const fresh = await customer.resolve({ name: 'Fresh' });
    await purge.purge();
    expect(await customer.card(stale.id)).toBeUndefined();
    expect(await customer.card(real.id)).toBeDefined();
    expect(await customer.card(fresh.id)).toBeDefined();
    expect(await customer.db.selectFrom('reservation').select('card_id').execute()).toEqual([
      { card_id: fresh.id },
    ]);
  });
});
