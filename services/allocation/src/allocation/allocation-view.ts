import type { Allocation, AllocationAttempt } from '@pinkas/contracts';
import type { AllocationRow, AttemptRow } from '../attempt/allocation.repository.js';
import { type DecisionRow, toDecision } from '../attempt/decision.repository.js';

/**
 * The allocation of a document as its owner reads it.
 * @param decision the last one about its refusal.
 */
export function toAllocation(row: AllocationRow, decision: DecisionRow | undefined): Allocation {
  return {
    document_id: row.document_id,
    state: row.state,
    number: row.number,
    reason: row.reason,
    refusal_codes: row.refusal_codes ?? [],
    attempts: row.attempts,
    first_attempt_at: row.first_attempt_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    decided_at: reachedAt(row).toISOString(),
    ...(row.is_final && { is_final: true }),
    ...(row.entered_at && { entered: { at: row.entered_at.toISOString(), actor: row.entered_by ?? '' } }),
    ...(row.refused_at && { refused_at: row.refused_at.toISOString() }),
    ...(decision && { decision: toDecision(decision) }),
  };
}

/** An attempt as its owner reads it. */
export function toAttempt(row: AttemptRow): AllocationAttempt {
  return {
    n: row.n,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    outcome: row.outcome,
    number: row.number,
    reason: row.reason,
    refusal_codes: row.refusal_codes ?? [],
  };
}

/** When a document reached its state. */
export function reachedAt(row: AllocationRow): Date {
  switch (row.state) {
    case 'issued':
      return row.settled_at ?? row.decided_at;
    case 'refused':
      return row.refused_at ?? row.decided_at;
    case 'dead_lettered':
      return row.dead_lettered_at ?? row.decided_at;
    case 'pending':
      // A schedule that restarted did so with an attempt.
      return row.earlier_attempts > 0 ? (row.first_attempt_at ?? row.decided_at) : row.decided_at;
    default:
      return row.decided_at;
  }
}
