import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clearTestCustomers } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { nameKey } from '../src/card/card.js';
import { type CustomerUnderTest, startCustomer } from './customer.js';

/** A valid tax id with four leading zeros. */
const paddedTaxId = '000012344';

describe('SearchCustomers', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterAll(() => customer.stop());

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

  it('SearchCustomers returns the public fields of each card', async () => {
    const said = {
      name: 'לקוח לדוגמה',
      tax_id: '777777715',
      legal_type: 'osek_murshe',
      email: 'customer@example.com',
      phone: '03-0000000',
      city: 'חיפה',
    } as const;
    const { id } = await customer.issueTo({ ...said, address: 'רחוב 1' });
    expect(await customer.search('לדוגמה')).toEqual([{ id, ...said }]);
    const bare = await customer.issueTo({ name: 'Bare' });
    expect(await customer.search('bare')).toEqual([
      { id: bare.id, name: 'Bare', tax_id: null, legal_type: null, email: null, phone: null, city: null },
    ]);
  });

  it('SearchCustomers finds a customer that was inserted by SQL alone', async () => {
    const card = { business_id: randomUUID(), id: randomUUID(), name: 'Before', name_key: 'before' };
    const at = customer.clock.now;
    const table = customer.db.insertInto('card');
    await table.values({ ...card, created_at: at, confirmed_at: at }).execute();
    expect(await customer.search('efo', 20, card.business_id)).toMatchObject([{ id: card.id }]);
  });

  it('SearchCustomers finds a text anywhere in a name', async () => {
    const id = await business(['Example Trading Ltd', 'Zzz']);
    for (const part of ['Example', 'ample Tra', 'ing', 'Ltd', 'Example Trading Ltd', 'E', 'd']) {
      expect(await names(id, part)).toEqual(['Example Trading Ltd']);
    }
    expect(await names(id, 'Trading  Example')).toEqual([]);
  });

  it('SearchCustomers folds composition, letter case and white space', async () => {
    const id = await business(['Caf\u00e9  Stra\u00dfe', 'Other']);
    for (const part of ['CAFE\u0301', '  caf\u00e9 \t stra', 'STRASSE']) {
      expect(await names(id, part)).toEqual(['Caf\u00e9  Stra\u00dfe']);
    }
  });

  it('SearchCustomers treats %, _ and \\ as literal characters', async () => {
    const id = await business(['100% Cotton', 'a_b', 'back\\slash', 'axb']);
    expect(await names(id, '%')).toEqual(['100% Cotton']);
    expect(await names(id, '_')).toEqual(['a_b']);
    expect(await names(id, 'a_b')).toEqual(['a_b']);
    expect(await names(id, '\\')).toEqual(['back\\slash']);
  });

  it('SearchCustomers finds Hebrew quotation marks and characters beyond 16 bits', async () => {
    const id = await business(['דוגמה בע"מ', 'Smile 😀😀 Ltd']);
    expect(await names(id, 'ע"מ')).toEqual(['דוגמה בע"מ']);
    expect(await names(id, '😀')).toEqual(['Smile 😀😀 Ltd']);
  });

  it('SearchCustomers finds a text as long as a name can be', async () => {
    const long = `${'Long '.repeat(23)}end`;
    const id = await business([long, `${'Long '.repeat(23)}and`]);
    expect(await names(id, long)).toEqual([long]);
    expect(await names(id, `${long} more`)).toEqual([]);
  });

  it('SearchCustomers finds a whole tax id with and without its leading zeros', async () => {
    const id = await business(['Nobody']);
    await put(id, ['Bearer'], paddedTaxId);
    for (const query of [paddedTaxId, '12344', '0012344', ' 12344 ']) {
      expect(await names(id, query)).toEqual(['Bearer']);
    }
    for (const query of ['1234', '2344', '0000123440']) {
      expect(await names(id, query)).toEqual([]);
    }
  });

  it('SearchCustomers finds every card of a tax id and names with the same digits', async () => {
    const id = await business(['Branch 12344 North', 'Nobody']);
    await put(id, ['Zeta', 'Alpha'], paddedTaxId);
    expect(await names(id, '12344')).toEqual(['Alpha', 'Branch 12344 North', 'Zeta']);
    expect(await names(id, '12344', 2)).toEqual(['Alpha', 'Branch 12344 North']);
  });

  it('SearchCustomers does not find reserved cards', async () => {
    await customer.resolve({ name: 'Mere Reservation' });
    expect(await customer.search('Mere Reservation')).toEqual([]);
    expect((await customer.search(null, 50)).map((card) => card.name)).not.toContain('Mere Reservation');
    const { id } = await customer.issueTo({ name: 'Mere Reservation' });
    expect(await customer.search('Mere Reservation')).toMatchObject([{ id }]);
  });

  it('SearchCustomers does not find customers of another business', async () => {
    const mine = await business(['Mine']);
    await put(randomUUID(), ['Theirs, not Mine'], paddedTaxId);
    expect(await names(mine, 'Mine')).toEqual(['Mine']);
    expect(await names(mine, paddedTaxId)).toEqual([]);
    expect(await names(mine, null)).toEqual(['Mine']);
  });

  it('SearchCustomers sorts by name: digits, Latin, Hebrew, regardless of letter case', async () => {
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
    'SearchCustomers lists the first customers for the query %j',
    async (query) => {
      const id = await business(['C', 'A', 'B']);
      expect(await names(id, query, 2)).toEqual(['A', 'B']);
    },
  );

  it('SearchCustomers sorts the matches of a text that thousands of names contain', async () => {
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

  it('SearchCustomers finds a card by tax id among more name matches than are fetched', async () => {
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
    expect(await customer.network.call(clearTestCustomers, { business_id: book })).toEqual({ deleted: 0 });
    expect([await names(book, null), await names(live, null)]).toEqual([[], ['Example live']]);
  });
});
