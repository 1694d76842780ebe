import type { MessageStatus } from '@pinkas/contracts';
import type { DeliveryRow } from '../db/delivery.tables.js';

/** The status of a message as an operator reads it. */
export function messageStatus(row: DeliveryRow): MessageStatus {
  const endedAt = row.sent_at ?? row.failed_at ?? row.withdrawn_at;
  return {
    delivery_id: row.id,
    channel: row.channel,
    purpose: row.purpose,
    state: row.state,
    next_attempt_at: nextAttemptOf(row)?.toISOString() ?? null,
    not_before: row.not_before?.toISOString() ?? null,
    held_until: heldUntilOf(row)?.toISOString() ?? null,
    follow_up: row.follows !== null,
    ...(row.report_cancelled && { [newsOf(row)]: true }),
    requested: row.requested,
    ...(row.reminder !== null && { reminder: true }),
    ...(row.reminder?.statement && { statement: true }),
    ended_at: endedAt?.toISOString() ?? null,
    reason: row.state === 'withdrawn' ? row.withdrawn_reason : row.last_error,
  };
}

/** The news that a follow-up brings: no document has both. */
function newsOf({ facts }: DeliveryRow): 'report_cancelled' | 'not_deductible' {
  return facts.document.type === 'donation_receipt' ? 'report_cancelled' : 'not_deductible';
}

/** Null where something else defers it. */
function heldUntilOf({ state, next_attempt_at: due, held_until: heldUntil }: DeliveryRow): Date | null {
  return state === 'ready' && heldUntil?.getTime() === due.getTime() ? heldUntil : null;
}

function nextAttemptOf({
  state,
  next_attempt_at: due,
  claimed_until: claimedUntil,
}: DeliveryRow): Date | null {
  if (state === 'ready') {
    return due;
  }
  return state === 'sending' ? claimedUntil : null;
}
