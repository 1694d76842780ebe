import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { auditCustomers, createCustomer, type RequestOf } from '@pinkas/contracts';
import { exampleBusiness, readTrail } from '@pinkas/testkit';
import { type CustomerUnderTest, startCustomer } from './customer.js';

/** A valid tax id with four leading zeros. */
const paddedTaxId = '000012344';
type Input = RequestOf<typeof createCustomer>['customer'];

let customer: CustomerUnderTest;
beforeAll(async () => {
  customer = await startCustomer();
});
afterAll(() => customer?.stop());
beforeEach(() => {
  customer.business = exampleBusiness();
});

describe('createCustomer', () => {
  const create = async (input: Input, id: string = randomUUID(), person_id: string = randomUUID()) =>
    (
      await customer.network.call(createCustomer, {
        business_id: customer.business.id,
        customer_id: id,
        customer: input,
        person_id,
      })
    ).customer;

  it('createCustomer opens a card that documents find, once for the same id, with a trail', async () => {
    const [id, person_id] = [randomUUID(), randomUUID()];
    const input = { name: `  By Hand ${id} `, tax_id: '12344', email: 'hand@example.com', city: ' ' };
    const opened = await create(input, id, person_id);
    expect(opened).toMatchObject({ id, name: `By Hand ${id}`, tax_id: paddedTaxId, city: null });
    expect(await create(input, id, person_id)).toEqual(opened);
    expect(await customer.resolve({ name: `by hand ${id}` })).toMatchObject({
      id,
      email: 'hand@example.com',
    });
    expect(
      (await readTrail(customer.database, customer.business.id)).filter(({ subject }) => subject === id),
    ).toMatchObject([
      {
        action: 'customer.create',
        actor: `person:${person_id}`,
        before: null,
        after: { name: `By Hand ${id}`, tax_id: paddedTaxId, email: 'hand@example.com' },
      },
    ]);
  });

  it('createCustomer refuses a name or a tax id that another customer has, and a wrong check digit', async () => {
    const { id } = await customer.issueTo({ name: 'Known Customer', tax_id: paddedTaxId });
    await expect(create({ name: 'known  customer' })).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/customer/name' }] },
    });
    await expect(create({ name: 'Another Customer', tax_id: paddedTaxId })).rejects.toMatchObject({
      code: 'customer_identity_conflict',
      details: { existing_customer_id: id },
    });
    await expect(create({ name: 'Another Customer', tax_id: '123456789' })).rejects.toMatchObject({
      code: 'invalid_customer_tax_id',
    });
  });

  it('createCustomer takes the card that a request in flight has reserved under the name, and the request keeps it', async () => {
    const documentId = randomUUID();
    const reserved = await customer.resolve({ name: 'In Flight' }, { documentId });
    const [id, input] = [randomUUID(), { name: 'In Flight', tax_id: paddedTaxId, city: 'חיפה' }];
    const opened = await create(input, id);
    expect(opened.id).toBe(reserved.id);
    expect(await create(input, id)).toEqual(opened);
    await expect(create(input)).rejects.toMatchObject({ code: 'customer_identity_conflict' });
    await customer.release(documentId);
    expect(await customer.card(reserved.id)).toMatchObject({ city: 'חיפה' });
  });
});

describe('auditCustomers', () => {
  const audit = async (customerIds: readonly string[], business_id = customer.business.id) => {
    const documents = customerIds.map((customer_id) => ({ document_id: randomUUID(), customer_id }));
    const reply = await customer.network.call(auditCustomers, { business_id, documents });
    expect(reply.documents.map((item) => item.document_id)).toEqual(
      documents.map((item) => item.document_id),
    );
    return reply.documents.map(({ details }) => details);
  };

  it('auditCustomers lists the details that each card has, one result for each document', async () => {
    const { id } = await customer.issueTo({ name: 'Full', tax_id: '777777715', email: 'full@example.com' });
    const bare = await customer.issueTo({ name: 'Bare' });
    expect(await audit([id, bare.id, id.toUpperCase()])).toEqual([
      ['tax_id', 'email'],
      [],
      ['tax_id', 'email'],
    ]);
    expect(await audit([])).toEqual([]);
  });

  it('auditCustomers lists nothing of a card that is unknown, only reserved, or of another business', async () => {
    const { id } = await customer.issueTo({ name: 'Of This Business' });
    const reserved = await customer.resolve({ name: 'Reserved Only' });
    expect(await audit([randomUUID(), reserved.id])).toEqual([null, null]);
    expect(await audit([id], exampleBusiness().id)).toEqual([null]);
  });
});
