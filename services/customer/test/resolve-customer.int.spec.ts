import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CustomerUnderTest, conflictOf, startCustomer } from './customer.js';

/** A valid tax id, and one that is valid when padded. */
const taxIds = { first: '777777715', second: '777777723', short: '12344' } as const;

describe('the customer of a request', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

  it('with a new name is answered as the request said it', async () => {
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

  it('with a new name said twenty times at the same moment is one card', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { id } = await customer.resolve({ name: index % 2 ? 'Twin  Customer' : 'twin customer ' });
        return id;
      }),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('with a new name and a new tax id said twenty times at the same moment is one card', async () => {
    const said = { name: 'Twenty At Once', tax_id: '520000001' };
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await customer.resolve(said)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it('with a known name is that card, whatever the letter case, the spaces and the composition', async () => {
    const first = await customer.issueTo({ name: 'Known Caf\u00e9', email: 'known@example.com' });
    expect(await customer.resolve({ name: '  KNOWN   cafe\u0301' })).toEqual({
      ...first,
      name: '  KNOWN   cafe\u0301',
    });
  });

  it('with a known name has from the card what the request did not say', async () => {
    await customer.issueTo({ name: 'Half Said', email: 'card@example.com', city: 'Haifa' });
    expect(await customer.resolve({ name: 'Half Said', city: 'Eilat' })).toMatchObject({
      email: 'card@example.com',
      city: 'Eilat',
    });
  });

  it('by id is that card, and a name beside it is ignored', async () => {
    const { id } = await customer.issueTo({ name: 'By Id', city: 'Eilat' });
    expect(await customer.resolve({ id, name: 'Whatever' })).toMatchObject({
      id,
      name: 'By Id',
      city: 'Eilat',
    });
  });

  it('by the id of a document whose event has not come yet is found, and is not forgotten with it', async () => {
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

  it('by the id of nobody, or of another business, is not found', async () => {
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

  it('is another card in another business, even with the same name and tax id', async () => {
    const said = { name: 'Shared Name', tax_id: taxIds.first };
    const one = await customer.issueTo(said);
    const other = await customer.resolve(said, { businessId: randomUUID() });
    expect(other.id).not.toBe(one.id);
  });

  it('conflicts when the tax id stands on a card of another name, with or without leading zeros', async () => {
    const bearer = await customer.issueTo({ name: 'Bearer', tax_id: taxIds.short });
    expect(await conflictOf(customer.resolve({ name: 'Somebody Else', tax_id: '000012344' }))).toBe(
      bearer.id,
    );
    expect(await conflictOf(customer.resolve({ name: 'Somebody Else', tax_id: taxIds.short }))).toBe(
      bearer.id,
    );
  });

  it('by id conflicts when the tax id stands on another card, whether its own has none or another one', async () => {
    const bearer = await customer.issueTo({ name: 'Other Bearer', tax_id: '560000002' });
    const without = await customer.issueTo({ name: 'Without Tax Id' });
    const withAnother = await customer.issueTo({ name: 'With Another', tax_id: '570000000' });
    for (const { id } of [without, withAnother]) {
      expect(await conflictOf(customer.resolve({ id, tax_id: '560000002' }))).toBe(bearer.id);
    }
  });

  it('that conflicted leaves nothing behind', async () => {
    const documentId = randomUUID();
    await conflictOf(customer.resolve({ name: 'Left Nothing', tax_id: taxIds.short }, { documentId }));
    const cards = customer.db.selectFrom('card').select('id').where('name', '=', 'Left Nothing');
    expect(await cards.execute()).toEqual([]);
    expect(await customer.reservations(documentId)).toEqual([]);
  });

  it('goes on with the id that the conflict told', async () => {
    const bearer = await customer.issueTo({ name: 'Told In Conflict', tax_id: '530000009' });
    const id = await conflictOf(customer.resolve({ name: 'Misspelt', tax_id: '530000009' }));
    expect(await customer.resolve({ id: String(id), tax_id: '530000009' })).toEqual(bearer);
  });

  it('does not conflict with itself', async () => {
    const first = await customer.issueTo({ name: 'Own Tax Id', tax_id: taxIds.second });
    expect(await customer.resolve({ name: 'own tax id', tax_id: taxIds.second })).toMatchObject({
      id: first.id,
      tax_id: taxIds.second,
    });
  });

  it('opens a card of its own once the identity is confirmed, and is no conflict afterwards', async () => {
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

  it('uses the existing card of the name once the identity is confirmed', async () => {
    await customer.issueTo({ name: 'First Bearer', tax_id: '590000006' });
    const named = await customer.issueTo({ name: 'Named And Known', city: 'Haifa' });
    expect(
      await customer.resolve({ name: 'Named And Known', tax_id: '590000006', identity_confirmed: true }),
    ).toMatchObject({ id: named.id, tax_id: '590000006', city: 'Haifa' });
  });

  it('bears the tax id that the request said although the card has another, and the card keeps its own', async () => {
    const { id } = await customer.issueTo({ name: 'Two Tax Ids', tax_id: '510000003' });
    expect((await customer.issueTo({ id, tax_id: '580000008' })).tax_id).toBe('580000008');
    expect((await customer.resolve({ id })).tax_id).toBe('510000003');
    // It stands nowhere, so whoever says it next is no conflict.
    expect((await customer.resolve({ name: 'Says It Next', tax_id: '580000008' })).tax_id).toBe('580000008');
  });
});
