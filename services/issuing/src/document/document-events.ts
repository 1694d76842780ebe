import { type DocumentEventType, documentEventDue, type EventOf } from '@pinkas/contracts';
import {
  makeEvent,
  type OutboxEvent,
  type OutboxTransaction,
  outboxRows,
  timeOrderedId,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { NewDocumentRow } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';
import { listedDocument } from './document-row.js';

/** An event for callers, whose number in the order of commits is known once the book is locked. */
type DocumentEvent = OutboxEvent & { body: EventOf<typeof documentEventDue> };

/** An event for callers about a document as it is now. Its number is taken by `insertIssued`, or by `publishDocumentEvent`. */
export function documentEvent(
  trx: OutboxTransaction<IssuingTables>,
  type: DocumentEventType,
  row: NewDocumentRow,
  occurredAt: string,
  more: Partial<Pick<DocumentEvent['body'], 'closed_by' | 'connection' | 'sequence'>> = {},
): OutboxEvent {
  return makeEvent(trx, documentEventDue, row.id, {
    business_id: row.business_id,
    event_id: timeOrderedId(),
    occurred_at: occurredAt,
    type,
    sequence: 1,
    listed: listedDocument(row),
    ...more,
  });
}

/** Whether an event is one for callers. */
export const isDocumentEvent = (event: OutboxEvent): event is DocumentEvent =>
  event.subject.startsWith(`${documentEventDue.subject}.`);

/** Numbers events for callers in memory, from the one after `last`. */
export function numberEvents(events: readonly DocumentEvent[], last: number): void {
  for (const [index, event] of events.entries()) {
    event.body = { ...event.body, sequence: last + index + 1 };
  }
}

/** The body of a row of the outbox where the statement knows the number before the first of its events, as `last_event`. */
export const numberedBody = sql`case when starts_with(subject, ${`${documentEventDue.subject}.`})
  then (body::jsonb || jsonb_build_object('sequence', last_event + (body ->> 'sequence')::bigint))::json else body end`;

/** Publishes an event for callers. It locks the book until the transaction ends: nothing of the business may be locked after it but sums. */
export async function publishDocumentEvent(
  trx: OutboxTransaction<IssuingTables>,
  type: DocumentEventType,
  row: NewDocumentRow,
  occurredAt: string,
): Promise<void> {
  const { last_event: sequence } = await trx
    .updateTable('book')
    .set((set) => ({ last_event: set('last_event', '+', 1) }))
    .where('business_id', '=', row.business_id)
    .returning('last_event')
    .executeTakeFirstOrThrow();
  const event = documentEvent(trx, type, row, occurredAt, { sequence });
  await sql`insert into outbox (id, subject, body, request_id, trace)
    select id, subject, body, request_id, trace from ${outboxRows(trx, [event])}`.execute(trx);
}
