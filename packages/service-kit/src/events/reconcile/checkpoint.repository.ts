import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../messaging.tables.js';

/**
 * Claims a consumer for this process, so that one replica at a time compares it.
 * @param unclaimedForMs only where nothing has claimed it for so long.
 * @returns the position up to which it misses nothing, 0 before its first reconciliation; null where it is not claimed.
 */
export async function claimCheckpoint(
  db: Kysely<MessagingTables>,
  consumer: string,
  claimMs: number,
  unclaimedForMs: number,
): Promise<number | null> {
  const { rows } = await sql<{ position: number; claimed: boolean }>`
    insert into reconcile_checkpoint as checkpoint (consumer, position, claimed_until)
    values (${consumer}, 0, ${fromNow(unclaimedForMs > 0 ? 0 : claimMs)})
    on conflict (consumer) do update set claimed_until = ${fromNow(claimMs)}
      where checkpoint.claimed_until <= ${fromNow(-unclaimedForMs)}
    returning position, claimed_until > now() as claimed
  `.execute(db);
  return rows[0]?.claimed ? rows[0].position : null;
}

/** Keeps a claim for a further time. */
export async function extendClaim(
  db: Kysely<MessagingTables>,
  consumer: string,
  claimMs: number,
): Promise<void> {
  await db
    .updateTable('reconcile_checkpoint')
    .set({ claimed_until: fromNow(claimMs) })
    .where('consumer', '=', consumer)
    .execute();
}

/** Advances the checkpoint, and never moves it back: another replica may be ahead. */
export async function saveCheckpoint(
  db: Kysely<MessagingTables>,
  consumer: string,
  position: number,
): Promise<void> {
  await db
    .updateTable('reconcile_checkpoint')
    .set({ position: sql`greatest(position, ${position})` })
    .where('consumer', '=', consumer)
    .execute();
}

const fromNow = (ms: number) => sql<Date>`now() + make_interval(secs => ${ms / 1_000})`;
