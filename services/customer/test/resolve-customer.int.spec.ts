import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Problem } from '@pinkas/service-kit';
import { type CustomerUnderTest, startCustomer } from './customer.js';

/** Two valid tax ids, and one that is valid when padded. */
const taxIds = { first: '777777715', second: '777777723', short: '12344' } as const;

describe('the customer of a request', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

  const conflictOf = async (attempt: Promise<unknown>): Promise<unknown> => {
    const problem = await attempt.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(Problem);
    expect((problem as Problem).code).toBe('customer_identity_conflict');
    return (problem as Problem).details?.existing_customer_id;
  };

  it('with a new name is answered as the request said it', async () => {
    const said = {
      name: 'Nova Ltd',
      tax_id: '550000004',
      legal_type: 'hevra_baam',
      email: 'nova@example.com',
      phone: '03-1234567',
      address: 'Street 1',
      city: 'Haifa',
    } as const;
    expect(await customer.resolve(said)).toEqual({ id: expect.any(String), ...said });
  });

  it('with a new name said twice at the same moment is one card', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const { id } = await customer.resolve({ name: index % 2 ? 'Twin  Customer' : 'twin customer ' });
        return id;
      }),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('with a known name is that card, whatever the letter case and the spaces', async () => {
    const first = await customer.issueTo({ name: 'Known Customer', email: 'known@example.com' });
    expect(await customer.resolve({ name: '  KNOWN   customer' })).toEqual({
      ...first,
      name: '  KNOWN   customer',
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

  it('by the id of nobody, of another business, or of a mere reservation is not found', async () => {
    const real = await customer.issueTo({ name: 'Real Customer' });
    const reserved = await customer.resolve({ name: 'Only Reserved' });
    for (const [id, businessId] of [
      [randomUUID(), customer.business.id],
      [real.id, randomUUID()],
      [reserved.id, customer.business.id],
    ] as const) {
      await expect(customer.resolve({ id }, businessId)).rejects.toMatchObject({
        code: 'customer_not_found',
      });
    }
  });

  it('is another card in another business, even with the same name and tax id', async () => {
    const said = { name: 'Shared Name', tax_id: taxIds.first };
    const one = await customer.issueTo(said);
    const other = await customer.resolve(said, randomUUID());
    expect(other.id).not.toBe(one.id);
  });

  it('conflicts when the tax id stands on a card of another name, with or without leading zeros', async () => {
    const bearer = await customer.issueTo({ name: 'Bearer', tax_id: taxIds.short });
    expect(await conflictOf(customer.resolve({ name: 'Somebody Else', tax_id: '000012344' }))).toBe(
      bearer.id,
    );
    const without = await customer.issueTo({ name: 'Without Tax Id' });
    expect(await conflictOf(customer.resolve({ id: without.id, tax_id: taxIds.short }))).toBe(bearer.id);
  });

  it('that conflicted leaves no reservation behind', async () => {
    await conflictOf(customer.resolve({ name: 'Left Nothing', tax_id: taxIds.short }));
    const rows = await customer.database.db
      .selectFrom('card')
      .select('id')
      .where('name', '=', 'Left Nothing')
      .execute();
    expect(rows).toEqual([]);
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
    expect(await conflictOf(customer.resolve({ name: 'Third', tax_id: '777777731' }))).toBe(first.id);
  });

  it('bears the tax id that the request said although the card has another', async () => {
    const { id } = await customer.issueTo({ name: 'Two Tax Ids', tax_id: '510000003' });
    expect((await customer.resolve({ id, tax_id: '580000008' })).tax_id).toBe('580000008');
    expect((await customer.resolve({ id })).tax_id).toBe('510000003');
  });

  it('conflicts when two new names come at once with one new tax id: exactly one is served', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        customer.resolve({ name: `Racer ${index}`, tax_id: '540000007' }),
      ),
    );
    const served = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(served).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({
          code: 'customer_identity_conflict',
          details: { existing_customer_id: served[0]?.value.id },
        });
      }
    }
  });

  it('may have the tax id of a request that issued nothing, once that request is over', async () => {
    await customer.resolve({ name: 'Given Up', tax_id: '512345679' });
    await conflictOf(customer.resolve({ name: 'Next In Line', tax_id: '512345679' }));
    customer.clock.now = new Date(customer.clock.now.getTime() + 60_000);
    await expect(customer.resolve({ name: 'Next In Line', tax_id: '512345679' })).resolves.toMatchObject({
      tax_id: '512345679',
    });
  });
});
