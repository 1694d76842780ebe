import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CustomerUnderTest, conflictOf, startCustomer } from './customer.js';

/** A valid tax id, and one that is valid when padded. */
const taxIds = { first: '777777715', second: '777777723', short: '12344' } as const;

describe('ResolveCustomer', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

  it('ResolveCustomer returns a new customer as the request describes it', async () => {
    const said = {
      name: 'Nova Example Ltd',
      tax_id: '550000004',
      legal_type: 'hevra_baam',
      email: 'customer@example.com',
      phone: '03-1234567',
      address: 'Street 1',
      city: 'Haifa',
    } as const;
    expect(await customer.resolve(said)).toEqual({ id: expect.any(String), ...said });
  });

  it('ResolveCustomer creates one card for twenty concurrent requests with a new name', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { id } = await customer.resolve({ name: index % 2 ? 'Twin  Customer' : 'twin customer ' });
        return id;
      }),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('ResolveCustomer creates one card for twenty concurrent requests with a new name and tax id', async () => {
    const said = { name: 'Twenty At Once', tax_id: '520000001' };
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await customer.resolve(said)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it('ResolveCustomer finds a card by name regardless of letter case, spaces and composition', async () => {
    const first = await customer.issueTo({ name: 'Known Caf\u00e9', email: 'known@example.com' });
    expect(await customer.resolve({ name: '  KNOWN   cafe\u0301' })).toEqual({
      ...first,
      name: '  KNOWN   cafe\u0301',
    });
  });

  it('ResolveCustomer fills in from the card what the request omits', async () => {
    await customer.issueTo({ name: 'Half Said', email: 'card@example.com', city: 'Haifa' });
    expect(await customer.resolve({ name: 'Half Said', city: 'Eilat' })).toMatchObject({
      email: 'card@example.com',
      city: 'Eilat',
    });
  });

  it('ResolveCustomer resolves by id and ignores the name', async () => {
    const { id } = await customer.issueTo({ name: 'By Id', city: 'Eilat' });
    expect(await customer.resolve({ id, name: 'Whatever' })).toMatchObject({
      id,
      name: 'By Id',
      city: 'Eilat',
    });
  });

  it('ResolveCustomer finds a reserved card by id and keeps it while a document holds it', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const reserved = await customer.resolve({ name: 'Just Issued' }, { documentId: first });
    const again = await customer.resolve({ id: reserved.id }, { documentId: second });
    expect(again).toMatchObject({ id: reserved.id, name: 'Just Issued' });
    await customer.release(first);
    expect(await customer.card(reserved.id)).toBeDefined();
    await customer.release(second);
    expect(await customer.card(reserved.id)).toBeUndefined();
    await expect(customer.resolve({ id: reserved.id })).rejects.toMatchObject({ code: 'customer_not_found' });
  });

  it('ResolveCustomer reports customer_not_found for an unknown id and for one of another business', async () => {
    const real = await customer.issueTo({ name: 'Real Customer' });
    for (const [id, businessId] of [
      [randomUUID(), customer.business.id],
      [real.id, randomUUID()],
    ] as const) {
      await expect(customer.resolve({ id }, { businessId })).rejects.toMatchObject({
        code: 'customer_not_found',
      });
    }
  });

  it('ResolveCustomer uses separate cards for the same customer of two businesses', async () => {
    const said = { name: 'Shared Name', tax_id: taxIds.first };
    const one = await customer.issueTo(said);
    const other = await customer.resolve(said, { businessId: randomUUID() });
    expect(other.id).not.toBe(one.id);
  });

  it('ResolveCustomer reports a conflict when a card of another name has the tax id, with or without leading zeros', async () => {
    const holder = await customer.issueTo({ name: 'Bearer', tax_id: taxIds.short });
    expect(await conflictOf(customer.resolve({ name: 'Somebody Else', tax_id: '000012344' }))).toBe(
      holder.id,
    );
    expect(await conflictOf(customer.resolve({ name: 'Somebody Else', tax_id: taxIds.short }))).toBe(
      holder.id,
    );
  });

  it('ResolveCustomer reports a conflict by id when another card has the tax id', async () => {
    const holder = await customer.issueTo({ name: 'Other Bearer', tax_id: '560000002' });
    const without = await customer.issueTo({ name: 'Without Tax Id' });
    const withAnother = await customer.issueTo({ name: 'With Another', tax_id: '570000000' });
    for (const { id } of [without, withAnother]) {
      expect(await conflictOf(customer.resolve({ id, tax_id: '560000002' }))).toBe(holder.id);
    }
  });

  it('ResolveCustomer stores nothing after a conflict', async () => {
    const documentId = randomUUID();
    await conflictOf(customer.resolve({ name: 'Left Nothing', tax_id: taxIds.short }, { documentId }));
    const cards = customer.db.selectFrom('card').select('id').where('name', '=', 'Left Nothing');
    expect(await cards.execute()).toEqual([]);
    expect(await customer.reservations(documentId)).toEqual([]);
  });

  it('ResolveCustomer accepts the id that a conflict returned', async () => {
    const holder = await customer.issueTo({ name: 'In Conflict', tax_id: '530000009' });
    const id = await conflictOf(customer.resolve({ name: 'Misspelt', tax_id: '530000009' }));
    expect(await customer.resolve({ id: String(id), tax_id: '530000009' })).toEqual(holder);
  });

  it('ResolveCustomer reports no conflict of a card with itself', async () => {
    const first = await customer.issueTo({ name: 'Own Tax Id', tax_id: taxIds.second });
    expect(await customer.resolve({ name: 'own tax id', tax_id: taxIds.second })).toMatchObject({
      id: first.id,
      tax_id: taxIds.second,
    });
  });

  it('ResolveCustomer creates a card with a shared tax id once the identity is confirmed', async () => {
    const first = await customer.issueTo({ name: 'Elder', tax_id: '777777731' });
    customer.clock.now = new Date(customer.clock.now.getTime() + 1_000);
    const second = await customer.issueTo({
      name: 'Younger',
      tax_id: '777777731',
      identity_confirmed: true,
    });
    expect(second.id).not.toBe(first.id);
    expect((await customer.card(second.id))?.tax_id).toBe('777777731');
    expect((await customer.resolve({ name: 'Younger', tax_id: '777777731' })).id).toBe(second.id);
    expect((await customer.resolve({ name: 'Elder', tax_id: '777777731' })).id).toBe(first.id);
    expect(await conflictOf(customer.resolve({ name: 'Third', tax_id: '777777731' }))).toBe(first.id);
  });

  it('ResolveCustomer uses the existing card of the name once the identity is confirmed', async () => {
    await customer.issueTo({ name: 'First Bearer', tax_id: '590000006' });
    const named = await customer.issueTo({ name: 'Named And Known', city: 'Haifa' });
    expect(
      await customer.resolve({ name: 'Named And Known', tax_id: '590000006', identity_confirmed: true }),
    ).toMatchObject({ id: named.id, tax_id: '590000006', city: 'Haifa' });
  });

  it('ResolveCustomer returns the tax id of the request and leaves the one of the card', async () => {
    const { id } = await customer.issueTo({ name: 'Two Tax Ids', tax_id: '510000003' });
    expect((await customer.issueTo({ id, tax_id: '580000008' })).tax_id).toBe('580000008');
    expect((await customer.resolve({ id })).tax_id).toBe('510000003');
    // No card has it, so the next request with it is no conflict.
    expect((await customer.resolve({ name: 'Says It Next', tax_id: '580000008' })).tax_id).toBe('580000008');
  });
});
