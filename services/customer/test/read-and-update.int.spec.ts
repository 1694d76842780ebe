import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  auditCustomers,
  clearTestCustomers,
  createCustomer,
  matchCustomer,
  type RequestOf,
  resolveCustomer,
  searchCustomers,
  showCustomer,
  updateCustomer,
} from '@pinkas/contracts';
import { nameKey, namesAsTyped, testBookOf } from '@pinkas/domain';
import { type Database, forTenant, kitTokens } from '@pinkas/service-kit';
import { exampleBusiness, readTrail } from '@pinkas/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { CustomerTables } from '../src/card/card.tables.js';
import { type CustomerUnderTest, startCustomer } from './customer.js';

/** A valid tax id with four leading zeros. */
const paddedTaxId = '000012344';
type Change = RequestOf<typeof updateCustomer>['change'];

let customer: CustomerUnderTest;
beforeAll(async () => {
  customer = await startCustomer();
});
afterAll(() => customer?.stop());
beforeEach(() => {
  customer.business = exampleBusiness();
});

describe('searchCustomers', () => {
  /** Puts customers there as if documents had been issued to them. */
  const put = async (businessId: string, names: readonly string[], taxId: string | null = null) => {
    await customer.db
      .insertInto('card')
      .values(
        names.map((name) => ({
          business_id: businessId,
          id: randomUUID(),
          name,
          name_key: nameKey(name),
          tax_id: taxId,
          legal_type: null,
          email: null,
          phone: null,
          address: null,
          city: null,
          created_at: customer.clock.now,
          confirmed_at: customer.clock.now,
          claimed_until: null,
        })),
      )
      .execute();
  };
  const business = async (names: readonly string[]) => {
    const id = randomUUID();
    await put(id, names);
    return id;
  };
  const names = async (businessId: string, query: string | null, limit = 20) =>
    (await customer.search(query, limit, businessId)).map((card) => card.name);

  it('searchCustomers finds an email address and a phone number, however they are written', async () => {
    const id = randomUUID();
    await put(id, ['First', 'Second']);
    const contact = (name: string, email: string, phone: string) =>
      customer.db
        .updateTable('card')
        .set({ email, phone })
        .where('business_id', '=', id)
        .where('name', '=', name)
        .execute();
    await contact('First', 'Office@Example.com', '052-123 4567');
    await contact('Second', 'other@example.com', '+972 3 555 0100');
    expect(await names(id, 'OFFICE@example.com')).toEqual(['First']);
    expect(await names(id, 'nobody@example.com')).toEqual([]);
    for (const phone of ['0521234567', '+972-52-1234567', '00972521234567', '052 1234567']) {
      expect([phone, await names(id, phone)]).toEqual([phone, ['First']]);
    }
    expect(await names(id, '03-5550100')).toEqual(['Second']);
    await contact('First', 'new@example.com', '054-7654321');
    expect(await names(id, '0521234567')).toEqual([]);
  });

  it('searchCustomers finds a customer that was inserted by SQL alone', async () => {
    const card = { business_id: randomUUID(), id: randomUUID(), name: 'Before', name_key: 'before' };
    const at = customer.clock.now;
    const table = customer.db.insertInto('card');
    await table.values({ ...card, created_at: at, confirmed_at: at }).execute();
    expect(await customer.search('efo', 20, card.business_id)).toMatchObject([{ id: card.id }]);
  });

  it('searchCustomers finds Hebrew quotation marks and characters beyond 16 bits', async () => {
    const id = await business(['דוגמה בע"מ', 'Smile 😀😀 Ltd']);
    expect(await names(id, 'ע"מ')).toEqual(['דוגמה בע"מ']);
    expect(await names(id, '😀')).toEqual(['Smile 😀😀 Ltd']);
  });

  it('searchCustomers finds a name whatever signs it was typed with, and with none', async () => {
    const id = await business([
      'תל־דוגמה בע״מ',
      'ג׳ורג׳ לדוגמה',
      'שָׁלוֹם דוגמאות',
      'צלצול בעמ',
      'O’Example & Sons',
    ]);
    for (const query of ['תל-דוגמה בע"מ', 'תל דוגמה בעמ', 'תלדוגמה', 'תל–דוגמה', "ל־דוגמה בע''מ"]) {
      expect([query, await names(id, query)]).toEqual([query, ['תל־דוגמה בע״מ']]);
    }
    for (const query of ["ג'ורג'", 'גורג', 'ג’ורג’ ל']) {
      expect([query, await names(id, query)]).toEqual([query, ['ג׳ורג׳ לדוגמה']]);
    }
    expect(await names(id, 'שלום')).toEqual(['שָׁלוֹם דוגמאות']);
    expect(await names(id, 'דוּגמאות')).toEqual(['שָׁלוֹם דוגמאות']);
    expect(await names(id, 'צלצול בע״מ')).toEqual(['צלצול בעמ']);
    expect(await names(id, 'oexample')).toEqual(['O’Example & Sons']);
    expect(await names(id, '״')).toEqual(['תל־דוגמה בע״מ']);
    const card = (await customer.search('גורג', 20, id))[0]?.id ?? '';
    const change = { business_id: id, customer_id: card, change: { name: 'מל״ל לדוגמה' } };
    await customer.network.call(updateCustomer, change);
    expect([await names(id, 'מלל'), await names(id, 'גורג')]).toEqual([['מל״ל לדוגמה'], []]);
  });

  it('SQL folds a name for the search as the domain does', async () => {
    const letters = [...'אבa -־–"״”\'׳’′ְָׁ1&.`'];
    const drawn = fc.sample(fc.array(fc.constantFrom(...letters), { maxLength: 12 }), {
      numRuns: 500,
      seed: 1,
    });
    const keys = drawn.map((name) => nameKey(name.join('')));
    const { rows } = await sql<{ joined: string; spaced: string }>`
      select name_joined(key) as joined, name_spaced(key) as spaced
      from json_array_elements_text(${JSON.stringify(keys)}::json) with ordinality as drawn (key, n) order by n
    `.execute(customer.db);
    expect(rows).toEqual(keys.map(namesAsTyped));
  });

  it('searchCustomers finds a text as long as a name can be', async () => {
    const long = `${'Long '.repeat(23)}end`;
    const id = await business([long, `${'Long '.repeat(23)}and`]);
    expect(await names(id, long)).toEqual([long]);
    expect(await names(id, `${long} more`)).toEqual([]);
  });

  it('searchCustomers finds every card of a tax id and names with the same digits', async () => {
    const id = await business(['Branch 12344 North', 'Nobody']);
    await put(id, ['Zeta', 'Alpha'], paddedTaxId);
    expect(await names(id, '12344')).toEqual(['Alpha', 'Branch 12344 North', 'Zeta']);
    expect(await names(id, '12344', 2)).toEqual(['Alpha', 'Branch 12344 North']);
  });

  it('searchCustomers does not find reserved cards', async () => {
    await customer.resolve({ name: 'Mere Reservation' });
    expect(await customer.search('Mere Reservation')).toEqual([]);
    expect((await customer.search(null, 50)).map((card) => card.name)).not.toContain('Mere Reservation');
    const { id } = await customer.issueTo({ name: 'Mere Reservation' });
    expect(await customer.search('Mere Reservation')).toMatchObject([{ id }]);
  });

  it('searchCustomers does not find customers of another business', async () => {
    const mine = await business(['Mine']);
    await put(randomUUID(), ['Theirs, not Mine'], paddedTaxId);
    expect(await names(mine, 'Mine')).toEqual(['Mine']);
    expect(await names(mine, paddedTaxId)).toEqual([]);
    expect(await names(mine, null)).toEqual(['Mine']);
  });

  it('searchCustomers sorts by name: digits, Latin, Hebrew, regardless of letter case', async () => {
    const inOrder = [
      '2 Example',
      'alpha example',
      'BETA example',
      'Gamma Example',
      'אלף example',
      'תו example',
    ];
    const id = await business(inOrder.toReversed());
    expect(await names(id, null)).toEqual(inOrder);
    expect(await names(id, 'example')).toEqual(inOrder);
    expect(await names(id, 'example', 3)).toEqual(inOrder.slice(0, 3));
  });

  it.each([null, ' ', '\t \u00a0'])(
    'searchCustomers lists the first customers for the query %j',
    async (query) => {
      const id = await business(['C', 'A', 'B']);
      expect(await names(id, query, 2)).toEqual(['A', 'B']);
    },
  );

  it('searchCustomers sorts the matches of a text that thousands of names contain', async () => {
    // The order of what follows the text is the opposite of the order of the names.
    const many = Array.from({ length: 2_000 }, (_, index) => `${1_000 + index} Many ${9_000 - index}`);
    const id = await business([...many.toReversed(), '0 Aardvark']);
    await put(id, ['Zeta'], '000000001');
    expect(await names(id, 'many')).toEqual(many.slice(0, 20));
    expect(await names(id, 'm', 50)).toEqual(many.slice(0, 50));
    const withDigits = many.filter((name) => name.includes('1'));
    expect(withDigits.length).toBeGreaterThan(300);
    expect(await names(id, '1', 50)).toEqual(withDigits.slice(0, 50));
  });

  it('searchCustomers finds a card by tax id among more name matches than are fetched', async () => {
    const many = Array.from({ length: 600 }, (_, index) => `Shop 18 ${String(index).padStart(4, '0')}`);
    const id = await business(many);
    await put(id, ['A Bearer'], '000000018');
    expect(await names(id, '18', 3)).toEqual(['A Bearer', ...many.slice(0, 2)]);
  });

  it('a test book is emptied of its cards, and a live book is refused', async () => {
    const live = await business(['Example live']);
    const book = testBookOf(live);
    await put(book, ['Example test']);
    await expect(customer.network.call(clearTestCustomers, { business_id: live })).rejects.toThrow();
    await customer.network.call(clearTestCustomers, { business_id: book });
    expect(await customer.network.call(clearTestCustomers, { business_id: book })).toEqual({
      deleted: 0,
      more: false,
    });
    expect([await names(book, null), await names(live, null)]).toEqual([[], ['Example live']]);
  });
});

describe('showCustomer', () => {
  const show = async (customer_id: string, business_id = customer.business.id) =>
    (await customer.network.call(showCustomer, { business_id, customer_id })).customer;

  it('showCustomer returns all that is stored of a card, its address included', async () => {
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

  it('showCustomer returns customer_not_found for a card that is unknown, only reserved, or of another business', async () => {
    const notFound = { code: 'customer_not_found' };
    const { id } = await customer.issueTo({ name: 'Of This Business' });
    const reserved = await customer.resolve({ name: 'Reserved Only' });
    await expect(show(randomUUID())).rejects.toMatchObject(notFound);
    await expect(show(reserved.id)).rejects.toMatchObject(notFound);
    await expect(show(id, randomUUID())).rejects.toMatchObject(notFound);
  });
});

describe('updateCustomer', () => {
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
    (await readTrail(customer.database, customer.business.id)).filter(({ subject }) => subject === id);
  const contact = { email: 'old@example.com', phone: '03-0000000', address: 'רחוב 1', city: 'חיפה' };
  const issueTo = async () => (await customer.issueTo({ name: `Customer ${randomUUID()}`, ...contact })).id;

  it('updateCustomer changes what is named, removes what is null, and keeps the rest', async () => {
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

  it('updateCustomer returns customer_not_found for a card that is unknown, only reserved, or of another business', async () => {
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
  ])('updateCustomer refuses %s with validation_error', async (_what, change, path) => {
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
    expect(await show(id)).toMatchObject({ email: null });
    await customer.issueTo({ name, email: 'named@example.com' });
    expect(await show(id)).toMatchObject({ email: 'named@example.com' });
  });

  it('a customer is renamed: search finds the new name, and requests with a former name find the same card', async () => {
    const former = `Former ${randomUUID()}`;
    const { id } = await customer.issueTo({ name: former });
    const name = `Renamed ${randomUUID()}`;
    expect(await update(id, { name: ` ${name} ` })).toMatchObject({ id, name });
    const search = async (query: string) => {
      const { customers } = await customer.network.call(searchCustomers, {
        business_id: customer.business.id,
        query,
        limit: 50,
      });
      return customers.map((card) => card.id);
    };
    expect(await search(name.slice(3))).toEqual([id]);
    expect(await search(former)).toEqual([]);
    expect(await customer.resolve({ name: former.toUpperCase() })).toMatchObject({
      id,
      name: former.toUpperCase(),
    });
    expect(await customer.resolve({ id })).toMatchObject({ id, name });
    expect(await trailOf(id)).toMatchObject([
      { action: 'customer.update', before: { name: former }, after: { name } },
    ]);
    // Another customer of the former name is the customer of that name from then on.
    const { customer: other } = await customer.network.call(createCustomer, {
      business_id: customer.business.id,
      customer_id: randomUUID(),
      customer: { name: former },
    });
    expect((await customer.resolve({ name: former })).id).toBe(other.id);
  });

  it('a customer is not renamed to the name of another one, nor to one that cannot be seen', async () => {
    const { id } = await customer.issueTo({ name: `First ${randomUUID()}` });
    const taken = `Second ${randomUUID()}`;
    await customer.issueTo({ name: taken });
    await expect(update(id, { name: taken.toLowerCase() })).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/change/name' }] },
    });
    await expect(update(id, { name: '\u200f\u200f\u200f' })).rejects.toMatchObject({
      code: 'validation_error',
    });
    expect(await trailOf(id)).toEqual([]);
  });

  it('payment terms of a customer are in what a document gets, until they are removed', async () => {
    const { id } = await customer.issueTo({ name: `Terms ${randomUUID()}` });
    const terms = { days: 60, from: 'end_of_month' } as const;
    const resolved = () =>
      customer.network.call(resolveCustomer, {
        business_id: customer.business.id,
        customer: { id },
        document_id: randomUUID(),
      });
    expect(await resolved()).not.toHaveProperty('payment_terms');
    expect(await update(id, { payment_terms: terms })).toMatchObject({ payment_terms: terms });
    expect(await resolved()).toMatchObject({ payment_terms: terms });
    expect(
      await customer.network.call(matchCustomer, { business_id: customer.business.id, customer: { id } }),
    ).toMatchObject({ payment_terms: terms });
    await update(id, { payment_terms: null });
    expect(await resolved()).not.toHaveProperty('payment_terms');
    expect(await trailOf(id)).toMatchObject([
      { before: { payment_terms: null }, after: { payment_terms: terms } },
      { before: { payment_terms: terms }, after: { payment_terms: null } },
    ]);
  });

  it('auditCustomers misses no detail that a person has removed', async () => {
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

describe('row-level security', () => {
  it.each(['card', 'card_name_suffix', 'reservation'] as const)(
    'the rows of a business in %s are visible to that business only',
    async (table) => {
      await customer.issueTo({ name: 'Customer', tax_id: '777777715' });
      await customer.resolve({ name: 'Reserved', tax_id: '777777723' });
      const seenBy = async (db: typeof customer.db) =>
        (await db.selectFrom(table).select('business_id').execute()).map((row) => row.business_id);
      // The one that the service itself has opened: it sees no one's rows.
      const own = customer.service.app.get<Database<CustomerTables>>(kitTokens.database);
      const ofBusiness = (await seenBy(customer.db)).filter((id) => id === customer.business.id);
      expect(ofBusiness.length).toBeGreaterThan(0);
      expect(await seenBy(forTenant(own, customer.business.id))).toEqual(ofBusiness);
      expect(await seenBy(forTenant(own, randomUUID()))).toEqual([]);
      expect(await seenBy(own)).toEqual([]);
    },
  );
});
