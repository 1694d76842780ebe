import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelDocument,
  type IssuedDocument,
  listDocuments,
  type ReplyOf,
  type RequestOf,
  sumDocuments,
} from '@pinkas/contracts';
import { sql } from 'kysely';
import { cash, type IssuingUnderTest, net, numberedCustomer, startIssuing } from './issuing.js';

type Filter = Partial<RequestOf<typeof sumDocuments>>;
type Order = Pick<RequestOf<typeof listDocuments>, 'order' | 'ascending'>;

describe('the list of a person', () => {
  let issuing: IssuingUnderTest;
  /** In the order of their commits. */
  let book: Record<
    'quote' | 'large' | 'numbered' | 'receipt' | 'equal' | 'cancelled' | 'unconnected' | 'credit',
    IssuedDocument
  >;
  const customer = { id: randomUUID() };

  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 300 });
    const issue = async (...given: Parameters<IssuingUnderTest['issue']>) =>
      (await issuing.issue(...given)).document;
    const quote = await issue({ type: 'quote', date: '2026-06-10', items: net(300), customer });
    issuing.allocation = { status: 'failed', number: null, reason: 'The authority refused.' };
    const large = await issue({ date: '2026-06-01', items: net(20_000), customer: numberedCustomer });
    issuing.allocation = { status: 'issued', number: '123456789', reason: null };
    const numbered = await issue({ date: '2026-06-02', items: net(6_000), customer: numberedCustomer });
    const receipt = await issue({
      type: 'receipt',
      date: '2026-05-20',
      payments: cash(118),
      external_ref: '118',
    });
    const equal = await issue({
      type: 'order',
      date: '2026-06-01',
      items: net(300),
      external_ref: 'order 7',
    });
    const cancelled = await issue({ type: 'quote', date: '2026-06-11', items: net(50) });
    await issuing.network.call(cancelDocument, {
      business_id: issuing.business.id,
      document_id: cancelled.id,
      reason: null,
    });
    const business = { ...issuing.business, tax_authority_connected: false };
    const unconnected = await issue(
      { date: '2026-06-14', items: net(7_000), customer: numberedCustomer },
      randomUUID(),
      { business },
    );
    const credit = await issue({
      type: 'credit_note',
      date: '2026-06-14',
      items: net(10),
      customer: numberedCustomer,
      based_on: numbered.id,
    });
    book = { quote, large, numbered, receipt, equal, cancelled, unconnected, credit };
  });
  afterAll(() => issuing.stop());

  type Name = keyof typeof book;
  const namesOf = (ids: readonly string[]) =>
    ids.map((id) => Object.entries(book).find(([, document]) => document.id === id)?.[0] as Name);
  const ask = (filter: Filter) => ({ business_id: issuing.business.id, include_cancelled: false, ...filter });

  /** All pages of a list, of two documents each. */
  async function list(filter: Filter, order: Order = {}): Promise<Name[]> {
    const found: string[] = [];
    let before: number | null = null;
    do {
      const page: ReplyOf<typeof listDocuments> = await issuing.network.call(listDocuments, {
        ...ask(filter),
        ...order,
        limit: 2,
        before,
      });
      found.push(...page.documents.map(({ document }) => document.id));
      before = page.next_before;
    } while (before !== null);
    return namesOf(found);
  }

  const orders: [string, Order, (keyof typeof book)[]][] = [
    ['dates', { order: 'date' }, ['credit', 'unconnected', 'quote', 'numbered', 'equal', 'large', 'receipt']],
    [
      'totals',
      { order: 'total' },
      ['large', 'unconnected', 'numbered', 'equal', 'quote', 'receipt', 'credit'],
    ],
    ['commits', {}, ['credit', 'unconnected', 'equal', 'receipt', 'numbered', 'large', 'quote']],
  ];
  it.each(orders)(
    'the pages of a list in the order of %s have each document once, in both directions',
    async (_name, order, expected) => {
      expect(await list({}, order)).toEqual(expected);
      expect(await list({}, { ...order, ascending: true })).toEqual(expected.toReversed());
    },
  );

  it('a list in the order of totals keeps to its filters', async () => {
    const order = { order: 'total' } as const;
    expect(await list({ type: 'tax_invoice' }, order)).toEqual(['large', 'unconnected', 'numbered']);
    expect(await list({ status: 'cancelled' }, order)).toEqual(['cancelled']);
    expect(await list({ from: '2026-06-02', to: '2026-06-13' }, order)).toEqual(['numbered', 'quote']);
    expect(await list({ customer_ids: [customer.id] }, order)).toEqual(['quote']);
  });

  it('a list of amounts has the documents whose totals are between them, ends included', async () => {
    expect(await list({ total_from: 354, total_to: 8_260 })).toEqual([
      'unconnected',
      'equal',
      'numbered',
      'quote',
    ]);
    expect(await list({ total_from: 354.01, total_to: 8_259.99 })).toEqual(['numbered']);
    expect(await list({ total_to: 12 })).toEqual(['credit']);
  });

  const searches: [string, (found: typeof book) => NonNullable<Filter['search']>, (keyof typeof book)[]][] = [
    ['an allocation number', () => ({ allocation_number: '123456789' }), ['numbered']],
    ['an amount', () => ({ total: 354 }), ['equal', 'quote']],
    [
      'a number, and an amount that is the same',
      () => ({ number: 1, total: 118 }),
      ['credit', 'equal', 'receipt', 'large', 'quote'],
    ],
    ['a reference, and a number that none has', () => ({ number: 118, external_ref: '118' }), ['receipt']],
    ['customers', () => ({ customer_ids: [customer.id, randomUUID()] }), ['quote']],
    ['a cancelled document', () => ({ total: 59 }), ['cancelled']],
    ['nothing', () => ({}), []],
  ];
  it.each(searches)(
    'a search for %s finds what meets one of its meanings',
    async (_name, search, expected) => {
      expect(await list({ search: search(book) })).toEqual(expected);
      expect(new Set(await list({ search: search(book) }, { order: 'total' }))).toEqual(new Set(expected));
    },
  );

  it('a list in the order of balances has the documents with a balance alone', async () => {
    const balances: (keyof typeof book)[] = ['large', 'unconnected', 'numbered'];
    expect(await list({}, { order: 'balance' })).toEqual(balances);
    expect(await list({}, { order: 'balance', ascending: true })).toEqual(balances.toReversed());
    expect(new Set(await list({ with_balance: true }))).toEqual(new Set(balances));
    expect(await list({ with_balance: true, type: 'quote' })).toEqual([]);
    expect(await list({ with_balance: true, total_to: 8_000 })).toEqual(['numbered']);
  });

  it('a list of named documents has those of the business alone', async () => {
    expect(await list({ document_ids: [book.quote.id, book.credit.id, randomUUID()] })).toEqual([
      'credit',
      'quote',
    ]);
    expect(await list({ document_ids: [] })).toEqual([]);
  });

  it('a list without numbers has what was refused and what was not requested, and not what needs none', async () => {
    expect(await list({ without_number: true })).toEqual(['unconnected', 'large']);
    expect(await list({ without_number: true, from: '2026-06-02' })).toEqual(['unconnected']);
  });

  const sum = async (filter: Filter) =>
    (await issuing.network.call(sumDocuments, ask(filter))).types?.map(
      ({ type, documents, cancelled, total }) => [type, documents, cancelled, total],
    );

  it('sumDocuments sums up the documents of a filter by type, the cancelled ones apart', async () => {
    const invoices = ['tax_invoice', 3, 0, 38_940];
    expect(await sum({})).toEqual([
      ['quote', 1, 0, 354],
      ['order', 1, 0, 354],
      invoices,
      ['receipt', 1, 0, 118],
      ['credit_note', 1, 0, 11.8],
    ]);
    expect(await sum({ type: 'quote', include_cancelled: true })).toEqual([['quote', 1, 1, 354]]);
    expect(await sum({ type: 'tax_invoice' })).toEqual([invoices]);
    expect(await sum({ status: 'cancelled' })).toEqual([['quote', 0, 1, 0]]);
    expect(await sum({ search: { total: 354 } })).toEqual([
      ['quote', 1, 0, 354],
      ['order', 1, 0, 354],
    ]);
    expect(await sum({ without_number: true })).toEqual([['tax_invoice', 2, 0, 31_860]]);
    expect(await sum({ total_from: 1_000_000 })).toEqual([]);
  });

  it('sumDocuments sums up what is stored of a date, however many documents it has, and no more than 20,000 one by one', async () => {
    const business_id = randomUUID();
    await sql`
      insert into document (business_id, id, public_id, type, number, position, status, dated_on, issued_at, idempotency_key,
        body_sha256, key_id, business, customer_id, account_id, customer, items, prices_include_vat, payments, subtotal, discount, vat,
        vat_rate, total, total_agorot, paid, send, artifact_sha256, hash, delivery)
      select ${business_id}, gen_random_uuid(), gen_random_uuid(), 'quote', n, n, 'open', '2026-06-01', '2026-06-01', n, '',
        ${business_id}, '{}', ${business_id}, ${business_id}, '{}', '[]', false, '[]', 100, 0, 18, 18, 118, 11800, 0, true, '', '', '{}'
      from generate_series(1, 20001) as n`.execute(issuing.database.db);
    const sumOf = async (filter: Filter) => {
      const request = { business_id, include_cancelled: false, ...filter };
      return (await issuing.network.call(sumDocuments, request)).types;
    };
    expect(await sumOf({ status: 'open' })).toBeNull();
    const [sums] = (await sumOf({ status: 'open', total_from: 1, number: 5 })) ?? [];
    expect(sums).toMatchObject({ documents: 1, total: 118 });
  });
});
