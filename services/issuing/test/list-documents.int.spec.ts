import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  cancelDocument,
  type DocumentHead,
  type IssuedDocument,
  listDocuments,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { cash, type IssuingUnderTest, net, numberedCustomer, startIssuing } from './issuing.js';

type ListRequest = RequestOf<typeof listDocuments>;

describe('listDocuments', () => {
  let issuing: IssuingUnderTest;
  /** The documents are to these in turn. */
  const customers = [randomUUID(), randomUUID(), randomUUID()] as const;
  /** The documents of the tests' business, in the order of their commits; the third one is cancelled. */
  const book: IssuedDocument[] = [];

  const list = (change: Partial<ListRequest> = {}): Promise<ReplyOf<typeof listDocuments>> =>
    issuing.network.call(listDocuments, {
      business_id: issuing.business.id,
      include_cancelled: false,
      limit: 100,
      before: null,
      ...change,
    });

  /** Every page of a list, read as a caller reads them. */
  const pages = async (change: Partial<ListRequest>): Promise<DocumentHead[][]> => {
    const read: DocumentHead[][] = [];
    let before: number | null = null;
    do {
      const page: ReplyOf<typeof listDocuments> = await list({ ...change, before });
      read.push(page.documents.map(({ document }) => document));
      before = page.next_before;
      if (read.length > book.length + 1) {
        throw new Error('the pages never end');
      }
    } while (before !== null);
    return read;
  };

  const headOf = ({
    items: _items,
    prices_include_vat: _basis,
    discount: _discount,
    payments: _payments,
    title: _title,
    notes: _notes,
    send: _send,
    ...head
  }: IssuedDocument): DocumentHead => head;

  beforeAll(async () => {
    issuing = await startIssuing();
    const { now } = issuing.clock;
    const issue = async (body: Parameters<typeof issuing.issue>[0]) => {
      const customer = { id: customers[book.length % customers.length] as string };
      // Two documents in each minute: the order does not depend on their instants.
      issuing.clock.now = new Date(now.getTime() + Math.floor(book.length / 2) * 60_000);
      book.push((await issuing.issue({ customer, ...body })).document);
    };
    await issue({ type: 'quote', date: '2026-06-01', external_ref: 'shop 1' });
    await issue({ type: 'order', date: '2026-05-20', external_ref: 'shop 1' });
    await issue({ type: 'quote', date: '2026-06-10' });
    await issue({ type: 'tax_invoice', date: '2026-06-02', external_ref: 'Shop 1' });
    await issue({ type: 'order', date: '2026-06-12', external_ref: 'shop 12' });
    await issue({ type: 'receipt', date: '2026-04-30', payments: cash(118) });
    await issue({ type: 'tax_invoice', date: '2026-06-11' });
    await issue({ type: 'receipt', date: '2026-06-15', payments: cash(118), external_ref: 'shop 1' });
    await issuing.network.call(cancelDocument, {
      business_id: issuing.business.id,
      document_id: book[2]?.id ?? '',
      reason: null,
    });
    const other = { business: { ...issuing.business, id: randomUUID() } };
    await issuing.issue({ type: 'quote', external_ref: 'shop 1' }, randomUUID(), other);
  });
  afterAll(() => issuing.stop());

  /** The documented order. */
  const newestFirst = (documents: readonly IssuedDocument[]): DocumentHead[] =>
    documents.map(headOf).reverse();

  const isCancelled = (document: IssuedDocument) => document.id === book[2]?.id;

  it('listDocuments with the status `cancelled` returns the cancelled documents, whatever `include_cancelled` says', async () => {
    for (const include_cancelled of [false, true]) {
      const { documents } = await list({ status: 'cancelled', include_cancelled });
      expect(documents.map(({ document }) => document.id)).toEqual([book[2]?.id]);
    }
    const dated = { status: 'cancelled', from: '2026-06-10', to: '2026-06-10' } as const;
    expect((await list(dated)).documents).toHaveLength(1);
    expect((await list({ status: 'cancelled', type: 'order' })).documents).toEqual([]);
  });

  const isOpen = (document: IssuedDocument) => document.type !== 'receipt' && !isCancelled(document);
  const isOf = (index: number) => (document: IssuedDocument) => document.customer.id === customers[index];
  const filters: [string, Partial<ListRequest>, (document: IssuedDocument) => boolean][] = [
    ['everything', {}, () => true],
    ['a type', { type: 'quote' }, ({ type }) => type === 'quote'],
    ['a type that was never issued', { type: 'credit_note' }, () => false],
    ['an exact reference', { external_ref: 'shop 1' }, ({ external_ref }) => external_ref === 'shop 1'],
    [
      'a reference and a type',
      { external_ref: 'shop 1', type: 'order' },
      ({ external_ref, type }) => external_ref === 'shop 1' && type === 'order',
    ],
    [
      'a reference and a range of dates',
      { external_ref: 'shop 1', from: '2026-05-20', to: '2026-06-01' },
      ({ external_ref, date }) => external_ref === 'shop 1' && date >= '2026-05-20' && date <= '2026-06-01',
    ],
    ['a first date', { from: '2026-06-02' }, ({ date }) => date >= '2026-06-02'],
    ['a last date', { to: '2026-06-02' }, ({ date }) => date <= '2026-06-02'],
    [
      'a range of dates, both days included',
      { from: '2026-05-20', to: '2026-06-11' },
      ({ date }) => date >= '2026-05-20' && date <= '2026-06-11',
    ],
    ['one day', { from: '2026-06-01', to: '2026-06-01' }, ({ date }) => date === '2026-06-01'],
    ['a range without days', { from: '2026-06-12', to: '2026-06-01' }, () => false],
    ['a range before everything', { to: '2020-01-01' }, () => false],
    ['a range after everything', { from: '2030-01-01' }, () => false],
    ['a number', { number: 2 }, ({ number }) => number === 2],
    [
      'a number of one type',
      { number: 2, type: 'order' },
      ({ number, type }) => number === 2 && type === 'order',
    ],
    [
      'a number and a reference',
      { number: 1, external_ref: 'shop 1' },
      ({ number, external_ref }) => number === 1 && external_ref === 'shop 1',
    ],
    [
      'a number and a first date',
      { number: 2, from: '2026-06-11' },
      ({ number, date }) => number === 2 && date >= '2026-06-11',
    ],
    ['a number that was never reached', { number: 9_000 }, () => false],
    ['a status', { status: 'open' }, isOpen],
    [
      'a status and a type',
      { status: 'open', type: 'tax_invoice' },
      (document) => isOpen(document) && document.type === 'tax_invoice',
    ],
    [
      'a status and a range of dates',
      { status: 'closed', from: '2026-05-01' },
      (document) => document.type === 'receipt' && document.date >= '2026-05-01',
    ],
    ['one customer', { customer_ids: [customers[0]] }, isOf(0)],
    [
      'two customers',
      { customer_ids: [customers[0], customers[1]] },
      (document) => isOf(0)(document) || isOf(1)(document),
    ],
    ['a customer and an unknown one', { customer_ids: [randomUUID(), customers[1]] }, isOf(1)],
    ['an unknown customer', { customer_ids: [randomUUID()] }, () => false],
    [
      'a customer and a type',
      { customer_ids: [customers[0]], type: 'order' },
      (document) => isOf(0)(document) && document.type === 'order',
    ],
    [
      'a customer and a status',
      { customer_ids: [customers[0]], status: 'open' },
      (document) => isOf(0)(document) && isOpen(document),
    ],
    [
      'a customer and a range of dates',
      { customer_ids: [customers[0]], from: '2026-05-20', to: '2026-06-02' },
      (document) => isOf(0)(document) && document.date >= '2026-05-20' && document.date <= '2026-06-02',
    ],
    [
      'a customer and a range without documents',
      { customer_ids: [customers[0]], from: '2030-01-01' },
      () => false,
    ],
    [
      'a customer and a reference',
      { customer_ids: [customers[1]], external_ref: 'shop 1' },
      (document) => isOf(1)(document) && document.external_ref === 'shop 1',
    ],
    [
      'a range of dates and a type',
      { from: '2026-06-02', to: '2026-06-30', type: 'tax_invoice' },
      ({ type }) => type === 'tax_invoice',
    ],
  ];
  const cases = filters.flatMap(([what, filter, fits]) =>
    [1, 2, 3, 100].flatMap((limit) =>
      [false, true].map((cancelled) => [what, limit, cancelled, filter, fits] as const),
    ),
  );
  it.each(cases)(
    'listDocuments returns each document of %s once, on pages of %i (with cancelled ones: %s)',
    async (_what, limit, include_cancelled, filter, fits) => {
      const wanted = newestFirst(
        book.filter((document) => fits(document) && (include_cancelled || !isCancelled(document))),
      );
      const read = await pages({ ...filter, limit, include_cancelled });
      expect(read.flat()).toEqual(wanted);
      // No page is short but the last one, and no page comes after the last document.
      expect(read.map((page) => page.length)).toEqual(
        Array.from({ length: Math.max(1, Math.ceil(wanted.length / limit)) }, (_, index) =>
          Math.min(limit, wanted.length - index * limit),
        ),
      );
    },
  );

  it('documents of one series are listed in the order of their numbers when the clock does not advance', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    for (let count = 0; count < 5; count += 1) {
      await issuing.issue({ type: 'quote' }, randomUUID(), { business });
    }
    const { documents } = await list({ business_id: business.id });
    expect(documents.map(({ document }) => document.number)).toEqual([5, 4, 3, 2, 1]);
    expect(new Set(documents.map(({ document }) => document.issued_at)).size).toBe(1);
  });

  it('listDocuments returns the documents whose source is one, cancelled ones included where they are wanted', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const issue = async (body: Parameters<typeof issuing.issue>[0]) =>
      (await issuing.issue(body, randomUUID(), { business })).document;
    const quote = await issue({ type: 'quote' });
    const order = await issue({ type: 'order', based_on: quote.id });
    await issue({ type: 'quote' });
    const invoice = await issue({ type: 'tax_invoice', based_on: quote.id });
    await issue({ type: 'receipt', based_on: invoice.id, payments: cash(118) });
    await issuing.network.call(cancelDocument, {
      business_id: business.id,
      document_id: order.id,
      reason: null,
    });
    const based = async (change: Partial<ListRequest>) =>
      (await list({ business_id: business.id, based_on: quote.id, ...change })).documents.map(
        ({ document }) => document.id,
      );
    expect(await based({})).toEqual([invoice.id]);
    expect(await based({ include_cancelled: true })).toEqual([invoice.id, order.id]);
    expect(await based({ include_cancelled: true, type: 'order' })).toEqual([order.id]);
    const first = await list({
      business_id: business.id,
      based_on: quote.id,
      include_cancelled: true,
      limit: 1,
    });
    expect(await based({ include_cancelled: true, before: first.next_before })).toEqual([order.id]);
    expect(await based({ business_id: issuing.business.id })).toEqual([]);
  });

  it('listDocuments returns recorded outcomes, and for a pending one what IssueDocument returns', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const listed = async () => (await list({ business_id: business.id })).documents[0];
    issuing.config.outcomeWaitMs = 300;
    const issuance = issuing.issue({ customer: numberedCustomer, items: net(6000) }, randomUUID(), {
      business,
    });
    const open = await eventually('the document is in the book', listed);
    const { document, allocation, delivery, state } = await issuance;
    expect(open).toEqual({ document: headOf(document), state, allocation, delivery });
    const settled = { status: 'issued' as const, number: '123456789', reason: null };
    await issuing.network.publish(allocationSettled, document.id, {
      document,
      business,
      allocation: settled,
      pending: false,
      artifact_sha256: 'ab'.repeat(32),
    });
    const later = await eventually('the number is listed', async () => {
      const entry = await listed();
      return entry?.allocation.number ? entry : undefined;
    });
    expect(later).toMatchObject({ allocation: settled, state: { allocation_number: '123456789' } });
  });
});
