import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../messaging.tables.js';

/** How far a consumer has read the outbox of its event's owner. */
interface OutboxReader {
  readonly consumer: string;
  /** It has handled or dead-lettered every event up to here, inclusive; 0 before its first reconciliation. */
  readonly position: number;
  /** The age of the oldest event that it has not read; 0 where there is none. */
  readonly unreadSeconds: number;
}

/** Stores how far a consumer has read: less than before where its database was restored. */
export async function saveReader(
  db: Kysely<MessagingTables>,
  consumer: string,
  position: number,
): Promise<void> {
  await db
    .insertInto('outbox_reader')
    .values({ consumer, position })
    .onConflict((conflict) =>
      conflict.column('consumer').doUpdateSet({ position }).where('outbox_reader.position', '!=', position),
    )
    .execute();
}

/** How far each of the consumers has read. */
export async function readersOf(
  db: Kysely<MessagingTables>,
  consumers: readonly string[],
): Promise<OutboxReader[]> {
  const { rows } = await sql<OutboxReader>`
    select reader.consumer, reader.position,
      coalesce(extract(epoch from clock_timestamp() - (
        select created_at from outbox where outbox.position > reader.position order by outbox.position limit 1
      )), 0)::float8 as "unreadSeconds"
    from (
      select named.consumer, coalesce(outbox_reader.position, 0) as position
      from unnest(${sql.val(consumers)}::text[]) as named (consumer)
      left join outbox_reader on outbox_reader.consumer = named.consumer
    ) as reader
  `.execute(db);
  return rows;
}
