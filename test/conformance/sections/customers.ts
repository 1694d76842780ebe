import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CustomerList, ErrorBody } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { newName, newTaxId, plainType, quote, withCheckDigit } from '../example-bodies.js';
import type { Answer, Issuer, Suite } from '../suite.js';
import { answersTo, inParallel } from '../tables.js';

type Card = CustomerList['data'][number];

/** Rule 4.2 of section 4.4, sections 2.5 and 4.8, and the decisions on customers. */
export function customers(suite: Suite): void {
  const search = (
    key: string,
    query: Record<string, string> = {},
  ): Promise<Answer<CustomerList & ErrorBody>> =>
    suite.get<CustomerList>(key, `/customers?${new URLSearchParams(query)}`);
  const names = async (key: string, query: Record<string, string> = {}) =>
    (await search(key, query)).body.data.map(({ name }) => name);
  /** The card of a name; a card is written moments after its document was issued. */
  const card = (key: string, name: string, holds: (card: Card) => boolean = () => true): Promise<Card> =>
    eventually(`the card of ${name} is there`, async () =>
      (await search(key, { q: name })).body.data.find((item) => item.name === name && holds(item)),
    );
  const issueTo = (key: string, customer: object, change: object = {}) =>
    suite.issue(key, quote({ customer, ...change }));
  const issuedTo = (key: string, customer: object, change: object = {}) =>
    suite.issued(key, quote({ customer, ...change }));

  describe('4.8 GET /customers (2.5)', () => {
    let issuer: Issuer;
    let key: string;
    const leadingZeros = withCheckDigit('00123456');
    const people = [
      { name: 'אבי לדוגמה', tax_id: leadingZeros },
      { name: 'בית 100% לדוגמה' },
      { name: 'בית 100 לדוגמה' },
      { name: 'גן_לדוגמה' },
      { name: 'גן-לדוגמה' },
      { name: 'דרך \\ לדוגמה' },
      { name: "O'Example & Sons" },
      { name: 'Example ÄRZTE' },
      { name: 'שם  עם   רווחים' },
    ];
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      key = issuer.key;
      await inParallel(people, 5, (customer, index) => issuedTo(key, customer, { type: plainType(index) }));
      await issuedTo(key, {
        name: 'לקוח מלא',
        tax_id: withCheckDigit('20304050'),
        legal_type: 'amuta',
        email: 'customer@example.com',
        phone: '03-0000000',
        city: 'חיפה',
        address: 'רחוב הדוגמה 2',
      });
      await eventually('all cards are there', async () => (await names(key)).length === people.length + 1);
    });

    it('2.5 returns all that the card has', async () => {
      const [full] = (await search(key, { q: 'לקוח מלא' })).body.data;
      expect(full).toEqual({
        id: full?.id,
        name: 'לקוח מלא',
        tax_id: withCheckDigit('20304050'),
        legal_type: 'amuta',
        email: 'customer@example.com',
        phone: '03-0000000',
        city: 'חיפה',
      });
    });

    it('decisions, Settled, Fields: what the card does not have is null', async () => {
      const [bare] = (await search(key, { q: 'גן-' })).body.data;
      expect(bare).toEqual({
        id: bare?.id,
        name: 'גן-לדוגמה',
        tax_id: null,
        legal_type: null,
        email: null,
        phone: null,
        city: null,
      });
    });

    it.each([
      ['a part of the name', 'אבי', ['אבי לדוגמה']],
      ['a part in the middle', 'בי לד', ['אבי לדוגמה']],
      ['% as itself', '100%', ['בית 100% לדוגמה']],
      ['% alone', '%', ['בית 100% לדוגמה']],
      ['_ as itself', 'גן_', ['גן_לדוגמה']],
      ['\\ as itself', '\\', ['דרך \\ לדוגמה']],
      ["' as itself", "O'Ex", ["O'Example & Sons"]],
      ['signs that the name has not', 'אב״י־ לד', ['אבי לדוגמה']],
      ['without the signs that it has', 'oexample', ["O'Example & Sons"]],
      ['letter case, folded', 'eXAMPLE ärzte', ['Example ÄRZTE']],
      ['decomposed letters', 'Example a\u0308rzte', ['Example ÄRZTE']],
      ['white space, folded', ' שם עם  רווחים ', ['שם  עם   רווחים']],
      ['a name that no customer has', 'איש לא', []],
    ])('4.8 q: %s', async (_what, q, expected) => {
      expect(await names(key, { q })).toEqual(expected);
    });

    it('4.8 q: a long text, and one that occurs a thousand times', async () => {
      const own = await suite.newIssuer();
      const long = `לקוח עם שם ארוך במיוחד ${'ב'.repeat(90)}`;
      const often = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${'א'.repeat(110)}${n}`);
      await inParallel([long, ...often], 5, (name, index) =>
        issuedTo(own.key, { name }, { type: plainType(index) }),
      );
      await eventually('all cards are there', async () => (await names(own.key)).length === 11);
      expect(await names(own.key, { q: long.slice(3, 100) })).toEqual([long]);
      expect(await names(own.key, { q: `${long.slice(3, 100)}ג` })).toEqual([]);
      expect(await names(own.key, { q: 'א' })).toEqual([...often, long].sort());
      expect(await names(own.key, { q: 'אא', limit: '3' })).toEqual(often.slice(0, 3));
      expect(await names(own.key, { q: 'א9' })).toEqual(often.slice(9));
    });

    it('4.8 q: an exact tax id, with or without its leading zeros', async () => {
      for (const q of [leadingZeros, String(Number(leadingZeros))]) {
        expect(await names(key, { q })).toEqual(['אבי לדוגמה']);
      }
      expect(await names(key, { q: leadingZeros.slice(0, 8) })).toEqual([]);
      expect(await names(key, { q: leadingZeros.slice(3, 8) })).toEqual([]);
    });

    it('decisions, Settled, Rules: q is optional; the order is that of the names', async () => {
      const all = await names(key);
      const expected = [...people.map(({ name }) => name), 'לקוח מלא'];
      expect([...all].sort()).toEqual([...expected].sort());
      const hebrew = all.filter((name) => /^[א-ת]/.test(name));
      expect(hebrew.map((name) => name[0])).toEqual(hebrew.map((name) => name[0]).sort());
      const latin = all.filter((name) => /^[A-Z]/.test(name));
      expect(latin).toEqual(['Example ÄRZTE', "O'Example & Sons"]);
      expect(await names(key, { q: '' })).toEqual(all);
      expect(await names(key, { limit: '3' })).toEqual(all.slice(0, 3));
    });

    it('4.8 knows the customers of its own business only', async () => {
      const stranger = await suite.newIssuer();
      expect((await search(stranger.key)).body).toEqual({ data: [] });
      expect((await search(stranger.key, { q: leadingZeros })).body.data).toEqual([]);
    });

    it.each([
      ['limit=0', '/query/limit'],
      ['limit=51', '/query/limit'],
      ['limit=x', '/query/limit'],
      ['limit=', '/query/limit'],
      ['limit=1&limit=2', '/query/limit'],
      ['q=a&q=b', '/query/q'],
      ['q=a%00b', '/query/q'],
      ['q=%ED%B0%80', '/query/q'],
      [`q=${'x'.repeat(121)}`, '/query/q'],
      ['name=a', '/query/name'],
      ['cursor=a', '/query/cursor'],
    ])('decisions, Strictness: ?%s is a fault of %s', async (query, path) => {
      expect(faultPathsOf(await suite.get(key, `/customers?${query}`))).toEqual([path]);
    });
  });

  describe('4.4 rule 4.2 the customer of a document', () => {
    let issuer: Issuer;
    let key: string;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      key = issuer.key;
      // From here on a quote of 2020 is refused.
      await issuedTo(key, { name: 'לקוח לדוגמה' });
    });

    it('customer.id must belong to the business, else customer_not_found', async () => {
      const stranger = await suite.newIssuer();
      const { customer } = await issuedTo(key, { name: newName() });
      expectRefusal(await issueTo(stranger.key, { id: customer.id }), 'customer_not_found');
      expectRefusal(await issueTo(key, { id: randomUUID() }), 'customer_not_found');
      const own = await issueTo(key, { id: customer.id });
      expect([own.status, own.body.customer]).toEqual([201, customer]);
    });

    const same: [string, string, string][] = [
      ['as it is', 'לקוח לשם זהה', 'לקוח לשם זהה'],
      ['white space around it', 'לקוח עם שוליים', '  לקוח עם שוליים\t'],
      ['inner white space', 'לקוח עם רווח', 'לקוח   עם\u00a0רווח'],
      ['a line break', 'לקוח בשתי שורות', 'לקוח\r\nבשתי שורות'],
      ['marks of direction', 'לקוח עם סימנים', '\u200fלקוח עם\u2060 סימנים\u200e'],
      ['letter case', 'Example Customer', 'EXAMPLE customer'],
      ['letter case beyond ASCII', 'Ärzte Example', 'äRZTE example'],
      ['decomposed letters', 'Café Example', 'Cafe\u0301 Example'],
    ];
    const pairs = answersTo(same, async ([, first, second], index) => {
      const type = plainType(index);
      return [
        await issuedTo(key, { name: first }, { type }),
        await issuedTo(key, { name: second }, { type }),
      ] as const;
    });
    it.each(same.map((entry) => [entry[0], entry] as const))(
      'decisions, Customers: of one name is one card; a difference in %s is none',
      (_what, entry) => {
        const [first, second] = pairs(entry);
        expect(second.customer.id).toBe(first.customer.id);
      },
    );

    it('another name is another card', async () => {
      const [one, other] = await Promise.all([
        issuedTo(key, { name: 'לקוח ראשון' }),
        issuedTo(key, { name: 'לקוח ראשון ב' }, { type: 'order' }),
      ]);
      expect(one.customer.id).not.toBe(other.customer.id);
    });

    it('new details fill what is empty on the card, and never overwrite', async () => {
      const name = newName();
      await issuedTo(key, { name, email: 'first@example.com' });
      await issuedTo(key, { name, email: 'second@example.com', city: 'חיפה', legal_type: 'private' });
      const filled = await card(key, name, ({ city }) => city !== null);
      expect(filled).toMatchObject({ email: 'first@example.com', city: 'חיפה', legal_type: 'private' });
      await issuedTo(key, { name, city: 'אילת', phone: '03-0000000' });
      expect(await card(key, name, ({ phone }) => phone !== null)).toMatchObject({ city: 'חיפה' });
    });

    it('decisions, Documents: the document has what the request said, and from the card what it did not say', async () => {
      const name = newName();
      const taxId = newTaxId();
      await issuedTo(key, { name, tax_id: taxId });
      await card(key, name);
      const bare = await issuedTo(key, { name });
      expect(bare.customer).toMatchObject({ name, tax_id: taxId });
    });

    it('decisions, Documents: the document keeps its customer when the card changes', async () => {
      const name = newName();
      const before = await issuedTo(key, { name });
      await issuedTo(key, { name, tax_id: newTaxId() });
      await card(key, name, ({ tax_id }) => tax_id !== null);
      expect((await suite.read(key, before.id)).customer).toEqual(before.customer);
      expect(before.customer.tax_id).toBeNull();
    });

    it('decisions, Customers: given an id, that card is used, and a name beside it is ignored', async () => {
      const name = newName();
      const { customer } = await issuedTo(key, { name });
      const ignored = newName();
      const byId = await issuedTo(key, { id: customer.id, name: ignored });
      expect(byId.customer).toEqual(customer);
      expect(await names(key, { q: ignored })).toEqual([]);
    });

    describe('a tax id that is on the card of another name', () => {
      const name = newName();
      const taxId = newTaxId();
      let cardId: string | null;
      beforeAll(async () => {
        cardId = (await issuedTo(key, { name, tax_id: taxId })).customer.id;
        await card(key, name);
      });

      it('the name and tax id of two cards are a customer_identity_conflict that names the card', async () => {
        const answer = await issueTo(key, { name: newName(), tax_id: taxId });
        expectRefusal(answer, 'customer_identity_conflict');
        expect(answer.body.error.details).toEqual({ existing_customer_id: cardId });
      });

      it('decisions, Customers: with or without its leading zeros', async () => {
        const short = withCheckDigit('00054321');
        await issuedTo(key, { name: newName(), tax_id: String(Number(short)) });
        const answer = await issueTo(key, { name: newName(), tax_id: short });
        expectRefusal(answer, 'customer_identity_conflict');
      });

      it('a tax id of another card is a conflict for an existing customer as well', async () => {
        const other = newName();
        const { customer } = await issuedTo(key, { name: other });
        for (const said of [{ name: other }, { id: customer.id }]) {
          const answer = await issueTo(key, { ...said, tax_id: taxId });
          expectRefusal(answer, 'customer_identity_conflict');
          expect(answer.body.error.details).toEqual({ existing_customer_id: cardId });
        }
      });

      it('the caller may send the id of that card instead', async () => {
        const answer = await issueTo(key, { id: cardId, tax_id: taxId });
        expect([answer.status, answer.body.customer?.name]).toEqual([201, name]);
      });

      it('identity_confirmed opens a card of the given name that shares the tax id', async () => {
        const second = newName();
        const confirmed = await issueTo(key, { name: second, tax_id: taxId, identity_confirmed: true });
        expect(confirmed.status).toBe(201);
        expect(confirmed.body.customer.id).not.toBe(cardId);
        await card(key, second, ({ tax_id }) => tax_id === taxId);
        expect((await search(key, { q: taxId })).body.data.map(({ id }) => id).sort()).toEqual(
          [cardId, confirmed.body.customer.id].sort(),
        );
        // A card that has the tax id itself conflicts with no one; for a third name the oldest card is named.
        expect((await issueTo(key, { name: second, tax_id: taxId })).status).toBe(201);
        const third = await issueTo(key, { name: newName(), tax_id: taxId });
        expectRefusal(third, 'customer_identity_conflict');
        expect(third.body.error.details).toEqual({ existing_customer_id: cardId });
      });

      it('decisions, Customers: confirmed for an existing name, that card is used', async () => {
        const other = newName();
        const { customer } = await issuedTo(key, { name: other });
        const confirmed = await issueTo(key, { name: other, tax_id: taxId, identity_confirmed: true });
        expect([confirmed.status, confirmed.body.customer?.id]).toEqual([201, customer.id]);
      });
    });

    it('decisions, Settled, Rules: with an id and another tax id that is nowhere, the card stays and the document has what was said', async () => {
      const name = newName();
      const [first, other] = [newTaxId(), newTaxId()];
      const { customer } = await issuedTo(key, { name, tax_id: first });
      await card(key, name);
      const answer = await issuedTo(key, { id: customer.id, tax_id: other });
      expect(answer.customer).toEqual({ id: customer.id, name, tax_id: other });
      expect((await search(key, { q: name })).body.data).toMatchObject([{ tax_id: first }]);
    });

    it('decisions, Customers: a card of a refused request is not kept, and its name and tax id are free', async () => {
      const refused = { name: newName(), tax_id: newTaxId() };
      expectRefusal(await issueTo(key, refused, { date: '2020-01-01' }), 'date_before_last_document');
      expect(await names(key, { q: refused.name })).toEqual([]);
      expect(await names(key, { q: refused.tax_id })).toEqual([]);
      const other = { name: newName(), tax_id: refused.tax_id };
      expect((await issueTo(key, other)).status).toBe(201);
      expect((await issueTo(key, { name: refused.name })).status).toBe(201);
    });

    it('decisions, Customers: what a refused request said of an existing card is not kept', async () => {
      const name = newName();
      await issuedTo(key, { name });
      await card(key, name);
      const refused = await issueTo(key, { name, city: 'חיפה' }, { date: '2020-01-01' });
      expectRefusal(refused, 'date_before_last_document');
      expect((await card(key, name)).city).toBeNull();
    });

    it('decisions, Customers: many requests at once with one new name end on one card', async () => {
      const name = newName();
      const documents = await Promise.all(
        Array.from({ length: 12 }, (_, index) => issuedTo(key, { name }, { type: plainType(index) })),
      );
      expect(new Set(documents.map(({ customer }) => customer.id)).size).toBe(1);
      await card(key, name);
      expect(await names(key, { q: name })).toEqual([name]);
    });

    it('decisions, Settled, Rules: of two new names at once with one new tax id one is issued, the other conflicts', async () => {
      const taxId = newTaxId();
      const answers = await Promise.all([
        issueTo(key, { name: newName(), tax_id: taxId }),
        issueTo(key, { name: newName(), tax_id: taxId }, { type: 'order' }),
      ]);
      const [issued, ...more] = answers.filter(({ status }) => status === 201);
      const [refused] = answers.filter(({ status }) => status !== 201);
      expect([issued?.status, more]).toEqual([201, []]);
      expectRefusal(refused as (typeof answers)[0], 'customer_identity_conflict');
      expect(refused?.body.error.details).toEqual({ existing_customer_id: issued?.body.customer.id });
    });
  });
}
