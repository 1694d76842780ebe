import { type Database, isAdvisoryLockHeld, type Transaction, tryAdvisoryLocks } from '@pinkas/service-kit';
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
 * Marks keys as in progress on every replica, with advisory locks that end with the transaction, and limits how long each
 * later lock of the transaction may be waited for.
 * @returns `areLocked`: false for a key that another replica holds; `databaseNow`: the time on the database's clock.
 */
export function lockKeysWithin(
  trx: Transaction<IssuingTables>,
  keys: readonly IdempotencyKey[],
  lockWaitMs: number,
): Promise<{ areLocked: boolean[]; databaseNow: Date }> {
  return tryAdvisoryLocks(
    trx,
    lockWaitMs,
    keys.map((key) => [key.business_id, key.idempotency_key]),
  );
}

/**
 * Whether another replica issues with the key now. It takes a shared lock for the duration of the statement; a request that
 * begins with the key in that instant gets `request_in_progress`, which is true.
 */
export function isKeyLocked(db: Database<IssuingTables>, key: IdempotencyKey): Promise<boolean> {
  return isAdvisoryLockHeld(db, key.business_id, key.idempotency_key);
}
