import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditCustomers, type RequestOf, showCustomer, updateCustomer } from '@pinkas/contracts';
import { auditTrail } from '@pinkas/testkit';
import { type CustomerUnderTest, startCustomer } from './customer.js';

type Change = RequestOf<typeof updateCustomer>['change'];

describe('UpdateCustomer', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer?.stop());

  const update = async (
    customer_id: string,
    change: Change,
    more: { business_id?: string; person_id?: string } = {},
  ) =>
    (
      await customer.network.call(updateCustomer, {
        business_id: customer.business.id,
        customer_id,
        change,
        ...more,
      })
    ).customer;
  const show = async (customer_id: string) =>
    (await customer.network.call(showCustomer, { business_id: customer.business.id, customer_id })).customer;
  const trailOf = async (id: string) =>
    (await auditTrail(customer.database, customer.business.id)).filter(({ subject }) => subject === id);
  const contact = { email: 'old@example.com', phone: '03-0000000', address: 'רחוב 1', city: 'חיפה' };
  const issueTo = async () => (await customer.issueTo({ name: `Customer ${randomUUID()}`, ...contact })).id;

  it('UpdateCustomer changes what is named, removes what is null, and keeps the rest', async () => {
    const id = await issueTo();
    const before = await show(id);
    const changed = await update(id, { email: 'new@example.com', phone: null });
    expect(changed).toEqual({ ...before, email: 'new@example.com', phone: null });
    expect(await show(id)).toEqual(changed);
    expect(await update(id, { city: 'תל אביב' })).toEqual({ ...changed, city: 'תל אביב' });
  });

  it('the trail has what was there before and after, and the person who changed it', async () => {
    const id = await issueTo();
    const person_id = randomUUID();
    await update(id, { email: 'new@example.com', phone: null, city: contact.city }, { person_id });
    await update(id, { address: 'רחוב 2' });
    expect(await trailOf(id)).toEqual([
      {
        action: 'customer.update',
        actor: `person:${person_id}`,
        subject: id,
        before: { email: contact.email, phone: contact.phone },
        after: { email: 'new@example.com', phone: null },
      },
      {
        action: 'customer.update',
        actor: 'operator',
        subject: id,
        before: { address: 'רחוב 1' },
        after: { address: 'רחוב 2' },
      },
    ]);
  });

  it('a change that changes nothing writes nothing', async () => {
    const id = await issueTo();
    const before = await show(id);
    expect(await update(id, {})).toEqual(before);
    expect(await update(id, contact)).toEqual(before);
    expect(await trailOf(id)).toEqual([]);
  });

  it('a blank text removes a detail, as a blank text of a document is none', async () => {
    const id = await issueTo();
    expect(await update(id, { address: '   ', phone: '       ' })).toMatchObject({
      address: null,
      phone: null,
    });
    await update(id, { address: ' ' });
    expect(await trailOf(id)).toHaveLength(1);
  });

  it('UpdateCustomer returns customer_not_found for a card that is unknown, only reserved, or of another business', async () => {
    const notFound = { code: 'customer_not_found' };
    const id = await issueTo();
    const reserved = await customer.resolve({ name: `Reserved ${randomUUID()}` });
    await expect(update(randomUUID(), { city: 'x' })).rejects.toMatchObject(notFound);
    await expect(update(reserved.id, { city: 'x' })).rejects.toMatchObject(notFound);
    await expect(update(id, { city: 'x' }, { business_id: randomUUID() })).rejects.toMatchObject(notFound);
    expect(await show(id)).toMatchObject(contact);
    expect(await customer.card(reserved.id)).toMatchObject({ city: null });
  });

  it.each([
    ['an email that is none', { email: 'nobody' }, '/change/email'],
    ['a phone that is none', { phone: 'x' }, '/change/phone'],
    ['an empty address', { address: '' }, '/change/address'],
    ['a city that is too long', { city: 'x'.repeat(81) }, '/change/city'],
    ['a text with NUL', { address: 'a\u0000' }, '/change/address'],
    ['a detail that documents decide', { tax_id: '777777715' }, '/change/tax_id'],
  ])('UpdateCustomer refuses %s with validation_error', async (_what, change, path) => {
    const id = await issueTo();
    await expect(update(id, change as Change)).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [expect.objectContaining({ path })] },
    });
    expect(await trailOf(id)).toEqual([]);
  });

  it('two simultaneous changes of a card are both applied', async () => {
    const id = await issueTo();
    await Promise.all([update(id, { city: 'עכו' }), update(id, { address: 'רחוב 9' })]);
    expect(await show(id)).toMatchObject({ city: 'עכו', address: 'רחוב 9' });
  });

  it('a removed detail does not return with a document that had it from the card, and does with one that names it', async () => {
    const name = `Customer ${randomUUID()}`;
    const { id } = await customer.issueTo({ name, ...contact });
    const documentId = randomUUID();
    const snapshot = await customer.resolve({ name }, { documentId });
    expect([snapshot.email, customer.changes.get(documentId)]).toEqual([contact.email, false]);
    await update(id, { email: null });
    // The event reaches the card after the removal.
    await customer.publishAndWait(snapshot, documentId, false);
    expect(await show(id)).toMatchObject({ email: null });
    await customer.issueTo({ name, email: 'named@example.com' });
    expect(await show(id)).toMatchObject({ email: 'named@example.com' });
  });

  it('AuditCustomers misses no detail that a person has removed', async () => {
    const id = await issueTo();
    const details = async () => {
      const documents = [{ document_id: randomUUID(), customer_id: id }];
      const reply = await customer.network.call(auditCustomers, {
        business_id: customer.business.id,
        documents,
      });
      return reply.documents[0]?.details;
    };
    const before = await details();
    expect(before).toEqual(['email', 'phone', 'address', 'city']);
    await update(id, { email: null, city: null });
    await update(id, { phone: null });
    expect(await details()).toEqual(before);
  });
});
