import { randomUUID } from 'node:crypto';
import type { DocumentType } from '@pinkas/domain';
import { createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { Caller, type Issuer } from './callers.js';
import type { BenchStack } from './stack.js';

/** As many rows as one statement writes, so that it ends in time. */
const part = 5_000;

/** Copies of one document. */
export interface BookOfCopies {
  /** The request that issues the document. */
  readonly body: object;
  /** The types of the copies, in turn; only columns that every type has are changed. */
  readonly types: readonly DocumentType[];
  readonly documents: number;
}

/** Fills the book with copies of a document that is issued for real, a minute apart. @returns the id of that document. */
export async function fillBook(
  stack: BenchStack,
  issuer: Issuer,
  { body, types, documents }: BookOfCopies,
  progress: (text: string) => void,
): Promise<string> {
  const caller = new Caller(stack.file.base_url, issuer.key);
  const headers = { 'idempotency-key': randomUUID() };
  const issue = () => caller.call(201, '/documents', { body, headers });
  // The same request again: a system that has just started on a busy machine may not answer the first one in time.
  const answer = await issue().catch(issue);
  caller.close();
  const { id } = JSON.parse(answer) as { id: string };
  await withDatabase(stack, 'issuing', issuer, async (db) => {
    const { rows } = await sql<{ column_name: string }>`
      select column_name from information_schema.columns where table_name = 'document' order by ordinal_position`.execute(
      db,
    );
    const columns = rows.map((row) => row.column_name);
    const copied: Record<string, string> = {
      id: 'gen_random_uuid()',
      public_id: "encode(uuid_send(gen_random_uuid()), 'hex')",
      type: `('{${types.join(',')}}'::text[])[n % ${types.length} + 1]`,
      number: `n / ${types.length} + 1`,
      position: 'n + 1',
      idempotency_key: "'measured-' || n",
      external_ref: "'order-' || n",
      issued_at: `date_trunc('milliseconds', issued_at - make_interval(secs => (${documents} - n) * 60))`,
      dated_on: `(issued_at - make_interval(secs => (${documents} - n) * 60))::date`,
    };
    for (let from = 1; from <= documents; from += part) {
      if (from % 100_000 === 1) {
        progress(`  ${from - 1} documents`);
      }
      await sql`insert into document (${sql.raw(columns.join(', '))})
        select ${sql.raw(columns.map((column) => copied[column] ?? column).join(', '))}
        from (select * from document where business_id = ${issuer.business.id} and id = ${id} offset 0) document,
          generate_series(${sql.lit(from)}, ${sql.lit(Math.min(from + part - 1, documents))}) n`.execute(db);
    }
    await sql`update book set last_position = ${sql.lit(documents + 1)}`.execute(db);
  });
  return id;
}

/** Opens a service's database as that business sees it. */
export async function withDatabase(
  stack: BenchStack,
  service: 'issuing' | 'customer',
  issuer: Issuer,
  work: (db: Database<object>) => Promise<void>,
): Promise<void> {
  const db = openDatabase<object>({
    url: stack.file.postgres[service],
    poolSize: 1,
    applicationName: 'bench',
    logger: createLogger('bench', 'silent'),
  });
  try {
    await work(forTenant(db, issuer.business.id));
  } finally {
    await db.destroy();
  }
}
