import type { RevisionContent } from '../document/sheet.js';

/** The facts that the latest revision of a document shows. */
interface LatestRevision {
  readonly allocation_number: string | null;
  readonly number_pending: boolean;
  readonly report_cancelled?: boolean;
  readonly not_deductible?: boolean;
  readonly cancelled_at: Date | null;
  readonly cancel_reason: string | null;
}

/** The events of a document after its issue. */
export interface DocumentChange {
  /** Of the tax authority, for an invoice or a donation; null: still none. */
  readonly allocationNumber?: string | null;
  /** Whether the number is still being obtained; absent: as the latest revision says. */
  readonly numberPending?: boolean;
  /** Whether the report of its donation was cancelled. */
  readonly reportCancelled?: boolean;
  /** Whether its owner went on without the number that was refused, so that no input VAT is deducted by it. */
  readonly notDeductible?: boolean;
  /** ISO 8601 */
  readonly cancelledAt?: string;
  readonly cancelReason?: string | null;
}

/**
 * What the next revision of a document shows, or null where the latest shows the change already. Nothing that was shown once is
 * lost, in whatever order changes come, and a revision that does not say that a number is being obtained is never followed by
 * one that does.
 *
 * Only one output may say 'מקור' (Income Tax Bookkeeping Instructions, appendix E). A revision that adds the allocation number,
 * or stops saying that it is being obtained, is the original as long as no revision was released for the customer; every other
 * is a copy.
 */
export function nextRevision(
  latest: LatestRevision,
  released: boolean,
  change: DocumentChange,
): RevisionContent | null {
  const allocationNumber = change.allocationNumber ?? latest.allocation_number;
  const numberPending = latest.number_pending && allocationNumber === null && change.numberPending !== false;
  const cancelledAt = latest.cancelled_at?.toISOString() ?? change.cancelledAt ?? null;
  const reportCancelled = latest.report_cancelled === true || change.reportCancelled === true;
  // A number that comes after all, by an objection, makes it deductible.
  const notDeductible =
    allocationNumber === null && (latest.not_deductible === true || change.notDeductible === true);
  const cancelledNow = cancelledAt !== null && latest.cancelled_at === null;
  if (
    allocationNumber === latest.allocation_number &&
    numberPending === latest.number_pending &&
    reportCancelled === (latest.report_cancelled === true) &&
    notDeductible === (latest.not_deductible === true) &&
    !cancelledNow
  ) {
    return null;
  }
  const cancelReason = cancelledNow ? (change.cancelReason ?? null) : latest.cancel_reason;
  return {
    allocationNumber,
    numberPending,
    cancelledAt,
    cancelReason,
    ...(reportCancelled && { reportCancelled }),
    ...(notDeductible && { notDeductible }),
    output: released || reportCancelled || cancelledAt !== null ? 'copy' : 'original',
  };
}
