import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreateDocument,
  cancelDocument,
  findPublicDocument,
  getDocument,
  listDocuments,
  type RequestOf,
  readBook,
  reviewDocuments,
  sumDocuments,
} from '@pinkas/contracts';
import {
  customerLegalTypes,
  documentTypes,
  lacksBuyerId,
  settlementOf,
  settlementStates,
  testBook,
  testBookOf,
} from '@pinkas/domain';
import { readTrail } from '@pinkas/testkit';
import { cash, type IssuingUnderTest, net, numberedCustomer, startIssuing } from './issuing.js';

/** Without VAT, so that amounts are the same before and after it. */
const vatless = { vat_rate: 0 } as const;

describe('the settlement of documents', () => {
  let issuing: IssuingUnderTest;
  const ids: Record<string, string> = {};
  const customer = { id: randomUUID() };

  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0, business: vatless });
    const issue = async (name: string, body: Partial<CreateDocument>) => {
      ids[name] = (await issuing.issue({ customer, ...body })).document.id;
    };
    const based = (name: string) => ({ based_on: ids[name] as string });
    const receive = (name: string, amount: number, body: Partial<CreateDocument> = {}) =>
      issue(`receipt of ${name}`, {
        type: 'receipt',
        ...based(name),
        items: net(amount),
        payments: cash(amount),
        ...body,
      });
    const credit = (name: string, amount: number) =>
      issue(`credit of ${name}`, { type: 'credit_note', ...based(name), items: net(amount) });
    for (const name of ['unpaid', 'agora', 'settled', 'overpaid', 'overcredited', 'stranger', 'again']) {
      await issue(name, { items: net(1180) });
    }
    await receive('agora', 0.01);
    await receive('settled', 1000.01);
    await credit('settled', 179.99);
    await receive('overpaid', 6190);
    await credit('overcredited', 5900);
    await receive('stranger', 1180, { customer: { id: randomUUID() } });
    // Another card of the same person.
    const known = { tax_id: '777777715' };
    await issue('known', { customer: { ...customer, ...known }, items: net(1180) });
    await receive('known', 1180, { customer: { id: randomUUID(), ...known } });
    await issue('quote', { type: 'quote' });
    await issue('first invoice', based('quote'));
    await issue('second invoice', based('quote'));
    await issue('corrected quote', { type: 'quote' });
    await issue('wrong invoice', based('corrected quote'));
    await credit('wrong invoice', 100);
    await issue('right invoice', based('corrected quote'));
    await issue('proforma', { type: 'proforma', items: net(200) });
    await receive('proforma', 50);
    await issue('invoiced proforma', { type: 'proforma', items: net(200) });
    await receive('invoiced proforma', 50);
    await issue('its invoice', { ...based('invoiced proforma'), items: net(200) });
    await issue('withdrawn', { type: 'proforma', items: net(200) });
    await receive('withdrawn', 50);
    await issuing.network.call(cancelDocument, {
      business_id: issuing.business.id,
      document_id: ids.withdrawn as string,
      reason: null,
    });
  });
  afterAll(() => issuing.stop());

  const list = async (change: Partial<RequestOf<typeof listDocuments>> = {}) =>
    (
      await issuing.network.call(listDocuments, {
        business_id: issuing.business.id,
        include_cancelled: true,
        settlement: true,
        limit: 100,
        before: null,
        ...change,
      })
    ).documents;
  const review = async (business_id: string) =>
    (await issuing.network.call(reviewDocuments, { business_id })).notes;
  const nameOf = (id: string) => Object.entries(ids).find(([, known]) => known === id)?.[0];

  it('a list, one document, its public address and the book have one settlement', async () => {
    const expected = {
      unpaid: [1180, []],
      agora: [1179.99, ['partly_paid']],
      settled: [0, []],
      overpaid: [-5010, ['overpaid']],
      overcredited: [-4720, ['overcredited']],
      stranger: [0, ['other_customer']],
      known: [0, []],
      quote: [null, ['invoiced_twice']],
      'corrected quote': [null, []],
      'wrong invoice': [0, []],
      proforma: [150, ['partly_paid']],
      'invoiced proforma': [null, []],
      withdrawn: [null, []],
    };
    const listed = await list();
    const business_id = issuing.business.id;
    const { entries } = await issuing.network.call(readBook, { business_id, after: null, limit: 100 });
    for (const [name, [balance, notes]] of Object.entries(expected)) {
      const document_id = ids[name] as string;
      const got = await issuing.network.call(getDocument, { business_id, document_id, detailed: true });
      const { public_id } = got.document;
      const found = await issuing.network.call(findPublicDocument, { public_id });
      const inList = listed.find(({ document }) => document.id === document_id);
      const inBook = entries.find(({ document }) => document.id === document_id);
      for (const state of [got.state, inList?.state, inBook?.state, found.state]) {
        const settlement = settlementOf(got.document, state ?? { status: 'open', paid: -1 });
        // A public address shows nothing of other customers.
        const shown = state === found.state ? { notes: settlement.notes } : { notes };
        expect({ name, ...settlement }).toMatchObject({
          name,
          balance: balance === null ? null : BigInt(Math.round(Number(balance) * 100)),
          ...shown,
        });
      }
    }
  });

  it('a list has no settlement unless it is asked for', async () => {
    const [row] = await list({ settlement: false });
    expect(row?.state).not.toHaveProperty('credited');
    expect((await list())[0]?.state).toHaveProperty('credited', 0);
  });

  it('reviewDocuments counts and sums what has a note', async () => {
    const notes = await review(issuing.business.id);
    expect(new Set(notes.map(({ documents_sha256: hash }) => hash)).size).toBe(4);
    expect(notes.map(({ documents_sha256: _hash, ...note }) => note)).toEqual([
      { note: 'overcredited', documents: 1, amount: 4720 },
      { note: 'overpaid', documents: 1, amount: 5010 },
      { note: 'partly_paid', documents: 2, amount: 1329.99 },
      { note: 'invoiced_twice', documents: 1, amount: null },
    ]);
  });

  it('a list has the documents of a note, with its other filters', async () => {
    const namesOf = async (change: Partial<RequestOf<typeof listDocuments>>) =>
      (await list(change)).map(({ document }) => nameOf(document.id));
    expect(await namesOf({ note: 'partly_paid' })).toEqual(['proforma', 'agora']);
    expect(await namesOf({ note: 'partly_paid', type: 'proforma' })).toEqual(['proforma']);
    expect(await namesOf({ note: 'partly_paid', limit: 1 })).toEqual(['proforma']);
    expect(await namesOf({ note: 'overcredited' })).toEqual(['overcredited']);
    expect(await namesOf({ note: 'invoiced_twice', status: 'closed' })).toEqual(['quote']);
    expect(await namesOf({ note: 'invoiced_twice', number: 999 })).toEqual([]);
    expect(await namesOf({ note: 'number_missing' })).toEqual([]);
  });

  it('a list and its sums have the documents that are settled as far as is asked for', async () => {
    const listed = (await list()).map(({ document, state }) => ({
      ...{ id: document.id, type: document.type, total: document.totals.total },
      state: settlementOf(document, state).state,
    }));
    const expected = {
      paid: ['known', 'stranger', 'settled'],
      part: ['proforma', 'agora'],
      beyond: ['overpaid'],
    };
    const namesOf = async (change: Partial<RequestOf<typeof listDocuments>>) =>
      (await list(change)).map(({ document }) => nameOf(document.id));
    expect(await namesOf({ settlement_states: ['settled'] })).toEqual(expected.paid);
    expect(await namesOf({ settlement_states: ['partly_paid'] })).toEqual(expected.part);
    expect(await namesOf({ settlement_states: ['overpaid'] })).toEqual(expected.beyond);
    expect(await namesOf({ settlement_states: ['credited', 'overcredited'] })).toEqual([
      'wrong invoice',
      'overcredited',
    ]);
    expect(await namesOf({ settlement_states: ['unpaid'], balance_state: 'open' })).toEqual(
      await namesOf({ settlement_states: ['unpaid'] }),
    );
    expect(await namesOf({ settlement_states: ['settled'], balance_state: 'open' })).toEqual([]);
    expect(await namesOf({ settlement_states: ['settled'], type: 'receipt' })).toEqual([]);
    expect(
      await namesOf({ settlement_states: ['settled'], order: 'total', ascending: true, limit: 2 }),
    ).toHaveLength(2);
    expect(await namesOf({ settlement_states: ['settled'], from: '2026-01-01' })).toEqual(expected.paid);
    for (const state of settlementStates) {
      const found = listed.filter((row) => row.state === state);
      const filter = { settlement_states: [state] };
      expect((await list(filter)).map(({ document }) => document.id)).toEqual(found.map(({ id }) => id));
      const { types } = await issuing.network.call(sumDocuments, {
        ...{ business_id: issuing.business.id, include_cancelled: true, ...filter },
      });
      expect(new Set(types?.map(({ type, documents, total }) => ({ type, documents, total })))).toEqual(
        new Set(
          documentTypes.flatMap((type) => {
            const ofType = found.filter((row) => row.type === type);
            const total = Number(ofType.reduce((sum, row) => sum + row.total, 0).toFixed(2));
            return ofType.length === 0 ? [] : [{ type, documents: ofType.length, total }];
          }),
        ),
      );
    }
  });

  it('the trail states how far a receipt or a credit note has settled a document', async () => {
    const trail = await readTrail(issuing.database, issuing.business.id);
    const changesOf = (name: string) =>
      trail
        .filter(({ action, subject }) => action === 'document.state' && subject === ids[name])
        .map(({ before, after }) =>
          [before, after].map((state) => (state as { settlement?: string }).settlement),
        );
    expect(changesOf('agora')).toEqual([['unpaid', 'partly_paid']]);
    expect(changesOf('settled')[0]).toEqual(['unpaid', 'partly_paid']);
    expect(changesOf('overpaid')).toEqual([['unpaid', 'overpaid']]);
    expect(changesOf('overcredited')).toEqual([['unpaid', 'overcredited']]);
    expect(changesOf('second invoice')).toEqual([]);
  });

  it('another book has no note of this one', async () => {
    expect(await review(randomUUID())).toEqual([]);
    expect(await review(testBookOf(issuing.business.id))).toEqual([]);
    expect(await list({ business_id: testBookOf(issuing.business.id), note: 'partly_paid' })).toEqual([]);
  });

  it('invoices above the threshold of a business that is not connected are counted with the VAT that their buyers lose', async () => {
    const business = { ...issuing.business, id: randomUUID(), vat_rate: 18, tax_authority_connected: false };
    const issue = async (body: Partial<CreateDocument>, change: object = {}) =>
      (await issuing.issue({ customer: numberedCustomer, ...body }, randomUUID(), { business, ...change }))
        .document;
    const large = await issue({ items: net(25_000) });
    const credited = await issue({ items: net(25_000) });
    const halved = await issue({ items: net(25_000) });
    await issue({ type: 'credit_note', based_on: credited.id, items: net(25_000) });
    await issue({ type: 'credit_note', based_on: halved.id, items: net(12_500) });
    await issue({ items: net(5_000) });
    await issue({ items: net(25_000), customer: { name: 'פרטי' } });
    await issue({ items: net(25_000) }, { business: { ...business, tax_authority_connected: true } });
    // Neither deducts VAT.
    for (const legal_type of ['private', 'osek_patur'] as const) {
      await issue({ items: net(25_000), customer: { ...numberedCustomer, legal_type } });
    }
    expect(await review(business.id)).toEqual([{ note: 'number_missing', documents: 2, amount: 6750 }]);
    const missing = await list({ business_id: business.id, without_number: true });
    expect(missing.map(({ document }) => document.id)).toContain(large.id);
    const firstPage = await list({ business_id: business.id, note: 'number_missing', limit: 1 });
    expect(firstPage.map(({ document }) => document.id)).toEqual([halved.id]);
    const listed = await list({ business_id: business.id, note: 'number_missing' });
    expect(listed.map(({ document }) => document.id)).toEqual([halved.id, large.id]);
    const stateOf = async (document_id: string) =>
      (await issuing.network.call(getDocument, { business_id: business.id, document_id, detailed: true }))
        .state;
    expect(await stateOf(large.id)).toMatchObject({ undeductible_vat: 4500, allocation_number: null });
    expect(await stateOf(halved.id)).toMatchObject({ undeductible_vat: 2250 });
    expect(await stateOf(credited.id)).not.toHaveProperty('undeductible_vat');
    // A test document may provoke its outcome: that is no want of a connection.
    const tests = testBook(business);
    const provoked = net(25_000).map((item) => ({ ...item, sku: 'test_allocation_issued' }));
    await issue({ items: provoked }, { business: tests });
    expect(await review(tests.id)).toEqual([]);
    await issue({ items: net(25_000) }, { business: tests });
    expect(await review(tests.id)).toEqual([{ note: 'number_missing', documents: 1, amount: 4500 }]);
    expect(await review(business.id)).toEqual([{ note: 'number_missing', documents: 2, amount: 6750 }]);
  });

  it('invoices above 5,000 without the number of their buyer are counted and listed, for a quarter, as the domain decides', async () => {
    const business = { ...issuing.business, id: randomUUID(), vat_rate: 18, tax_authority_connected: true };
    const issue = async (body: Partial<CreateDocument>) =>
      (await issuing.issue(body, randomUUID(), { business })).document;
    const cases: Partial<CreateDocument>[] = [];
    for (const legal_type of [undefined, ...customerLegalTypes]) {
      for (const tax_id of [undefined, numberedCustomer.tax_id]) {
        for (const amount of [5_000, 5_000.01]) {
          const name = `לקוח ${legal_type} ${tax_id} ${amount}`;
          cases.push({
            items: net(amount),
            customer: {
              name,
              ...(tax_id && { tax_id, identity_confirmed: true }),
              ...(legal_type && { legal_type }),
            },
          });
        }
      }
    }
    const documents = [];
    for (const body of cases) {
      documents.push(await issue(body));
    }
    const credited = await issue({ items: net(9_000), customer: { name: 'זוכה' } });
    await issue({ type: 'credit_note', based_on: credited.id, items: net(9_000) });
    const lacking = documents.filter((document) => lacksBuyerId(document)).map(({ id }) => id);
    expect(lacking).toHaveLength(5);
    const listed = await list({ business_id: business.id, without_buyer_id: true });
    expect(listed.map(({ document }) => document.id)).toEqual(lacking.toReversed());
    const byTotal = await list({
      business_id: business.id,
      without_buyer_id: true,
      order: 'total',
      limit: 3,
    });
    expect(byTotal).toHaveLength(3);
    const reviewed = () => issuing.network.call(reviewDocuments, { business_id: business.id });
    expect((await reviewed()).without_buyer_id).toEqual({ documents: 5, from: '2026-03-15' });
    const { now } = issuing.clock;
    issuing.clock.now = new Date('2026-10-01T08:00:00Z');
    expect((await reviewed()).without_buyer_id).toBeUndefined();
    issuing.clock.now = now;
  });
});
