import type { CreateDocument } from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import { sumsOf } from '@pinkas/issuing';
import { createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { DatabaseAdministrator } from '../harness/database-administrator.js';
import type { Issuer, RunningStack } from '../harness/running-stack.js';
import { Caller, quote } from './driver.js';
import { progress } from './report.js';

/** As many rows as one statement writes, so that it ends in time: a card has a row for each letter of its name as well. */
const sumTimeoutMs = 600_000;
const parts = { documents: 5_000, cards: 500, events: 5_000 };
/** The series of a book, beside that of the document that is issued. */
export const typesOfCopies = documentTypes.filter((type) => type !== 'quote').slice(0, 8);
const body = { ...quote, customer: { ...quote.customer, tax_id: '777777723', city: 'ירושלים' } };

/** A large book. */
export interface BookOfCopies {
  readonly issuer: Issuer;
  readonly caller: Caller;
  /** Of the one document that was issued for real. */
  readonly documentId: string;
}

/**
 * Issues one document for real, and fills the book with copies of it, a minute apart.
 * @param original the request of the document, and the types of the copies, in turn; only columns that every type has are changed.
 */
export async function fillBook(
  stack: RunningStack,
  documents: number,
  original: { body: CreateDocument; types: readonly DocumentType[] } = { body, types: typesOfCopies },
): Promise<BookOfCopies> {
  const issuer = await stack.newIssuer();
  const caller = new Caller((await stack.file()).base_url, issuer.key);
  const issue = () => caller.issue(original.body, 'original');
  // The same request again: a system that has just started on a busy machine may not answer the first one in time.
  const documentId = await issue().catch(issue);
  const { types } = original;
  const type = `('{${types.join(',')}}'::text[])[n % ${types.length} + 1]`;
  const issuedAt = `(issued_at - make_interval(secs => (${documents} - n) * 60))`;
  const datedOn = `${issuedAt}::date`;
  const isOpen = `${type} in ('proforma', 'tax_invoice')`;
  const copied: Record<string, string> = {
    id: 'gen_random_uuid()',
    public_id: "encode(uuid_send(gen_random_uuid()), 'hex')",
    type,
    number: `n / ${types.length} + 1`,
    position: 'n + 1',
    idempotency_key: "'measured-' || n",
    external_ref: "'order-' || n",
    issued_at: `date_trunc('milliseconds', ${issuedAt})`,
    dated_on: datedOn,
    // Twenty documents of each customer, whose invoices are not paid.
    ...(types.length > 1 && {
      customer_id: 'md5((n / 20)::text)::uuid',
      account_id: 'md5((n / 20)::text)::uuid',
      balance: `case when ${isOpen} then total end`,
      due_on: `case when ${isOpen} then ${datedOn} + 30 end`,
    }),
  };
  await withDatabase(stack, 'issuing', issuer, async (db) => {
    const columns = await columnsOf(db, 'document');
    await inParts('documents', documents, async (from, to) => {
      await sql`insert into document (${sql.raw(columns.join(', '))})
        select ${sql.raw(columns.map((column) => copied[column] ?? column).join(', '))}
        from (select * from document where business_id = ${issuer.business.id} and id = ${documentId} offset 0) document,
          generate_series(${sql.lit(from)}, ${sql.lit(to)}) n`.execute(db);
    });
    await sql`set statement_timeout = ${sql.lit(sumTimeoutMs)}`.execute(db);
    for (const [table, made] of Object.entries(sumsOf)) {
      progress(`  ${table} …`);
      const changes = (await columnsOf(db, table)).map((column) => `${column} = excluded.${column}`);
      await sql`insert into ${sql.table(table)} ${made(sql<boolean>`business_id = ${issuer.business.id}`)}
        on conflict on constraint ${sql.ref(`${table}_pkey`)} do update set ${sql.raw(changes.join(', '))}`.execute(
        db,
      );
    }
    await sql`update book set last_position = ${sql.lit(documents + 1)}`.execute(db);
    if (types.length === 1) {
      // The series ends behind the copies, which says to an export how many documents it will read.
      await sql`update series set next_number = ${sql.lit(documents + 2)}, last_hash = sha256('copies') where type = ${types[0]}`.execute(
        db,
      );
    }
  });
  await vacuum(stack);
  return { issuer, caller, documentId };
}

/** What PostgreSQL does for a book that grows with time, and has not done yet for one that was written at once. */
async function vacuum(stack: RunningStack): Promise<void> {
  progress('  vacuum …');
  const administrator = await DatabaseAdministrator.connect(stack);
  try {
    await administrator.change('issuing', sql`set statement_timeout = ${sql.lit(sumTimeoutMs)}`);
    await administrator.change('issuing', sql`vacuum analyze`);
  } finally {
    await administrator.close();
  }
}

async function columnsOf(db: Database<object>, table: string): Promise<string[]> {
  const { rows } = await sql<{ column_name: string }>`
    select column_name from information_schema.columns where table_name = ${table} order by ordinal_position`.execute(
    db,
  );
  return rows.map((row) => row.column_name);
}

/** Writes so many customer cards. */
export async function fillCards(stack: RunningStack, issuer: Issuer, cards: number): Promise<void> {
  await withDatabase(stack, 'customer', issuer, (db) =>
    inParts('cards', cards, async (from, to) => {
      await sql`insert into card (business_id, id, name, name_key, created_at, confirmed_at)
        select ${issuer.business.id}, gen_random_uuid(), name, name, now(), now()
        from (select 'לקוח למדידה ' || lpad((n - 1)::text, 6, '0') as name
          from generate_series(${sql.lit(from)}, ${sql.lit(to)}) n) as named`.execute(db);
    }),
  );
}

/** Fills the list of events of a business, whose events have begun with one at least, up to so many: copies of its first one. */
export async function fillEvents(stack: RunningStack, issuer: Issuer, events: number): Promise<void> {
  await withDatabase(stack, 'delivery', issuer, async (db) => {
    const { rows } = await sql<{ last_position: number }>`
      select last_position::integer from event_book where business_id = ${issuer.business.id}`.execute(db);
    const listed = rows[0]?.last_position ?? 0;
    await inParts('events', events - listed, async (from, to) => {
      await sql`insert into event (business_id, id, type, document_id, position, body, stored_at)
        select business_id, gen_random_uuid(), type, document_id, ${sql.lit(listed)} + n, body, stored_at
        from (select * from event where business_id = ${issuer.business.id} and position = 1 offset 0) as first,
          generate_series(${sql.lit(from)}, ${sql.lit(to)}) n`.execute(db);
    });
    await sql`update event_book set last_position = ${sql.lit(events)} where business_id = ${issuer.business.id}`.execute(
      db,
    );
  });
}

async function inParts(
  what: keyof typeof parts,
  count: number,
  write: (from: number, to: number) => Promise<void>,
): Promise<void> {
  for (let from = 1; from <= count; from += parts[what]) {
    if (from % 100_000 === 1) {
      progress(`  ${from - 1} of ${count} ${what}`);
    }
    await write(from, Math.min(from + parts[what] - 1, count));
  }
}

/** Opens a service's database as that business sees it. */
async function withDatabase(
  stack: RunningStack,
  service: 'issuing' | 'customer' | 'delivery',
  { business }: Issuer,
  work: (db: Database<object>) => Promise<void>,
): Promise<void> {
  const url = (await stack.file()).postgres[service];
  const logger = createLogger('bench', 'silent');
  const db = openDatabase<object>({ url, poolSize: 1, applicationName: 'bench', logger });
  try {
    await work(forTenant(db, business.id));
  } finally {
    await db.destroy();
  }
}
