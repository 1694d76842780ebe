import { type Database, isAdvisoryLockHeld, type Transaction, tryAdvisoryLock } from '@pinkas/service-kit';
import type { IssuingTables } from './document.tables.js';

/** An idempotency key of a business. */
export interface IdempotencyKey {
  business_id: string;
  idempotency_key: string;
}

export const idempotencyKeyOf = (request: {
  business: { id: string };
  idempotency_key: string;
}): IdempotencyKey => ({ business_id: request.business.id, idempotency_key: request.idempotency_key });

/**
 * Marks the key as in progress on every replica, with an advisory lock that ends with the transaction, and limits how long
 * each later lock of the transaction may be waited for.
 * @returns `isLocked`: false where another replica holds the key; `databaseNow`: the time on the database's clock.
 */
export function lockKeyWithin(
  trx: Transaction<IssuingTables>,
  key: IdempotencyKey,
  lockWaitMs: number,
): Promise<{ isLocked: boolean; databaseNow: Date }> {
  return tryAdvisoryLock(trx, lockWaitMs, key.business_id, key.idempotency_key);
}

/**
 * Whether another replica issues with the key now. It takes a shared lock for the duration of the statement; a request that
 * begins with the key in that instant gets `request_in_progress`, which is true.
 */
export function isKeyLocked(db: Database<IssuingTables>, key: IdempotencyKey): Promise<boolean> {
  return isAdvisoryLockHeld(db, key.business_id, key.idempotency_key);
}
