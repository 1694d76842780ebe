import type { Database, Transaction } from '@pinkas/service-kit';
import { type RawBuilder, sql } from 'kysely';
import type { IssuingTables } from './document.tables.js';

/** An idempotency key: it belongs to the business. */
export interface IdempotencyKey {
  business_id: string;
  idempotency_key: string;
}

const nameOf = (key: IdempotencyKey): RawBuilder<string> =>
  sql`hashtextextended(${`${key.business_id} ${key.idempotency_key}`}, 0)`;

/**
 * 'In progress' on every replica: a lock on the key that ends with the transaction, however that ends.
 * @param lockWaitMs how long each later lock of the transaction is waited for at the most.
 */
export async function tryLockKey(
  trx: Transaction<IssuingTables>,
  key: IdempotencyKey,
  lockWaitMs: number,
): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${nameOf(key)}) as locked,
      set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`.execute(trx);
  return rows[0]?.locked ?? false;
}

/**
 * Whether another replica issues with the key at this moment. A shared lock, for the time of the question, finds out; who
 * tries the key in that instant is told that it is in progress, and so it is.
 */
export async function isKeyLocked(db: Database<IssuingTables>, key: IdempotencyKey): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock_shared(${nameOf(key)}) as free`.execute(db);
  return rows[0]?.free === false;
}
