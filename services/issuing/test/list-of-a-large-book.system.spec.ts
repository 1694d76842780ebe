import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DocumentType } from '@pinkas/domain';
import { createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { createTestDatabase, exampleBusiness, exampleDocument, type TestDatabase } from '@pinkas/testkit';
import { CompiledQuery, createQueryId, type QueryId, type RootOperationNode, sql } from 'kysely';
import { migrations } from '../src/db/migrations.js';
import type { IssuingTables } from '../src/document/document.tables.js';
import type { ListFilter } from '../src/list/document-filter.js';
import { listIssued } from '../src/list/document-list.repository.js';

const logger = createLogger('test', 'silent');
/** Documents of the business that lists, and as many of others. */
const documents = 10_000;
/** How many of two hundred documents are of each type: one is rare, one is dated back far. */
const shares: [DocumentType, number][] = [
  ['tax_invoice', 120],
  ['receipt', 60],
  ['proforma', 19],
  ['donation_receipt', 1],
];
const limit = 51;
/** The customer of every second document, and that of every thousandth. */
const [frequent, rare] = [randomUUID(), randomUUID()];
/** Documents that one statement inserts. */
const batch = 5_000;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

describe.each([
  ['with statistics', true],
  // After a restore or many inserts the server has no statistics for a minute.
  ['without statistics', false],
])('listIssued in a large book %s', (_state, analyzed) => {
  const business = randomUUID();
  let database: TestDatabase<IssuingTables>;
  let opened: Database<IssuingTables>;

  beforeAll(async () => {
    database = await createTestDatabase<IssuingTables>(migrations);
    opened = openDatabase<IssuingTables>({
      url: database.url,
      poolSize: 1,
      applicationName: 'test',
      logger,
    });
    const owner = openDatabase<IssuingTables>({
      url: database.ownerUrl,
      poolSize: 1,
      applicationName: 'test',
      logger,
    });
    await sql`alter table document set (autovacuum_enabled = false)`.execute(owner);
    const others = Array.from({ length: 10 }, () => randomUUID());
    await fill([business], documents);
    await fill(others, documents / others.length);
    if (analyzed) {
      await sql`analyze document, series`.execute(owner);
    }
    await owner.destroy();
  }, 120_000);
  afterAll(async () => {
    await opened.destroy();
    await database.close();
  });

  /** Inserts documents: one every ten minutes, proformas dated forty days back. */
  async function fill(businesses: string[], each: number): Promise<void> {
    const { customer, items } = exampleDocument();
    const typeOf = sql.join(
      shares.flatMap(([type, count]) => Array.from({ length: count }, () => sql.lit(type))),
    );
    for (const id of businesses) {
      await sql`
        insert into series (business_id, type, first_number, next_number, last_date, last_issued_at)
        select ${id}, type, 1, 1000000, '2027-01-01', '2027-01-01'
        from unnest(${sql.val(shares.map(([type]) => type))}::text[]) as type`.execute(database.db);
      for (let first = 1; first <= each; first += batch) {
        await sql`
          insert into document (business_id, id, public_id, type, number, position, status, dated_on, issued_at, external_ref,
            idempotency_key, body_sha256, key_id, business, customer_id, account_id, customer, items, prices_include_vat, payments,
            subtotal, discount, vat, vat_rate, total, total_agorot, balance, paid, send, artifact_sha256, cancelled_at, hash, delivery, allocation,
            allocation_number)
          select ${id}, gen_random_uuid(), gen_random_uuid(), type, n, n, status,
            (issued_at - case type when 'proforma' then interval '40 days' else interval '0' end)::date, issued_at,
            case when n % 3 = 0 then null when n % 3 = 1 then 'order-' || n else 'the same' end,
            n, '', ${id}, ${JSON.stringify(exampleBusiness())}::jsonb, customer_id, customer_id, ${JSON.stringify(customer)}::jsonb,
            ${JSON.stringify(items)}::jsonb, false, '[]', 100 + n % 1000, 0, 18, 18, 118 + n % 1000, 100 * (118 + n % 1000),
            case when type in ('tax_invoice', 'proforma') and n % 7 = 0 then 118 + n % 1000 end, case when n % 997 = 0 then 1 else 0 end, true, '',
            case status when 'cancelled' then issued_at end, '', '{}',
            case when n % 1500 = 0 then null else '{"status":"not_required"}'::jsonb end,
            case when n % 499 = 0 then lpad(n::text, 9, '0') end
          from (
            select n, (array[${typeOf}])[1 + n % 200] as type,
              timestamptz '2025-01-01' + n * interval '10 minutes' as issued_at,
              case when n % 403 = 0 then 'closed' when n % 701 = 0 then 'cancelled' else 'open' end as status,
              case when n % 2 = 0 then ${frequent}::uuid when n % 501 = 0 then ${rare}::uuid
                else md5((n / 20)::text)::uuid end as customer_id
            from generate_series(${first}::integer, ${Math.min(first + batch - 1, each)}::integer) as n
          ) as generated`.execute(database.db);
      }
    }
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
      { type: 'proforma', from: '2024-12-20', to: '2025-01-05' },
    ],
    ['a range of dates that contains nearly all', { from: '2025-01-02', to: '2025-05-15' }],
    ['a wide range of dates of one type', { type: 'receipt', from: '2025-01-02', to: '2025-05-15' }],
    ['a frequent status', { status: 'open' }],
    ['a rare status', { status: 'closed' }],
    ['cancelled documents', { status: 'cancelled' }],
    ['a rare status of one type', { status: 'closed', type: 'receipt' }],
    ['a rare status and a range of dates', { status: 'closed', from: '2025-01-10', to: '2025-03-01' }],
    ['a note on amounts', { note: 'partly_paid' }],
    ['a note on numbers', { note: 'number_missing' }],
    ['a source of no document', { based_on: randomUUID() }],
    ['a number', { number: 400 }],
    ['a number of a type', { number: 400, type: 'tax_invoice' }],
    ['an unknown number', { number: 400_000 }],
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
      { search: { customer_ids: [rare, randomUUID()], external_ref: 'nobody' }, order: 'total' },
    ],
  ];
  const positions: [string, ListFilter['before']][] = [
    ['the first page', null],
    ['a page in the middle', 2_736],
  ];

  // Without statistics the server cannot find where a page or range begins, or what is rare; the first page must not sort a complete
  // book, unless a person asks for another order or for amounts.
  const measured = analyzed
    ? filters
    : filters.filter(([, { from, to, note, order, total_from }]) =>
        [from, to, note, order, total_from].every((given) => given === undefined),
      );
  it.each(
    measured.flatMap(([what, filter]) =>
      // A comparison of balances is not leakproof: a later page reads those before it in the index.
      positions
        .slice(0, analyzed && filter.order !== 'balance' ? 2 : 1)
        .map((position) => [what, ...position, filter] as const),
    ),
  )('listIssued with %s reads hardly more rows than those of %s', async (_what, _page, before, change) => {
    const parts = new WeakMap<QueryId, RootOperationNode>();
    const executed: (RootOperationNode | undefined)[] = [];
    const db = forTenant(opened, business).withPlugin({
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
    await listIssued(db, { business_id: business, include_cancelled: false, before, ...change }, limit);
    let read = 0;
    expect(executed.length).toBeGreaterThan(0);
    for (const node of executed.splice(0)) {
      const query = db.getExecutor().compileQuery(node as RootOperationNode, createQueryId());
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        CompiledQuery.raw(`explain (analyze, format json) ${query.sql}`, [...query.parameters]),
      );
      for (const plan of flat(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan)) {
        if (plan['Relation Name'] !== 'document') {
          continue;
        }
        expect(plan['Node Type']).not.toBe('Seq Scan');
        read += plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0));
      }
    }
    // A page of each series and the ends of its range; a range that is hardly larger may be read whole.
    expect(read).toBeLessThanOrEqual(2 * shares.length * limit);
  });
});

function flat(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)];
}
