import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../../db/messaging-tables.js';

/** The position up to which a consumer misses nothing; 0 before its first reconciliation. */
export async function loadCheckpoint(db: Kysely<MessagingTables>, consumer: string): Promise<number> {
  const row = await db
    .selectFrom('reconcile_checkpoint')
    .select('position')
    .where('consumer', '=', consumer)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/** Advances the checkpoint, and never moves it back: another replica may be ahead. */
export async function saveCheckpoint(
  db: Kysely<MessagingTables>,
  consumer: string,
  position: number,
): Promise<void> {
  await db
    .insertInto('reconcile_checkpoint')
    .values({ consumer, position })
    .onConflict((conflict) =>
      conflict
        .column('consumer')
        .doUpdateSet({ position: sql`greatest(reconcile_checkpoint.position, excluded.position)` }),
    )
    .execute();
}

/**
 * Counts an attempt before it is made, so that one which ends its process counts as well.
 * @param pauseMs between two attempts, of whatever replica: more replicas must not use up the attempts sooner.
 * @returns the number of the attempt, from 1; null where it is too early for another.
 */
export async function countAttempt(
  db: Kysely<MessagingTables>,
  consumer: string,
  messageId: string,
  pauseMs: number,
): Promise<number | null> {
  const row = await db
    .insertInto('reconcile_attempt')
    .values({ consumer, message_id: messageId, attempts: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['consumer', 'message_id'])
        .doUpdateSet({ attempts: sql`reconcile_attempt.attempts + 1`, last_attempt_at: sql`now()` })
        .where(
          'reconcile_attempt.last_attempt_at',
          '<=',
          sql<Date>`now() - make_interval(secs => ${pauseMs / 1_000})`,
        ),
    )
    .returning('attempts')
    .executeTakeFirst();
  return row?.attempts ?? null;
}

/** Deletes the attempts of a consumer that misses nothing. */
export async function deleteAttempts(db: Kysely<MessagingTables>, consumer: string): Promise<void> {
  await db.deleteFrom('reconcile_attempt').where('consumer', '=', consumer).execute();
}
