import type { documentEventDue, EventOf } from '@pinkas/contracts';
import { timeOrderedId } from '@pinkas/service-kit';
import { type NewEvent, newEvent } from './stored-event.js';

/** As long before its end as the warning of a real connection comes at the earliest. */
const validMs = 15 * 24 * 3_600_000;

/** The event about the connection to the tax authority that an item of a test document provokes (ADR 0052). */
export function provokedConnectionEvent({
  business_id,
  connection,
  occurred_at,
}: EventOf<typeof documentEventDue>): NewEvent[] {
  if (connection === undefined) {
    return [];
  }
  const until = new Date(Date.parse(occurred_at) + validMs).toISOString();
  const event = newEvent({
    ...{ business_id, id: timeOrderedId(), type: `authority.${connection}` },
    document_id: null,
    sequence: null,
    occurredAt: occurred_at,
    data: { connection: { valid_until: connection === 'expiring' ? until : null } },
  });
  return [event];
}
