import type { TraceHeaders } from '@pinkas/contracts';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Clock } from '../../clock.js';
import type { NextDue } from '../../jobs/job-worker.js';
import { nextDue } from '../../jobs/next-due.js';
import type { DueEventTable, MessagingTables } from '../messaging.tables.js';
import { storable } from './dead-letter-reason.js';
import type { InboxKey } from './inbox.repository.js';

export type DueEvent = Selectable<DueEventTable>;

/**
 * Makes an event due again after a pause, unless it was handled. One that is due already keeps the larger count of attempts.
 * @param reason why the last attempt failed; null: none was made.
 */
export async function storeDueEvent(
  db: Kysely<MessagingTables>,
  { consumer, messageId }: InboxKey,
  event: { subject: string; body: string; requestId: string | null; trace: TraceHeaders | null },
  { reason, attempts, pauseMs }: { reason: string | null; attempts: number; pauseMs: number },
): Promise<void> {
  const requestId = event.requestId === null ? null : storable(event.requestId);
  await sql`
    insert into due_event (consumer, message_id, subject, body, request_id, trace, reason, attempts, next_attempt_at)
    select ${consumer}, ${messageId}::uuid, ${storable(event.subject)}, ${storable(event.body)}, ${requestId},
      ${event.trace && JSON.stringify(event.trace)}::json, ${reason}, ${attempts}::integer,
      clock_timestamp() + make_interval(secs => ${pauseMs / 1_000})
    where not exists (select from inbox where consumer = ${consumer} and message_id = ${messageId}::uuid)
    on conflict (consumer, message_id) do update
    set reason = excluded.reason, attempts = greatest(due_event.attempts, excluded.attempts),
      next_attempt_at = excluded.next_attempt_at, claimed_until = null
  `.execute(db);
}

/** When the next event is due; a claim that expires is seen at the next look. The events may be many: this reads the first of them. */
export function nextDueEvent(db: Kysely<MessagingTables>, clock: Clock): Promise<NextDue> {
  return nextDue(
    db,
    clock,
    (now) => sql`(
      select min(next_attempt_at) from due_event where claimed_until is null or claimed_until <= ${now}
    )`,
  );
}

/** Claims due events for this process until `until`, and counts the attempts that begin. */
export async function claimDueEvents(
  db: Kysely<MessagingTables>,
  limit: number,
  now: Date,
  until: Date,
): Promise<DueEvent[]> {
  return db
    .with('due', (due) =>
      due
        .selectFrom('due_event')
        .select(['consumer', 'message_id'])
        .where('next_attempt_at', '<=', now)
        .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<=', now)]))
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('due_event')
    .from('due')
    .set({ claimed_until: until, attempts: sql`attempts + 1` })
    .whereRef('due_event.consumer', '=', 'due.consumer')
    .whereRef('due_event.message_id', '=', 'due.message_id')
    .returningAll('due_event')
    .execute();
}
