import type { Donation, DonationState } from '@pinkas/contracts';
import { reachedAt } from '../allocation/allocation-view.js';
import type { AllocationRow } from '../attempt/allocation.repository.js';
import { type DonationReportRow, printedNumberOf } from '../attempt/donation.repository.js';

/** A donation as its owner reads it. @param reports of any receipts, this one among them. */
export function toDonation(row: AllocationRow, reports: readonly DonationReportRow[]): Donation {
  const own = reports.filter(({ document_id }) => document_id === row.document_id);
  return {
    document_id: row.document_id,
    business_id: row.business_id,
    document_number: row.facts.document.number,
    state: stateOf(row),
    number: printedNumberOf(own),
    reason: row.reason,
    refusal_codes: row.refusal_codes ?? [],
    attempts: row.attempts,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    decided_at: reachedAt(row).toISOString(),
    cancellation:
      row.cancel_requested_at === null
        ? null
        : { requested_at: row.cancel_requested_at.toISOString(), reason: row.cancel_reason ?? '' },
    reports: own.map(({ n, means, tax_year, amount, number, cancellation_number }) => ({
      index: n,
      means,
      tax_year,
      amount: Number(amount),
      number,
      cancellation_number,
    })),
  };
}

function stateOf({ state, cancel_requested_at }: AllocationRow): DonationState {
  if (state === 'issued') {
    return cancel_requested_at === null ? 'reported' : 'cancelled';
  }
  return state;
}
