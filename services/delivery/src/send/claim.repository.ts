import { type Clock, type Database, type NextDue, nextDue, type Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import {
  type DeliveryChannel,
  type DeliveryRow,
  type DeliveryTables,
  type DocumentKey,
  deliveryColumns,
  type MessageKey,
} from '../db/delivery.tables.js';

/**
 * When the next message of a channel is due, or the claim of a send attempt in flight expires. Another claim that expires is seen
 * at the next look: messages that wait may be many, and this reads the first of them alone.
 */
export function nextDueMessage(
  db: Database<DeliveryTables>,
  channel: DeliveryChannel,
  clock: Clock,
): Promise<NextDue> {
  return nextDue(
    db,
    clock,
    (now) => sql`least(
      (select min(next_attempt_at) from delivery
       where channel = ${channel} and state = 'ready' and (claimed_until is null or claimed_until < ${now})),
      (select min(claimed_until) from delivery where state = 'sending')
    )`,
  );
}

/**
 * Counts the unsent messages of every tenant, and for how long the oldest has been due. Messages that wait for their PDF
 * are not counted: rendering's events are.
 */
export async function pendingMessages(
  all: Database<DeliveryTables>,
  now: Date,
): Promise<{ due: number; deferred: number; sending: number; oldestDueSeconds: number }> {
  // Two queries, so that each uses its own index.
  const ready = await all
    .selectFrom('delivery')
    .select([
      sql<number>`(count(*) filter (where next_attempt_at <= ${now}))::int`.as('due'),
      sql<number>`(count(*) filter (where next_attempt_at > ${now}))::int`.as('deferred'),
      sql<Date | null>`min(next_attempt_at)`.as('first'),
    ])
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow();
  const { sending } = await all
    .selectFrom('delivery')
    .select(sql<number>`count(*)::int`.as('sending'))
    .where('state', '=', 'sending')
    .executeTakeFirstOrThrow();
  const { due, deferred, first } = ready;
  const oldestDueSeconds = first ? Math.max(0, (now.getTime() - first.getTime()) / 1_000) : 0;
  return { due, deferred, sending, oldestDueSeconds };
}

/** Claims due messages of a channel for this worker until `until`. */
export async function claimDue(
  db: Database<DeliveryTables>,
  channel: DeliveryChannel,
  limit: number,
  now: Date,
  until: Date,
): Promise<DeliveryRow[]> {
  return db
    .with('due', (due) =>
      due
        .selectFrom('delivery')
        .select(['business_id', 'id'])
        .where('channel', '=', channel)
        .where('state', '=', 'ready')
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('delivery')
    .from('due')
    .set({ claimed_until: until })
    .whereRef('delivery.business_id', '=', 'due.business_id')
    .whereRef('delivery.id', '=', 'due.id')
    .returning(deliveryColumns.map((column) => `delivery.${column}` as const))
    .execute();
}

/** The messages whose send attempt was in flight when its process died. */
export async function expiredClaims(
  db: Database<DeliveryTables>,
  limit: number,
  now: Date,
): Promise<(MessageKey & DocumentKey)[]> {
  return db
    .selectFrom('delivery')
    .select(['business_id', 'document_id', 'id'])
    .where('state', '=', 'sending')
    .where('claimed_until', '<', now)
    .limit(limit)
    .execute();
}

/** Locks a message if its send attempt was in flight when its process died, and no other process has it. */
export async function lockExpiredClaim(
  trx: Transaction<DeliveryTables>,
  key: MessageKey,
  now: Date,
): Promise<DeliveryRow | undefined> {
  return trx
    .selectFrom('delivery')
    .selectAll()
    .where('business_id', '=', key.business_id)
    .where('id', '=', key.id)
    .where('state', '=', 'sending')
    .where('claimed_until', '<', now)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/** Locks a message until the transaction ends. @returns its current row. */
export async function lockMessage(trx: Transaction<DeliveryTables>, key: MessageKey): Promise<DeliveryRow> {
  return trx
    .selectFrom('delivery')
    .select(deliveryColumns)
    .where('business_id', '=', key.business_id)
    .where('id', '=', key.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/**
 * Releases a claim unused: the message is due again at `until`.
 * @param notBefore what its status says of the wait; by default that it is the wait.
 */
export async function postpone(
  db: Database<DeliveryTables>,
  row: DeliveryRow,
  until: Date,
  notBefore: Date | null = until,
): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ next_attempt_at: until, not_before: notBefore, claimed_until: null })
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('claimed_until', '=', row.claimed_until)
    .execute();
}

/** Releases a claim unused: the message is due as before. */
export async function releaseClaim(db: Database<DeliveryTables>, row: DeliveryRow): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ claimed_until: null })
    .where('business_id', '=', row.business_id)
    .where('id', '=', row.id)
    .where('state', '=', 'ready')
    .where('claimed_until', '=', row.claimed_until)
    .execute();
}
