import { advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import type { RenderingTables } from '../artifact/artifact.tables.js';
import type { SignedHeadsTable } from './heads.tables.js';

type Reader = Database<RenderingTables> | Transaction<RenderingTables>;

/** One statement is signed at a time. */
export async function lockStatements(trx: Transaction<RenderingTables>): Promise<void> {
  await advisoryLock(trx, 'signed heads');
}

export function lastStatement(db: Reader): Promise<SignedHeadsTable | undefined> {
  return db
    .selectFrom('signed_heads')
    .select(['n', 'signed_at', 'statement', 'signature', 'certificate_sha256'])
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function statementAfter(db: Reader, n: number): Promise<SignedHeadsTable | undefined> {
  return db
    .selectFrom('signed_heads')
    .select(['n', 'signed_at', 'statement', 'signature', 'certificate_sha256'])
    .where('n', '>', n)
    .orderBy('n')
    .limit(1)
    .executeTakeFirst();
}

export async function insertStatement(
  trx: Transaction<RenderingTables>,
  row: SignedHeadsTable,
): Promise<void> {
  await trx.insertInto('signed_heads').values(row).execute();
}
