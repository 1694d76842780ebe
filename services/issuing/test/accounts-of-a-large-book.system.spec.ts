import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { createTestDatabase, exampleBusiness, exampleDocument, type TestDatabase } from '@pinkas/testkit';
import { CompiledQuery, createQueryId, type QueryId, type RootOperationNode, sql } from 'kysely';
import { findDebtors, findDebts, sumDebts } from '../src/account/debt.repository.js';
import { readEntriesOf, sumStatement } from '../src/account/statement.repository.js';
import { findTopCustomers } from '../src/account/top-customer.repository.js';
import { migrations } from '../src/db/migrations.js';
import type { IssuingTables } from '../src/document/document.tables.js';
import { findPayments } from '../src/report/payment.repository.js';
import { receiptSums, saleSums } from '../src/report/period-sums.repository.js';

const logger = createLogger('test', 'silent');
/** Half of the book are invoices, of which one in fifty is open, and half are receipts. */
const documents = Number(process.env.PINKAS_LARGE_BOOK ?? 40_000);
const openEvery = 50;
const batch = 20_000;
const today = '2026-06-30';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Heap Fetches'?: number;
  Plans?: Plan[];
}

describe.each([
  ['with statistics', true],
  // After a restore or many inserts the server has no statistics for a minute.
  ['without statistics', false],
])('the accounts of a large book %s', (_state, analyzed) => {
  const business = randomUUID();
  const [usual, large] = [randomUUID(), randomUUID()];
  let database: TestDatabase<IssuingTables>;
  let opened: Database<IssuingTables>;

  beforeAll(async () => {
    database = await createTestDatabase<IssuingTables>(migrations);
    const open = (url: string) =>
      openDatabase<IssuingTables>({ url, poolSize: 1, applicationName: 'test', logger });
    opened = open(database.url);
    const owner = open(database.ownerUrl);
    await sql`alter table document set (autovacuum_enabled = false)`.execute(owner);
    await fill();
    if (analyzed) {
      await sql`vacuum analyze document`.execute(owner);
      await sql`analyze document_sum, payment_sum, account_sum`.execute(owner);
    }
    await owner.destroy();
  }, 600_000);
  afterAll(async () => {
    await opened.destroy();
    await database.close();
  });

  /** Invoices over 900 days, and a receipt of each; every hundredth document is of one customer, a third of them of another. */
  async function fill(): Promise<void> {
    const { customer, items } = exampleDocument();
    const payments = [{ method: 'cash', amount: 118 }];
    for (let first = 1; first <= documents; first += batch) {
      await sql`
        insert into document (business_id, id, public_id, type, number, position, status, dated_on, due_on, issued_at,
          idempotency_key, body_sha256, key_id, business, customer_id, account_id, customer, items, prices_include_vat,
          payments, subtotal, discount, vat, vat_rate, total, total_agorot, paid, balance, send, artifact_sha256, hash, delivery)
        select ${business}, gen_random_uuid(), gen_random_uuid(), type, n, n, 'closed', day, day + 30, day, n, '',
          ${business}, ${JSON.stringify(exampleBusiness())}::jsonb, account, account, ${JSON.stringify(customer)}::jsonb,
          ${JSON.stringify(items)}::jsonb, false,
          case type when 'receipt' then ${JSON.stringify(payments)}::jsonb else '[]' end, 100, 0, 18, 18, 118, 11800,
          case when type = 'receipt' or n % ${openEvery} <> 0 then 118 else 0 end,
          case when type = 'receipt' then null when n % ${openEvery} <> 0 then 0 else 118 end, true, '', '', '{}'
        from (
          select n, case when n % 2 = 0 then 'tax_invoice' else 'receipt' end as type,
            date '2024-01-01' + (n::bigint * 900 / ${documents})::integer as day,
            case when n % 3 = 0 then ${large}::uuid when n % 100 = 1 then ${usual}::uuid
              else md5((n / 20)::text)::uuid end as account
          from generate_series(${first}::integer, ${Math.min(first + batch - 1, documents)}::integer) as n
        ) as generated`.execute(database.db);
    }
    await sql`
      insert into document_sum
      select business_id, type, dated_on, vat_rate, count(*), 0, sum(subtotal - discount), sum(vat), sum(total)
      from document group by 1, 2, 3, 4`.execute(database.db);
    await sql`
      insert into payment_sum
      select business_id, type, dated_on, 'cash', count(*), count(*), sum(total)
      from document where type = 'receipt' group by 1, 2, 3`.execute(database.db);
    await sql`
      insert into account_sum
      select business_id, type, date_trunc('month', dated_on::timestamp)::date, account_id, count(*), sum(subtotal - discount), sum(total)
      from document group by 1, 2, 3, 4`.execute(database.db);
  }

  const page = { today, limit: 51, after: null };
  const all = { from: null, to: null, limit: 51, after: null };
  const month = { from: '2025-06-01', to: '2025-06-30' };
  const year = { from: '2025-06-01', to: '2026-05-01' };
  const open = documents / openEvery;
  type Query = (db: Database<IssuingTables>) => Promise<unknown>;
  const queries: [string, number, Query][] = [
    ['sumDebts', open, (db) => sumDebts(db, business, today)],
    // The accounts of a page are summed as well: at most those of the large customer, and of fifty usual ones.
    ['findDebtors', open + documents, (db) => findDebtors(db, business, page)],
    ['findDebts', 60, (db) => findDebts(db, business, all)],
    ['findDebts of a customer', 60, (db) => findDebts(db, business, { ...all, customer_id: large })],
    [
      'findDebts of an age',
      60,
      (db) => findDebts(db, business, { ...all, from: '2024-03-01', to: '2024-04-01' }),
    ],
    [
      'findDebts of a page in the middle',
      60,
      (db) => findDebts(db, business, { ...all, after: { due_on: '2025-03-01', document_id: randomUUID() } }),
    ],
    ['sumStatement', documents / 80, (db) => sumStatement(db, business, { customer_id: usual, after: null })],
    [
      'readEntriesOf a large account',
      110,
      (db) => readEntriesOf(db, business, { customer_id: large, after: null }, 101),
    ],
    [
      'readEntriesOf a page in the middle',
      110,
      (db) =>
        readEntriesOf(db, business, { customer_id: large, after: { date: '2025-03-01', position: 1 } }, 101),
    ],
    ['saleSums', 0, (db) => saleSums(db, business, month)],
    // A name for each of them.
    ['findTopCustomers', 5, (db) => findTopCustomers(db, business, { basis: 'invoices', ...year, limit: 5 })],
    ['receiptSums', 0, (db) => receiptSums(db, business, month)],
    [
      'findPayments',
      // The documents of the days that have a page of them.
      Math.max(200, (4 * documents) / 900),
      (db) => findPayments(db, { business_id: business, method: 'cash', ...month, after: null }, 51),
    ],
  ];

  // Without statistics the server cannot find the few days of a page, or where a page in the middle begins.
  const measured = analyzed
    ? queries
    : queries.filter(([name]) => !['findPayments', 'findDebts of a page in the middle'].includes(name));
  it.each(measured)('%s reads at most %s documents', async (_name, most, query) => {
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
    const startedMs = performance.now();
    await query(db);
    const ms = performance.now() - startedMs;
    let read = 0;
    expect(executed.length).toBeGreaterThan(0);
    for (const node of executed.splice(0)) {
      const compiled = db.getExecutor().compileQuery(node as RootOperationNode, createQueryId());
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        CompiledQuery.raw(`explain (analyze, format json) ${compiled.sql}`, [...compiled.parameters]),
      );
      for (const plan of flat(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan)) {
        if (plan['Relation Name'] === 'document') {
          expect(plan['Node Type']).not.toBe('Seq Scan');
          read += plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0));
        }
      }
    }
    if (process.env.PINKAS_LARGE_BOOK) {
      process.stderr.write(`${_name}: ${Math.round(ms)} ms, ${read} rows\n`);
    }
    expect(read).toBeLessThanOrEqual(most);
  });
});

function flat(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)];
}
