import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Announced } from './announcement.repository.js';

/** The position up to which a consumer owes nothing; 0 before its first sweep. */
export async function sweptThrough(db: Kysely<MessagingTables>, consumer: string): Promise<number> {
  const row = await db
    .selectFrom('sweep')
    .select('position')
    .where('consumer', '=', consumer)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/** Moves the cursor on, never back: another replica may have come further. */
export async function noteSweptThrough(
  db: Kysely<MessagingTables>,
  consumer: string,
  position: number,
): Promise<void> {
  await db
    .insertInto('sweep')
    .values({ consumer, position })
    .onConflict((conflict) =>
      conflict.column('consumer').doUpdateSet({ position: sql`greatest(sweep.position, excluded.position)` }),
    )
    .execute();
}

/** Those of the announcements that the consumer has neither handled nor parked, in their order. */
export async function owedOf(
  db: Kysely<MessagingTables>,
  consumer: string,
  announcements: readonly Announced[],
): Promise<Announced[]> {
  if (announcements.length === 0) return [];
  const ids = announcements.map((one) => one.id);
  const { rows } = await sql<{ message_id: string }>`
    select message_id from inbox where consumer = ${consumer} and message_id = any(${ids}::uuid[])
    union all
    select message_id from dead_letter where consumer = ${consumer} and message_id = any(${ids}::uuid[])
  `.execute(db);
  const settled = new Set(rows.map((row) => row.message_id));
  return announcements.filter((one) => !settled.has(one.id));
}

/** Counts a try that is about to be made: one that ends its process counts as well. @returns the try's number, from 1. */
export async function countTry(
  db: Kysely<MessagingTables>,
  consumer: string,
  messageId: string,
): Promise<number> {
  const { tries } = await db
    .insertInto('sweep_try')
    .values({ consumer, message_id: messageId, tries: 1 })
    .onConflict((conflict) =>
      conflict.columns(['consumer', 'message_id']).doUpdateSet({ tries: sql`sweep_try.tries + 1` }),
    )
    .returning('tries')
    .executeTakeFirstOrThrow();
  return tries;
}

/** Forgets the tries of a consumer that owes nothing any more. */
export async function forgetTries(db: Kysely<MessagingTables>, consumer: string): Promise<void> {
  await db.deleteFrom('sweep_try').where('consumer', '=', consumer).execute();
}
