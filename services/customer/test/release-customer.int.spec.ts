import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CustomerUnderTest, startCustomer } from './customer.js';

describe('ReleaseCustomer', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

  it('ReleaseCustomer deletes the reserved card and frees its tax id', async () => {
    const documentId = randomUUID();
    const { id } = await customer.resolve({ name: 'Never Issued', tax_id: '777777715' }, { documentId });
    expect(await customer.reservations(documentId)).toEqual([{ card_id: id, tax_id: '777777715' }]);
    await customer.release(documentId);
    expect(await customer.card(id)).toBeUndefined();
    expect(await customer.reservations(documentId)).toEqual([]);
    expect(await customer.resolve({ name: 'Somebody Else', tax_id: '777777715' })).toMatchObject({
      tax_id: '777777715',
    });
  });

  it('ReleaseCustomer succeeds when it is repeated and when nothing is reserved', async () => {
    const documentId = randomUUID();
    await customer.resolve({ name: 'Released Twice' }, { documentId });
    await customer.release(documentId);
    await expect(customer.release(documentId)).resolves.toBeUndefined();
    await expect(customer.release(randomUUID())).resolves.toBeUndefined();
  });

  it('ReleaseCustomer keeps what another document has reserved', async () => {
    const said = { name: 'Shared By Two', tax_id: '777777723' };
    const other = { name: 'Third Name', tax_id: '777777723' };
    const [one, two] = [randomUUID(), randomUUID()];
    const { id } = await customer.resolve(said, { documentId: one });
    expect((await customer.resolve(said, { documentId: two })).id).toBe(id);

    await customer.release(one);
    expect(await customer.card(id)).toBeDefined();
    await expect(customer.resolve(other, { timeoutMs: 800 })).rejects.toMatchObject({ code: 'engine_error' });

    await customer.release(two);
    expect(await customer.card(id)).toBeUndefined();
    expect(await customer.resolve(other)).toMatchObject(other);
  });

  it('ReleaseCustomer keeps a card that another document was issued to', async () => {
    const [issued, refused] = [randomUUID(), randomUUID()];
    const snapshot = await customer.resolve({ name: 'Issued Once' }, { documentId: issued });
    await customer.resolve({ name: 'Issued Once' }, { documentId: refused });
    await customer.publishAndWait(snapshot, issued);
    await customer.release(refused);
    expect((await customer.card(snapshot.id))?.confirmed_at).not.toBeNull();
  });

  it('ReleaseCustomer leaves a known card as it was', async () => {
    const known = await customer.issueTo({ name: 'Known', city: 'Haifa' });
    const documentId = randomUUID();
    await customer.resolve({ id: known.id, tax_id: '550000004' }, { documentId });
    await customer.release(documentId);
    expect(await customer.card(known.id)).toMatchObject({ city: 'Haifa', tax_id: null });
  });

  it('ReleaseCustomer does not release the reservation of another business', async () => {
    const documentId = randomUUID();
    const { id } = await customer.resolve({ name: 'Not Yours' }, { documentId });
    await customer.release(documentId, randomUUID());
    expect(await customer.card(id)).toBeDefined();
    expect(await customer.reservations(documentId)).toHaveLength(1);
  });

  it('ReleaseCustomer never deletes a card that another request reserves concurrently', async () => {
    for (let round = 0; round < 25; round += 1) {
      const name = `Moment ${round}`;
      const [leaving, coming] = [randomUUID(), randomUUID()];
      await customer.resolve({ name }, { documentId: leaving });
      const [, snapshot] = await Promise.all([
        customer.release(leaving),
        customer.resolve({ name }, { documentId: coming }),
      ]);
      expect(await customer.card(snapshot.id)).toBeDefined();
      expect(await customer.reservations(coming)).toEqual([{ card_id: snapshot.id, tax_id: null }]);
    }
  });
});
