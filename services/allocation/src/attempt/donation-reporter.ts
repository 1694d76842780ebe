import { Injectable } from '@nestjs/common';
import { type DonationOutcome, donationSettled } from '@pinkas/contracts';
import { donationReports, joinNumbers } from '@pinkas/domain';
import {
  type Database,
  forTenant,
  InjectConfig,
  InjectDatabase,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import type { AttemptOutcome, FailedAttempt, ReportNumber } from '../authority/attempt-outcome.js';
import type { DonationDocument } from '../authority/donation-interface.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import type { AllocationRow, ClaimedRow } from './allocation.repository.js';
import { type DonationReportRow, printedNumberOf, readReports } from './donation.repository.js';
import { DonationAuthority, type Report, type ReportOutcome } from './donation-authority.js';
import type { RetryTransition } from './retry-policy.js';

/** The result of an attempt for one report, and why the attempt ends with it. */
interface Progress {
  readonly numbers: readonly ReportNumber[];
  readonly failed?: Exclude<ReportOutcome, { kind: 'reported' }>;
}

function progressOf(report: Report, kind: ReportNumber['kind'], outcome: ReportOutcome): Progress {
  if (outcome.kind !== 'reported') {
    return { numbers: [], failed: outcome };
  }
  const { number, answer } = outcome;
  return { numbers: [{ n: report.index, kind, number, answer }] };
}

/** The time of an attempt is over with reports left, none of which was sent. */
const outOfTime: FailedAttempt = {
  kind: 'failed',
  failure: 'time_out',
  reason: 'The tax authority did not answer for all reports of the receipt in time.',
  retryable: true,
  awaitsConnection: false,
  answer: null,
  outcomeUnknown: false,
};

/** Reports donations, and cancels their reports: what the machine of allocation numbers does for a donation in one attempt. */
@Injectable()
export class DonationReporter {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly authority: DonationAuthority,
  ) {}

  /**
   * Makes the reports of a receipt that have no number yet, one after the other; or cancels those that have one, where that is asked for.
   * It ends with the first that the authority does not take. The numbers up to then are of the outcome in any case.
   */
  async attempt(row: ClaimedRow): Promise<AttemptOutcome> {
    const isCancelled = row.cancel_requested_at !== null;
    // Quick answers leave room for the reports of any receipt.
    const endMs = performance.now() + this.config.taxAuthorityTimeoutMs;
    const stored = await readReports(forTenant(this.db, row.business_id), [row]);
    const reportNumbers: ReportNumber[] = [];
    for (const report of donationReports(row.facts.document)) {
      const known = stored.find(({ n }) => n === report.index);
      const { numbers, failed } = isCancelled
        ? await this.#cancel(row, report, known, endMs)
        : await this.#report(row, report, known, endMs);
      reportNumbers.push(...numbers);
      if (failed) {
        return { ...failed, reportNumbers };
      }
    }
    const brought = reportNumbers.filter(({ kind }) => (kind === 'cancellation') === isCancelled);
    return {
      kind: 'granted',
      confirmationNumber: null,
      number: brought.length === 0 ? null : joinNumbers(brought.map((item) => item.number)),
      answer: brought.at(-1)?.answer ?? null,
      reportNumbers,
    };
  }

  /** Publishes what has become of a donation, in the transaction that stores it. */
  async settle(
    trx: OutboxTransaction<AllocationTables>,
    row: AllocationRow,
    transition: RetryTransition,
  ): Promise<void> {
    const donation = outcomeOf(row, transition, printedNumberOf(await readReports(trx, [row])));
    if (donation) {
      await publish(trx, donationSettled, row.document_id, { ...row.facts, donation });
    }
  }

  /** Makes one report that has no number yet. */
  async #report(
    row: ClaimedRow,
    report: Report,
    known: DonationReportRow | undefined,
    endMs: number,
  ): Promise<Progress> {
    if (known?.number) {
      return { numbers: [] };
    }
    return progressOf(report, 'report', await this.#send(row, report, { type: 'receipt' }, endMs));
  }

  /**
   * Cancels one report that has a number. One that may have arrived is sent again first, since its cancellation names its number; others are
   * not made any more.
   */
  async #cancel(
    row: ClaimedRow,
    report: Report,
    known: DonationReportRow | undefined,
    endMs: number,
  ): Promise<Progress> {
    const mayHaveArrived = known !== undefined && known.number === null && known.request !== null;
    const made = mayHaveArrived ? await this.#report(row, report, known, endMs) : { numbers: [] };
    const baseNumber = known?.number ?? made.numbers[0]?.number;
    if (made.failed || baseNumber === undefined || known?.cancellation_number) {
      return made;
    }
    const outcome = await this.#send(row, report, { type: 'cancellation', baseNumber }, endMs);
    const cancelled = progressOf(report, 'cancellation', outcome);
    return { ...cancelled, numbers: [...made.numbers, ...cancelled.numbers] };
  }

  async #send(
    row: ClaimedRow,
    report: Report,
    subject: DonationDocument,
    endMs: number,
  ): Promise<ReportOutcome> {
    const timeoutMs = Math.floor(endMs - performance.now());
    return timeoutMs <= 0 ? outOfTime : this.authority.report(row, report, subject, timeoutMs);
  }
}

/** The event of a transition; null: none is published. */
function outcomeOf(
  { cancel_requested_at, cancel_reason }: AllocationRow,
  { state, reason }: RetryTransition,
  number: string | null,
): DonationOutcome | null {
  if (cancel_requested_at !== null) {
    switch (state) {
      case 'issued':
        return { status: 'cancelled', number, reason: cancel_reason };
      case 'pending':
        return null;
      default:
        return number === null
          ? { status: 'failed', number, reason }
          : { status: 'reported', number, reason: `The report could not be cancelled: ${reason}` };
    }
  }
  switch (state) {
    case 'issued':
      return { status: 'reported', number, reason: null };
    case 'refused':
      return { status: 'refused', number: null, reason };
    case 'pending':
      return { status: 'pending', number: null, reason };
    case 'dead_lettered':
      return { status: 'failed', number: null, reason };
  }
}
