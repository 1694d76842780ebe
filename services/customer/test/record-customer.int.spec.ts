import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { customerRecorded } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type CustomerUnderTest, startCustomer } from './customer.js';

describe('RecordCustomer', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

  it('RecordCustomer confirms a reserved card with the details of the request', async () => {
    const { id } = await customer.resolve({ name: 'First Time', tax_id: '12344', city: 'Haifa' });
    expect(await customer.card(id)).toMatchObject({ confirmed_at: null, tax_id: null, city: null });
    await customer.issueTo({ name: 'First Time', tax_id: '12344', city: 'Haifa' });
    expect(await customer.card(id)).toMatchObject({
      name: 'First Time',
      tax_id: '000012344',
      city: 'Haifa',
      confirmed_at: new Date('2026-06-15T08:00:00.000Z'),
      claimed_until: null,
    });
  });

  it('RecordCustomer publishes customerRecorded after the card is written', async () => {
    const events = customer.network.collect(customerRecorded);
    const documentId = randomUUID();
    const snapshot = await customer.resolve({ name: 'Published' }, { documentId });
    await customer.publishIssued(snapshot, documentId);
    await eventually('the card is published', () =>
      events.some(
        ({ document_id, customer_id }) => document_id === documentId && customer_id === snapshot.id,
      ),
    );
    expect((await customer.card(snapshot.id))?.confirmed_at).not.toBeNull();
  });

  it('RecordCustomer publishes nothing for a document that changes no card, and the card is as it was', async () => {
    const events = customer.network.collect(customerRecorded);
    const said = { name: 'Unchanged', tax_id: '520000001', city: 'Haifa' };
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    await customer.publishAndWait(await customer.resolve(said, { documentId: first }), first);
    const snapshot = await customer.resolve(said, { documentId: second });
    expect(await customer.reservations(second)).toEqual([]);
    const row = await customer.card(snapshot.id);
    await customer.publishAndWait(snapshot, second, customer.changes.get(second));
    expect(await customer.card(snapshot.id)).toEqual(row);
    const fuller = await customer.resolve({ ...said, phone: '03-7654321' }, { documentId: third });
    await customer.publishAndWait(fuller, third, customer.changes.get(third));
    await eventually('the further detail is published', () =>
      events.some(({ document_id }) => document_id === third),
    );
    expect([first, second, third].map((id) => customer.changes.get(id))).toEqual([true, false, true]);
    expect(events.map(({ document_id }) => document_id)).not.toContain(second);
  });

  it('RecordCustomer fills empty fields of a card and overwrites none', async () => {
    const { id } = await customer.issueTo({ name: 'Filled', email: 'old@example.com' });
    const later = await customer.issueTo({ name: 'FILLED', email: 'new@example.com', phone: '03-7654321' });
    expect(later).toMatchObject({ id, email: 'new@example.com' });
    expect(await customer.card(id)).toMatchObject({
      name: 'Filled',
      email: 'old@example.com',
      phone: '03-7654321',
    });
  });

  it('RecordCustomer writes a card once when its event is redelivered', async () => {
    const { id } = await customer.issueTo({ name: 'Redelivered', city: 'Haifa' });
    await customer.db.updateTable('card').set({ city: null }).where('id', '=', id).execute();
    await customer.redeliverAll();
    expect((await customer.card(id))?.city).toBeNull();
  });

  it('RecordCustomer creates the card again when its reservation was purged', async () => {
    const snapshot = await customer.resolve({ name: 'Very Late' });
    await customer.db.deleteFrom('reservation').execute();
    await customer.db.deleteFrom('card').where('id', '=', snapshot.id).execute();
    await customer.publishIssued({ ...snapshot, city: 'Haifa' }, randomUUID(), false);
    await eventually('the card is real', async () => (await customer.card(snapshot.id))?.confirmed_at);
    expect(await customer.card(snapshot.id)).toMatchObject({ name: 'Very Late', city: 'Haifa' });
  });

  it('RecordCustomer ends the reservation of its own document only', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const snapshot = await customer.resolve(
      { name: 'Two Documents', tax_id: '777777715' },
      { documentId: one },
    );
    await customer.resolve({ name: 'Two Documents', tax_id: '777777723' }, { documentId: two });
    await customer.publishAndWait(snapshot, one);
    expect(await customer.reservations(one)).toEqual([]);
    expect(await customer.reservations(two)).toEqual([{ card_id: snapshot.id, tax_id: '777777723' }]);
    await customer.release(two);
    expect(await customer.card(snapshot.id)).toMatchObject({ tax_id: '777777715' });
    expect((await customer.resolve({ name: 'Another', tax_id: '777777723' })).tax_id).toBe('777777723');
  });
});
