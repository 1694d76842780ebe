import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReservationPurger } from '../src/card/reservation-purger.js';
import { type CustomerUnderTest, startCustomer } from './customer.js';

describe('ReservationPurger', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

  it('ReservationPurger deletes an unused reservation after an hour and keeps customers and fresh reservations', async () => {
    const purge = customer.service.app.get(ReservationPurger);
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
