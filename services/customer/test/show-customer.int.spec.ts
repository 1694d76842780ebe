import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { showCustomer } from '@pinkas/contracts';
import { type CustomerUnderTest, startCustomer } from './customer.js';

describe('ShowCustomer', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer?.stop());

  const show = async (customer_id: string, business_id = customer.business.id) =>
    (await customer.network.call(showCustomer, { business_id, customer_id })).customer;

  it('ShowCustomer returns all that is stored of a card, its address included', async () => {
    const said = {
      name: 'לקוח לדוגמה',
      tax_id: '777777715',
      legal_type: 'osek_murshe',
      email: 'customer@example.com',
      phone: '03-0000000',
      address: 'רחוב 1',
      city: 'חיפה',
    } as const;
    const { id } = await customer.issueTo(said);
    const card = await customer.card(id);
    expect(await show(id.toUpperCase())).toEqual({ id, ...said, created_at: card?.created_at.toISOString() });
  });

  it('ShowCustomer returns customer_not_found for a card that is unknown, only reserved, or of another business', async () => {
    const notFound = { code: 'customer_not_found' };
    const { id } = await customer.issueTo({ name: 'Of This Business' });
    const reserved = await customer.resolve({ name: 'Reserved Only' });
    await expect(show(randomUUID())).rejects.toMatchObject(notFound);
    await expect(show(reserved.id)).rejects.toMatchObject(notFound);
    await expect(show(id, randomUUID())).rejects.toMatchObject(notFound);
  });
});
