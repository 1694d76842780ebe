import type { SetOff } from '@pinkas/contracts';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import { lockBook, type Reader } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

/** An amount that an act has set against a document. */
type SetOffRow = Selectable<IssuingTables['set_off']>;

/** What an act has set against each of its documents, removed or not. */
export function findSetOffs(db: Reader, businessId: string, id: string): Promise<SetOffRow[]> {
  return db
    .selectFrom('set_off')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .execute();
}

/** What is set against a document of the money on account, the latest first. */
export async function setOffsOf(
  db: Database<IssuingTables>,
  businessId: string,
  documentId: string,
): Promise<SetOff[]> {
  const rows = await db
    .selectFrom('set_off')
    .select(['id', 'amount', 'set_at'])
    .where('business_id', '=', businessId)
    .where('document_id', '=', documentId)
    .where('kind', '=', 'credit')
    .where('removed_at', 'is', null)
    .orderBy('set_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ id, amount, set_at }) => ({
    set_off_id: id,
    amount: Number(amount),
    set_at: set_at.toISOString(),
  }));
}

/** @returns false: it was removed before, or never was. */
export async function markRemoved(
  trx: Transaction<IssuingTables>,
  { business_id, id, document_id, kind }: Pick<SetOffRow, 'business_id' | 'id' | 'document_id' | 'kind'>,
  at: Date,
): Promise<SetOffRow | undefined> {
  return trx
    .updateTable('set_off')
    .set({ removed_at: at })
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .where('document_id', '=', document_id)
    .where('kind', '=', kind)
    .where('removed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Locks the book, and reads what an account has beyond its open documents, in agorot. */
export async function lockOnAccount(
  trx: Transaction<IssuingTables>,
  businessId: string,
  accountId: string,
): Promise<bigint> {
  await lockBook(trx, businessId);
  return onAccountOf(trx, businessId, accountId);
}

/** What an account has beyond its open documents, in agorot. */
export async function onAccountOf(db: Reader, businessId: string, accountId: string): Promise<bigint> {
  const sum = await db
    .selectFrom('debt_sum')
    .select('on_account_agorot')
    .where('business_id', '=', businessId)
    .where('account_id', '=', accountId)
    .where(sql<boolean>`due_on = 'infinity'`)
    .executeTakeFirst();
  return BigInt(sum?.on_account_agorot ?? 0);
}
