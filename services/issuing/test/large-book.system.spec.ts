import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { balanceStates } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { createTestDatabase, exampleBusiness, exampleDocument, type TestDatabase } from '@pinkas/testkit';
import { CompiledQuery, createQueryId, type QueryId, type RootOperationNode, sql } from 'kysely';
import { findDebtors, findDebts, sumDebts } from '../src/account/debt.repository.js';
import { readEntriesOf, sumStatement } from '../src/account/statement.repository.js';
import { findTopCustomers } from '../src/account/top-customer.repository.js';
import { migrations } from '../src/db/migrations.js';
import type { IssuingTables } from '../src/document/document.tables.js';
import { sumsOf } from '../src/document/document-sums.repository.js';
import { countWithoutBuyerId, readNoted, sumUndeductible } from '../src/document/settlement.repository.js';
import type { ListFilter } from '../src/list/document-filter.js';
import { listIssued } from '../src/list/document-list.repository.js';
import { sumListed } from '../src/list/document-sum.repository.js';
import { findPayments } from '../src/report/payment.repository.js';
import { receiptSums, saleSums } from '../src/report/period-sums.repository.js';

const logger = createLogger('test', 'silent');
/** Documents of the business that reads; others have a hundredth of them. `PINKAS_LARGE_BOOK=1000000` prints how long each statement takes. */
const documents = Number(process.env.PINKAS_LARGE_BOOK ?? 20_000);
/** How many of two hundred documents are of each type: one is rare, one is dated back far. */
const shares: [DocumentType, number][] = [
  ['tax_invoice', 120],
  ['receipt', 60],
  ['proforma', 19],
  ['donation_receipt', 1],
];
const limit = 51;
/** The customer of every second document, of every thousandth, and of every hundredth. */
const [frequent, rare, usual] = [randomUUID(), randomUUID(), randomUUID()];
const days = 900;
const today = '2026-06-30';
/** Documents that one statement inserts. */
const batch = 10_000;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

const filters: [string, Partial<ListFilter>][] = [
  ['no filter', {}],
  ['a type', { type: 'receipt' }],
  ['a rare type', { type: 'donation_receipt' }],
  ['one reference', { external_ref: 'order-400' }],
  ['a reference that many documents share', { external_ref: 'the same' }],
  ['an unknown reference', { external_ref: 'nowhere' }],
  ['an old range of dates', { from: '2025-01-10', to: '2025-01-11' }],
  ['a range of dates with an end only', { to: '2025-03-01' }],
  ['a range of dates with a beginning only', { from: '2025-02-01' }],
  [
    'a range of dates of a type that is dated back',
    { type: 'proforma', from: '2023-12-01', to: '2024-01-05' },
  ],
  ['a range of dates that contains nearly all', { from: '2024-01-10', to: '2026-06-10' }],
  ['a wide range of dates of one type', { type: 'receipt', from: '2024-01-10', to: '2026-06-10' }],
  ['a frequent status', { status: 'open' }],
  ['a rare status', { status: 'closed' }],
  ['cancelled documents', { status: 'cancelled' }],
  ...balanceStates.flatMap((balance_state): [string, Partial<ListFilter>][] => [
    [`documents that are ${balance_state}`, { balance_state }],
    [
      `documents that are ${balance_state}, of a range of dates`,
      { balance_state, from: '2025-01-10', to: '2025-03-01' },
    ],
    [
      `tax invoices that are ${balance_state}, by date`,
      { balance_state, type: 'tax_invoice', order: 'date' },
    ],
  ]),
  // Frequent, rare, of no document; and two states, which are merged.
  ...(['credited', 'settled', 'partly_paid', 'overpaid'] as const).flatMap(
    (state): [string, Partial<ListFilter>][] => [
      [`documents that are ${state}`, { settlement_states: [state] }],
      [
        `documents that are ${state}, of a range of dates`,
        { settlement_states: [state], from: '2025-01-10', to: '2025-03-01' },
      ],
      [
        `tax invoices that are ${state}, by date`,
        { settlement_states: [state], type: 'tax_invoice', order: 'date' },
      ],
      [`documents that are ${state}, by total`, { settlement_states: [state], order: 'total' }],
    ],
  ),
  ['documents of two states', { settlement_states: ['settled', 'credited'] }],
  ['a rare status of one type', { status: 'closed', type: 'receipt' }],
  ['a rare status and a range of dates', { status: 'closed', from: '2025-01-10', to: '2025-03-01' }],
  ['a note on amounts', { note: 'partly_paid' }],
  ['a note on numbers', { note: 'number_missing' }],
  ['a source of no document', { based_on: randomUUID() }],
  ['a number', { number: 400 }],
  ['a number of a type', { number: 400, type: 'tax_invoice' }],
  ['an unknown number', { number: 4_000_000 }],
  ['a customer of many documents', { customer_ids: [frequent] }],
  ['a customer of few documents', { customer_ids: [rare] }],
  ['several customers', { customer_ids: [rare, frequent, randomUUID(), randomUUID()] }],
  ['an unknown customer', { customer_ids: [randomUUID()] }],
  [
    'a customer of many documents and an old range of dates',
    { customer_ids: [frequent], from: '2025-01-10', to: '2025-01-11' },
  ],
  ['a range of dates in the future', { from: '2090-01-01' }],
  ['dates in their order', { order: 'date' }],
  ['dates from the first', { order: 'date', ascending: true }],
  ['an old range of dates in their order', { order: 'date', from: '2025-01-10', to: '2025-01-11' }],
  ['a rare status by date', { order: 'date', status: 'closed' }],
  ['totals in their order', { order: 'total' }],
  ['balances in their order', { order: 'balance' }],
  ['totals from the smallest', { order: 'total', ascending: true }],
  ['totals of a type', { order: 'total', type: 'receipt' }],
  ['a frequent status by total', { order: 'total', status: 'open' }],
  ['a rare status by total', { order: 'total', status: 'closed' }],
  ['large totals', { total_from: 1_110 }],
  ['one total', { total_from: 518, total_to: 518 }],
  ['a customer of few documents by total', { customer_ids: [rare], order: 'total' }],
  ['named documents', { document_ids: [randomUUID(), randomUUID()] }],
  ['missing allocation numbers', { without_number: true }],
  ['a search for a number and a total', { search: { number: 400, total: 400, external_ref: '400' } }],
  ['a search for an allocation number', { search: { allocation_number: '000000499', number: 499 } }],
  [
    'a search for a customer of few documents',
    { search: { customer_ids: [rare, randomUUID()], external_ref: 'nowhere' }, order: 'total' },
  ],
  ['a search for a customer of many documents', { search: { customer_ids: [frequent, rare] } }],
  [
    'a search for a customer of many documents by total',
    { search: { customer_ids: [frequent, rare] }, order: 'total' },
  ],
  ['a search for a reference that many documents share', { search: { external_ref: 'the same' } }],
];

describe('a large book', () => {
  const business = randomUUID();
  const [unconnected, unidentified] = [randomUUID(), randomUUID()];
  let database: TestDatabase<IssuingTables>;
  let opened: Database<IssuingTables>;
  let owner: Database<IssuingTables>;

  async function openBook(): Promise<void> {
    database = await createTestDatabase<IssuingTables>(migrations);
    const open = (url: string) =>
      openDatabase<IssuingTables>({ url, poolSize: 1, applicationName: 'test', logger });
    opened = open(database.url);
    owner = open(database.ownerUrl);
    await sql`alter table document set (autovacuum_enabled = false)`.execute(owner);
  }
  async function closeBook(): Promise<void> {
    await Promise.all([opened.destroy(), owner.destroy()]);
    await database.close();
  }

  beforeAll(async () => {
    await openBook();
    await fill([business], documents);
    await fill(
      Array.from({ length: 10 }, () => randomUUID()),
      documents / 100,
    );
    // Every invoice is large, of a business that is not connected, and has the number of its buyer, or has not.
    const settings = exampleBusiness({ tax_authority_connected: false });
    await fill([unconnected], documents / 2, { settings, more: 30_000 });
    const buyer = { ...exampleDocument().customer, tax_id: null };
    await fill([unidentified], documents / 2, { buyer, more: 30_000 });
    await database.db.transaction().execute(async (trx) => {
      // They read every document of the book, which takes longer than a request may.
      await sql`set local statement_timeout = 0`.execute(trx);
      for (const [table, made] of Object.entries(sumsOf)) {
        await sql`insert into ${sql.table(table)} ${made(sql<boolean>`business_id = ${business}`)}`.execute(
          trx,
        );
      }
    });
  }, 3_600_000);
  afterAll(closeBook);

  /** Inserts documents over 900 days, proformas dated forty days back. Of invoices and proformas two of three are open. */
  async function fill(
    businesses: string[],
    each: number,
    { settings = exampleBusiness(), buyer = exampleDocument().customer, more = 0, paid = 0 } = {},
  ): Promise<void> {
    const { items } = exampleDocument();
    const typeOf = sql.join(
      shares.flatMap(([type, count]) => Array.from({ length: count }, () => sql.lit(type))),
    );
    for (const id of businesses) {
      await sql`
        insert into series (business_id, type, first_number, next_number, last_date, last_issued_at)
        select ${id}, type, 1, 10000000, '2027-01-01', '2027-01-01'
        from unnest(${sql.val(shares.map(([type]) => type))}::text[]) as type`.execute(database.db);
      for (let first = 1; first <= each; first += batch) {
        await sql`
          insert into document (business_id, id, public_id, type, number, position, status, dated_on, due_on, issued_at, external_ref,
            idempotency_key, body_sha256, key_id, business, customer_id, account_id, customer, items, prices_include_vat, payments,
            subtotal, discount, vat, vat_rate, total, total_agorot, balance, paid, send, artifact_sha256, cancelled_at, hash, delivery,
            allocation, allocation_number)
          select ${id}, gen_random_uuid(), gen_random_uuid(), type, n, n, status, dated_on,
            case when type in ('tax_invoice', 'proforma') then dated_on + 30 end, issued_at,
            case when n % 3 = 0 then null when n % 3 = 1 then 'order-' || n else 'the same' end,
            n, '', ${id}, ${JSON.stringify(settings)}::jsonb, customer_id, customer_id, ${JSON.stringify(buyer)}::jsonb,
            ${JSON.stringify(items)}::jsonb, false,
            case type when 'receipt' then jsonb_build_array(jsonb_build_object('method', 'cash', 'amount', total)) else '[]' end,
            total - 18, 0, 18, 18, total, 100 * total,
            case when type in ('tax_invoice', 'proforma') and status <> 'cancelled' then case when n % 3 = 0 then 0 else total - ${paid} end end,
            case when type = 'receipt' then total when n % 997 = 0 then 1 else ${paid}::numeric end, true, '',
            case status when 'cancelled' then issued_at end, '', '{}',
            case when n % ${Math.floor(documents / 6)} = 0 then null else '{"status":"not_required"}'::jsonb end,
            case when n % 499 = 0 then lpad(n::text, 9, '0') end
          from (
            select *, (issued_at - case type when 'proforma' then interval '40 days' else interval '0' end)::date as dated_on,
              118 + n % 1000 + ${more}::integer as total
            from (
              select n, (array[${typeOf}])[1 + n % 200] as type,
                timestamptz '2024-01-01' + n * ${days / each}::float * interval '1 day' as issued_at,
                case when n % 403 = 0 then 'closed' when n % 701 = 0 then 'cancelled' else 'open' end as status,
                case when n % 2 = 0 then ${frequent}::uuid when n % 501 = 0 then ${rare}::uuid when n % 100 = 1 then ${usual}::uuid
                  else md5((n / 20)::text)::uuid end as customer_id
              from generate_series(${first}::integer, ${Math.min(first + batch - 1, each)}::integer) as n
            ) as numbered
          ) as generated`.execute(database.db);
      }
    }
  }

  /** How many rows of the documents, and of the sums, a query reads: its statements are explained. */
  async function rowsRead(query: (db: Database<IssuingTables>) => Promise<unknown>, book = business) {
    const parts = new WeakMap<QueryId, RootOperationNode>();
    const executed: (RootOperationNode | undefined)[] = [];
    const db = forTenant(opened, book).withPlugin({
      // Called for parts of a query as well; only an executed query has a result.
      transformQuery: ({ node, queryId }) => {
        parts.set(queryId, node);
        return node;
      },
      transformResult: async ({ result, queryId }) => {
        executed.push(parts.get(queryId));
        return result;
      },
    });
    await query(db);
    const startedMs = performance.now();
    const statements = executed.splice(0).length;
    await query(db);
    const ms = performance.now() - startedMs;
    expect(statements).toBeGreaterThan(0);
    let documentRows = 0;
    let sumRows = 0;
    for (const node of executed.splice(0)) {
      const compiled = db.getExecutor().compileQuery(node as RootOperationNode, createQueryId());
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        CompiledQuery.raw(`explain (analyze, format json) ${compiled.sql}`, [...compiled.parameters]),
      );
      for (const plan of flat(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan)) {
        const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
        const read = plan['Actual Loops'] * (plan['Actual Rows'] + removed);
        if (plan['Relation Name'] === 'document') {
          expect(plan['Node Type']).not.toBe('Seq Scan');
          documentRows += read;
        } else if (plan['Relation Name']?.endsWith('_sum')) {
          sumRows += read;
        }
      }
    }
    if (process.env.PINKAS_LARGE_BOOK) {
      const name = expect.getState().currentTestName;
      process.stderr.write(`${name}: ${ms.toFixed(1)} ms, ${documentRows} documents, ${sumRows} sums\n`);
    }
    return { documents: documentRows, sums: sumRows };
  }

  const page = { today, limit, after: null };
  const all = { from: null, to: null, limit, after: null };
  const month = { from: '2025-06-01', to: '2025-06-30' };
  const year = { from: '2025-06-01', to: '2026-05-01' };
  const middle = '2025-03-01';
  const after = { due_on: middle, document_id: randomUUID() };
  const statement = { customer_id: frequent, after: null };
  type Reading = [string, number, (db: Database<IssuingTables>) => Promise<unknown>];
  const accounts: Reading[] = [
    ['sumDebts', 0, (db) => sumDebts(db, business, today)],
    // A name for each of them.
    ['findDebtors', limit, (db) => findDebtors(db, business, page)],
    [
      'findDebtors of a later page',
      limit,
      (db) => findDebtors(db, business, { ...page, after: { amount: 5_000, customer_id: rare } }),
    ],
    ['findDebts', 60, (db) => findDebts(db, business, all)],
    ['findDebts of a customer', 60, (db) => findDebts(db, business, { ...all, customer_id: frequent })],
    // Of many pages: a range that the server takes for less than a page may be read and sorted.
    ['findDebts of an age', 60, (db) => findDebts(db, business, { ...all, from: middle, to: '2026-03-01' })],
    ['findDebts of a page in the middle', 60, (db) => findDebts(db, business, { ...all, after })],
    [
      'sumStatement',
      documents / 80,
      (db) => sumStatement(db, business, { ...statement, customer_id: usual }),
    ],
    ['readEntriesOf a large account', 210, (db) => readEntriesOf(db, business, statement, 101)],
    [
      'readEntriesOf a page in the middle',
      210,
      (db) => readEntriesOf(db, business, { ...statement, after: { date: middle, position: 1 } }, 101),
    ],
    ['saleSums', 0, (db) => saleSums(db, business, month)],
    ['findTopCustomers', 5, (db) => findTopCustomers(db, business, { basis: 'invoices', ...year, limit: 5 })],
    ['receiptSums', 0, (db) => receiptSums(db, business, month)],
    [
      'findPayments',
      // The documents of the days that have a page of them.
      Math.max(200, (4 * documents) / days),
      (db) => findPayments(db, { business_id: business, method: 'cash', ...month, after: null }, limit),
    ],
    [
      'sumListed of dates',
      0,
      (db) =>
        sumListed(db, { business_id: business, include_cancelled: false, from: '2024-01-01', to: today }),
    ],
  ];
  const positions: [string, ListFilter['before']][] = [
    ['the first page', null],
    ['a page in the middle', Math.floor(documents / 3)],
  ];

  describe.each([
    // After a restore or many inserts the server has no statistics for a minute.
    ['without statistics', false],
    ['with statistics', true],
  ])('%s', (_state, analyzed) => {
    beforeAll(async () => {
      if (analyzed) {
        await sql`vacuum analyze document`.execute(owner);
        await sql`analyze series, document_sum, payment_sum, account_sum, debt_sum`.execute(owner);
      }
    }, 600_000);

    // Without statistics the server cannot find where a page or range begins, or what is rare; the first page must not sort a complete
    // book, unless a person asks for another order or for amounts.
    const unknown = ['findPayments', 'findDebts', 'findDebts of a page in the middle', 'findDebts of an age'];
    it.each(accounts.filter(([name]) => analyzed || !unknown.includes(name)))(
      '%s reads at most %s documents',
      async (_name, most, query) => expect((await rowsRead(query)).documents).toBeLessThanOrEqual(most),
    );

    it.each([
      ['sumUndeductible', (db: Database<IssuingTables>) => sumUndeductible(db, unconnected), unconnected],
      [
        'countWithoutBuyerId',
        (db: Database<IssuingTables>) => countWithoutBuyerId(db, unidentified, '2024-01-01'),
        unidentified,
      ],
    ] as const)(
      '%s reads the newest 1,000 invoices, and states that there are more',
      async (_name, query, book) => {
        expect(await query(forTenant(opened, book))).toMatchObject({ documents: 1_000, at_least: true });
        expect((await rowsRead(query, book)).documents).toBeLessThanOrEqual(1_000);
      },
    );

    const measured = filters.filter(
      ([, { from, to, note, order, total_from, search }]) =>
        analyzed || [from, to, note, order, total_from, search?.total].every((given) => given === undefined),
    );
    it.each(
      measured.flatMap(([what, filter]) =>
        // A comparison of balances is not leakproof: a later page reads those before it in the index.
        positions
          .slice(0, analyzed && filter.order !== 'balance' ? 2 : 1)
          .map((position) => [what, ...position, filter] as const),
      ),
    )('listIssued with %s reads hardly more rows than those of %s', async (_what, _page, before, change) => {
      const filter = { business_id: business, include_cancelled: false, before, ...change };
      const read = await rowsRead((db) => listIssued(db, filter, limit));
      // A page of each series and the ends of its range, or all that is rare.
      expect(read.documents).toBeLessThanOrEqual(Math.max(2 * shares.length * limit, documents / 100));
    });
  });

  // In a database of its own: it would change the statistics of all others.
  describe('of which an agora of each invoice is paid', () => {
    const [withholding, imported] = [randomUUID(), randomUUID()];
    const fillBook = (id: string) => fill([id], documents / 2, { paid: 1 });
    beforeAll(async () => {
      await closeBook();
      await openBook();
      await fillBook(withholding);
    }, 600_000);

    it.each([
      ['without statistics', withholding, documents / 2, async () => {}],
      ['with statistics', withholding, 0, () => sql`vacuum analyze document`.execute(owner)],
      ['with statistics from before its import', imported, documents / 2, () => fillBook(imported)],
    ])(
      'readNoted reads the newest 1,000 of each type of which a part is paid, %s',
      async (_state, book, sorted, prepare) => {
        await prepare();
        const noted = await readNoted(forTenant(opened, book), book);
        expect(noted.get('partly_paid')?.length).toBeGreaterThanOrEqual(1_000);
        const read = () => rowsRead((db) => readNoted(db, book), book);
        // Found, and then read with what is based on each; without statistics all of a state are sorted before.
        expect((await read()).documents).toBeLessThanOrEqual(4 * 2_000 + sorted);
      },
      600_000,
    );
  });
});

function flat(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)];
}
