import { type EventContract, type EventOf, eventSubject, type TraceHeaders } from '@pinkas/contracts';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { timeOrderedId } from '../../db/time-ordered-id.js';
import { currentContext } from '../../process/context.js';
import { currentTraceHeaders } from '../../tracing/spans.js';
import type { EventValidators } from '../event-validators.js';
import type { MessagingTables } from '../messaging.tables.js';

/** An outbox event that JetStream does not have yet. */
export interface OutboxEvent {
  id: string;
  subject: string;
  body: unknown;
  request_id: string | null;
  trace: TraceHeaders | null;
}

/** The events of one transaction, to be sent right after its commit. */
export class OutboxBuffer {
  readonly events: OutboxEvent[] = [];
  constructor(readonly validators: EventValidators) {}
}

const outboxBuffer = Symbol('pinkas:outbox-buffer');

/** A transaction that can publish: `OutboxRelay.transaction` begins it, and sends its events after the commit. */
export type OutboxTransaction<Tables> = Transaction<Tables> & { readonly [outboxBuffer]: OutboxBuffer };

/** Gives a transaction its buffer. For the relay only. */
export function asOutboxTransaction<Tables>(
  trx: Transaction<Tables>,
  buffer: OutboxBuffer,
): OutboxTransaction<Tables> {
  return Object.assign(trx, { [outboxBuffer]: buffer });
}

/**
 * Publishes an event if, and only if, the transaction commits.
 * @throws Error when the body does not match the event's schema.
 */
export async function publish<E extends EventContract, Tables extends MessagingTables>(
  trx: OutboxTransaction<Tables>,
  event: E,
  documentId: string,
  body: EventOf<E>,
): Promise<void> {
  await sql`insert into outbox (id, subject, body, request_id, trace)
    select id, subject, body, request_id, trace from ${outboxRows(trx, [makeEvent(trx, event, documentId, body)])}`.execute(
    trx,
  );
}

/**
 * An event of the request and the trace of the current context, for `outboxRows`.
 * @throws Error when the body does not match the event's schema.
 */
export function makeEvent<E extends EventContract, Tables extends MessagingTables>(
  trx: OutboxTransaction<Tables>,
  event: E,
  documentId: string,
  body: EventOf<E>,
): OutboxEvent {
  const checked = trx[outboxBuffer].validators.check(event, body);
  if (!checked.ok) {
    throw new Error(`${event.subject} does not match its schema: ${JSON.stringify(checked.errors)}`);
  }
  return {
    id: timeOrderedId(),
    subject: eventSubject(event, documentId),
    body: checked.value,
    request_id: currentContext()?.requestId ?? null,
    trace: currentTraceHeaders(),
  };
}

/**
 * The rows of the outbox for events that a statement of the caller inserts, in their order: `insert into outbox (…) select … from`
 * this. They are sent after the commit, so the statement must insert them all, or the transaction must be rolled back.
 */
export function outboxRows<Tables extends MessagingTables>(
  trx: OutboxTransaction<Tables>,
  events: readonly OutboxEvent[],
): RawBuilder<OutboxEvent> {
  trx[outboxBuffer].events.push(...events);
  return sql`json_to_recordset(${JSON.stringify(events)}::json)
    as event (id uuid, subject text, body json, request_id text, trace json)`;
}
