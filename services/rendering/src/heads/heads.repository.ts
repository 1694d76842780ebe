import { advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import type { RenderingTables } from '../artifact/artifact.tables.js';
import type { HeadsCertificateTable, SignedHeadsTable } from './heads.tables.js';

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

/** Stores certificates; those that are stored already stay as they are. */
export async function insertCertificates(
  trx: Transaction<RenderingTables>,
  rows: readonly HeadsCertificateTable[],
): Promise<void> {
  await trx
    .insertInto('heads_certificate')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function storedCertificates(db: Reader): Promise<Pick<HeadsCertificateTable, 'sha256' | 'purpose'>[]> {
  return db.selectFrom('heads_certificate').select(['sha256', 'purpose']).execute();
}
