import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  cancelDocument,
  type DocumentHead,
  type IssuedDocument,
  type IssuePosition,
  listDocuments,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { cash, type IssuingUnderTest, startIssuing } from './issuing.js';

type ListRequest = RequestOf<typeof listDocuments>;

describe('the list of documents', () => {
  let issuing: IssuingUnderTest;
  /** What the business of the tests has issued, in order; the third one is cancelled. */
  const book: IssuedDocument[] = [];

  const list = (change: Partial<ListRequest> = {}): Promise<ReplyOf<typeof listDocuments>> =>
    issuing.network.ask(listDocuments, {
      business_id: issuing.business.id,
      include_cancelled: false,
      limit: 100,
      before: null,
      ...change,
    });

  /** Every page of a list, turned as a caller turns them. */
  const pages = async (change: Partial<ListRequest>): Promise<DocumentHead[][]> => {
    const turned: DocumentHead[][] = [];
    let before: IssuePosition | null = null;
    do {
      const page: ReplyOf<typeof listDocuments> = await list({ ...change, before });
      turned.push(page.documents.map(({ document }) => document));
      before = page.next_before;
      if (turned.length > book.length + 1) throw new Error('the pages never end');
    } while (before !== null);
    return turned;
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
      // Two documents in each minute: one instant must not hide one of them.
      issuing.clock.now = new Date(now.getTime() + Math.floor(book.length / 2) * 60_000);
      book.push((await issuing.issue(body)).document);
    };
    await issue({ type: 'quote', date: '2026-06-01', external_ref: 'shop 1' });
    await issue({ type: 'order', date: '2026-05-20', external_ref: 'shop 1' });
    await issue({ type: 'quote', date: '2026-06-10' });
    await issue({ type: 'tax_invoice', date: '2026-06-02', external_ref: 'Shop 1' });
    await issue({ type: 'order', date: '2026-06-12', external_ref: 'shop 12' });
    await issue({ type: 'receipt', date: '2026-04-30', payments: cash(118) });
    await issue({ type: 'tax_invoice', date: '2026-06-11' });
    await issue({ type: 'receipt', date: '2026-06-15', payments: cash(118), external_ref: 'shop 1' });
    await issuing.network.ask(cancelDocument, {
      business_id: issuing.business.id,
      document_id: book[2]?.id ?? '',
      reason: null,
    });
    const other = { business: { ...issuing.business, id: randomUUID() } };
    await issuing.issue({ type: 'quote', external_ref: 'shop 1' }, randomUUID(), other);
  });
  afterAll(() => issuing.stop());

  /** The order that is promised: later issued first, and at one instant by id. */
  const newestFirst = (documents: readonly IssuedDocument[]): DocumentHead[] =>
    documents.map(headOf).sort((a, b) => (`${a.issued_at} ${a.id}` < `${b.issued_at} ${b.id}` ? 1 : -1));

  const isCancelled = (document: IssuedDocument) => document.id === book[2]?.id;

  it('tells the heads of the documents of the business, the last one issued first, whatever their dates', async () => {
    const { documents, next_before } = await list();
    expect(documents.map(({ document }) => document)).toEqual(
      newestFirst(book.filter((document) => !isCancelled(document))),
    );
    expect(next_before).toBeNull();
  });

  it('hides what is cancelled, unless it is asked for', async () => {
    expect((await list()).documents).toHaveLength(7);
    const { documents } = await list({ include_cancelled: true });
    expect(documents).toHaveLength(8);
    const cancelled = documents.find(({ document }) => document.id === book[2]?.id);
    expect(cancelled?.state).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String) });
  });

  const filters: [string, Partial<ListRequest>, (document: IssuedDocument) => boolean][] = [
    ['everything', {}, () => true],
    ['a type', { type: 'quote' }, ({ type }) => type === 'quote'],
    ['a type that was never issued', { type: 'credit_note' }, () => false],
    [
      'a reference to the letter',
      { external_ref: 'shop 1' },
      ({ external_ref }) => external_ref === 'shop 1',
    ],
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
    'tells of %s each document once, on pages of %i (cancelled ones too: %s)',
    async (_what, limit, include_cancelled, filter, fits) => {
      const wanted = newestFirst(
        book.filter((document) => fits(document) && (include_cancelled || !isCancelled(document))),
      );
      const turned = await pages({ ...filter, limit, include_cancelled });
      expect(turned.flat()).toEqual(wanted);
      // No page is short but the last one, and no page comes after the last document.
      expect(turned.map((page) => page.length)).toEqual(
        Array.from({ length: Math.max(1, Math.ceil(wanted.length / limit)) }, (_, index) =>
          Math.min(limit, wanted.length - index * limit),
        ),
      );
    },
  );

  it('goes on where it was when documents are issued meanwhile', async () => {
    const first = await list({ limit: 2 });
    issuing.clock.now = new Date(issuing.clock.now.getTime() + 60_000);
    const { document } = await issuing.issue({ type: 'order', date: '2026-06-12' });
    book.push(document);
    const rest = await list({ before: first.next_before });
    expect([...first.documents, ...rest.documents].map((one) => one.document.id)).toEqual(
      newestFirst(book.filter((one) => !isCancelled(one) && one.id !== document.id)).map(({ id }) => id),
    );
  });

  it('tells the documents of one series in the order of their numbers, though the clock stands still', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    for (let count = 0; count < 5; count += 1) {
      await issuing.issue({ type: 'quote' }, randomUUID(), { business });
    }
    const { documents } = await list({ business_id: business.id });
    expect(documents.map(({ document }) => document.number)).toEqual([5, 4, 3, 2, 1]);
  });

  it('tells what is known of allocation and delivery now, and of an open step what the creation tells', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const listed = async () => (await list({ business_id: business.id })).documents[0];
    issuing.allocation = null;
    issuing.delivery = null;
    const creation = issuing.issue({}, randomUUID(), { business });
    const open = await eventually('the document is in the book', listed);
    issuing.allocation = { status: 'not_required', number: null, reason: 'none' };
    issuing.delivery = { status: 'disabled', channel: null, scheduled_for: null };
    const { document, allocation, delivery, state } = await creation;
    expect(open).toEqual({ document: headOf(document), state, allocation, delivery });
    const settled = { status: 'issued' as const, number: '123456789', reason: null };
    await issuing.network.publish(allocationSettled, document.id, {
      document,
      business,
      allocation: settled,
    });
    const later = await eventually('the number is listed', async () => {
      const one = await listed();
      return one?.allocation.number ? one : undefined;
    });
    expect(later).toMatchObject({ allocation: settled, state: { allocation_number: '123456789' } });
  });

  it.each(['yesterday, at about this time', '2026-06-15T08:00:00.000001Z', '-271821-04-20T00:00:00.000Z'])(
    'refuses the position "%s", which no list has told',
    async (issued_at) => {
      await expect(list({ before: { issued_at, id: randomUUID() } })).rejects.toMatchObject({
        code: 'validation_error',
      });
    },
  );

  it('cannot lose a document between two instants of one millisecond: the book takes none that is finer', async () => {
    const finer = sql`
      insert into document select (jsonb_populate_record(document, jsonb_build_object('id', gen_random_uuid(),
        'public_id', 'finer', 'number', 99, 'idempotency_key', 'finer', 'issued_at', '2026-06-15T08:00:00.000001Z'))).*
      from document where id = ${book[0]?.id ?? ''}`;
    await expect(finer.execute(issuing.database.db)).rejects.toThrow('document_issued_at_check');
  });
});
