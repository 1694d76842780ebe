import { Injectable } from '@nestjs/common';
import { allocationSettled, timeLimitsMs } from '@pinkas/contracts';
import {
  acrossTenants,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  OutboxRelay,
  type OutboxTransaction,
  publish,
  type Transaction,
  violatedConstraint,
} from '@pinkas/service-kit';
import type { AttemptOutcome, FailedAttempt } from '../authority/attempt-outcome.js';
import { findConnection, lockConnectionChanges, resumeAwaiting } from '../authority/connection.repository.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import {
  type AttemptEnd,
  type ClaimedRow,
  endAttempt,
  findByNumber,
  lockAllocation,
  type PendingRow,
  storeAttempt,
} from './allocation.repository.js';
import { AllocationMetrics } from './allocation-metrics.js';
import { takenDecision } from './decision.repository.js';
import { forgetReportRequests, storeReportNumbers } from './donation.repository.js';
import { DonationReporter } from './donation-reporter.js';
import { findNumberOfBusiness } from './entered-number.repository.js';
import { firstRefusal, type RetryTransition, retryTransition } from './retry-policy.js';
import { TaxAuthority } from './tax-authority.js';

/** How much longer than its calls a claim lasts, for storing the outcome. */
const claimMarginMs = timeLimitsMs.authorityClaimMargin;

/** An attempt of unknown outcome: it is repeated. */
const unknownOutcome = (reason: string, answer: string | null): FailedAttempt => ({
  kind: 'failed',
  failure: 'internal',
  reason,
  answer,
  outcomeUnknown: true,
  retryable: true,
  awaitsConnection: false,
});

/** A person has typed the number in for another document of the business. */
class EnteredElsewhereError extends Error {
  override readonly name = 'EnteredElsewhereError';

  constructor(readonly other: Pick<PendingRow, 'document_id' | 'facts'>) {
    super('the number was typed in for another document');
  }
}

/** A number that another document has. */
const numberKeys: readonly (string | undefined)[] = [
  'allocation_confirmation_number_key',
  'donation_report_number_key',
];

/**
 * One attempt for a claimed document: calls the authority outside of any transaction, then stores and publishes the outcome
 * in one (ADR 0068). An attempt outlives the caller that waits for it. What is asked for a donation is in `DonationReporter`.
 */
@Injectable()
export class AllocationRequester {
  /** How long a claim lasts, in milliseconds: a look-up, an approval, and storing the outcome. */
  readonly claimMs: number;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() config: AllocationConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly authority: TaxAuthority,
    private readonly donations: DonationReporter,
    private readonly relay: OutboxRelay,
    private readonly metrics: AllocationMetrics,
  ) {
    this.claimMs = timeLimitsMs.authorityLookUp + config.taxAuthorityTimeoutMs + claimMarginMs;
  }

  /** Never rejects: what could not be stored is processed again when the claim expires. */
  request(row: ClaimedRow): Promise<void> {
    const attempt = this.#attempt(row).finally(() => this.#inFlight.delete(attempt));
    this.#inFlight.add(attempt);
    return attempt;
  }

  /** Waits for the attempts in flight, also those that no one waits for any more. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  async #attempt(row: ClaimedRow): Promise<void> {
    const ids = { business_id: row.business_id, document_id: row.document_id };
    try {
      const outcome =
        row.kind === 'donation' ? await this.donations.attempt(row) : await this.authority.requestNumber(row);
      if (outcome.kind === 'failed') {
        const fields = { ...ids, attempts: row.attempts, reason: outcome.reason, err: outcome.cause };
        this.logger.warn({ ...fields, kind: row.kind }, 'allocation request failed');
      }
      await this.#store(row, outcome).catch(async (error: unknown) => {
        if (error instanceof EnteredElsewhereError) {
          await this.#rejectEnteredElsewhere(row, outcome, error);
        } else if (numberKeys.includes(violatedConstraint(error))) {
          await this.#rejectDuplicateNumber(row, outcome);
        } else {
          throw error;
        }
      });
    } catch (error) {
      this.logger.error({ ...ids, err: error }, 'allocation outcome store failed');
      // An internal error counts as a failed attempt: else it would be repeated for ever, and no email sent.
      await this.#store(row, unknownOutcome('The request could not be processed.', null)).catch(
        (again: unknown) =>
          this.logger.error({ ...ids, err: again }, 'failed allocation attempt store failed'),
      );
    }
  }

  /** Dead-letters a document that was granted another document's number: two documents must not share one. */
  async #rejectDuplicateNumber(row: ClaimedRow, outcome: AttemptOutcome): Promise<void> {
    const other =
      outcome.kind === 'granted' && outcome.confirmationNumber !== null
        ? await findByNumber(acrossTenants(this.db), outcome.confirmationNumber)
        : undefined;
    const reason =
      'The tax authority gave a number that another document has. Clear that with the authority, then request the number again.';
    await this.#rejectNumber(row, outcome, { reason, other });
  }

  /** The same of a number that was typed in for the other: which of the two has it only a person can find out. */
  async #rejectEnteredElsewhere(
    row: ClaimedRow,
    outcome: AttemptOutcome,
    { other: { document_id, facts } }: EnteredElsewhereError,
  ): Promise<void> {
    const number = outcome.kind === 'granted' ? outcome.number : null;
    const printed = facts.document.number;
    const reason = `The tax authority gave this document the number ${number}, which was typed in for document ${printed}. Check on the authority's site which of them it was given for. If it is this one, enter the number here as well, then credit document ${printed} and issue it again.`;
    await this.#rejectNumber(row, outcome, { reason, other: { business_id: row.business_id, document_id } });
  }

  async #rejectNumber(
    row: ClaimedRow,
    { answer }: AttemptOutcome,
    { reason, other }: { reason: string; other: Pick<PendingRow, 'business_id' | 'document_id'> | undefined },
  ): Promise<void> {
    this.logger.error(
      {
        business_id: row.business_id,
        document_id: row.document_id,
        other_business_id: other?.business_id,
        other_document_id: other?.document_id,
      },
      'allocation number duplicate rejected',
    );
    await this.#store(row, { ...unknownOutcome(reason, answer), retryable: false });
  }

  async #store(row: ClaimedRow, outcome: AttemptOutcome): Promise<void> {
    const now = this.clock.now();
    const stored = await this.relay.transaction(forTenant(this.db, row.business_id), async (trx) => {
      const awaitsConnection = outcome.kind === 'failed' && outcome.awaitsConnection;
      if (awaitsConnection) {
        await lockConnectionChanges(trx, row.business_id);
      }
      await rejectEntered(trx, row, outcome);
      const current = await lockAllocation(trx, row);
      if (!current) {
        return null;
      }
      await storeReportNumbers(trx, row, outcome.reportNumbers ?? []);
      const accepts = acceptsOutcome(outcome, row, current);
      const refusal = firstRefusal(current, outcome);
      const transition = isOvertaken(row, current)
        ? repeatedAt(now, current, outcome)
        : retryTransition(current, refusal ?? outcome, now);
      await endAttempt(trx, row, endedAttempt(outcome, transition, accepts), now);
      if (!accepts) {
        this.#warnSecondNumber(outcome, current);
        return null;
      }
      await storeAttempt(trx, row, transition, outcome, now, { keepsRefusal: refusal !== null });
      await this.#afterFailure(trx, current, transition, outcome);
      await this.#publish(trx, current, transition);
      // The owner has connected during the attempt: nothing else resumes it.
      if (awaitsConnection && (await this.#hasReconnected(trx, row))) {
        await resumeAwaiting(trx, row.business_id, now);
      }
      return transition;
    });
    if (stored) {
      this.metrics.countAttempt(row.kind, stored, outcome);
    }
  }

  async #afterFailure(
    trx: Transaction<AllocationTables>,
    row: PendingRow,
    { isUnknown, reason }: RetryTransition,
    outcome: AttemptOutcome,
  ): Promise<void> {
    if (outcome.kind === 'granted') {
      return;
    }
    if (row.kind === 'donation' && !isUnknown) {
      await forgetReportRequests(trx, row);
    }
    if (outcome.kind === 'failed' && outcome.awaitsOperator && !row.awaiting_operator) {
      const { business_id, document_id } = row;
      this.logger.error({ business_id, document_id, reason }, 'tax authority rejects the application');
    }
  }

  /** Publishes the outcome, where it is news. */
  async #publish(
    trx: OutboxTransaction<AllocationTables>,
    row: PendingRow,
    transition: RetryTransition,
  ): Promise<void> {
    if (!transition.outcome) {
      return;
    }
    if (row.kind === 'donation') {
      await this.donations.settle(trx, row, transition);
      return;
    }
    await publish(trx, allocationSettled, row.document_id, {
      ...row.facts,
      allocation: transition.outcome,
      pending: transition.state === 'pending',
      ...(transition.outcome.status === 'failed' &&
        transition.state === 'refused' && {
          refused: true,
          refusal: { decision: await takenDecision(trx, row) },
        }),
    });
  }

  async #hasReconnected(trx: Transaction<AllocationTables>, row: ClaimedRow): Promise<boolean> {
    const connection = await findConnection(trx, row.business_id);
    if (!connection || connection.broken_at) {
      return false;
    }
    return connection.connected_at.getTime() !== row.connected_at?.getTime();
  }

  /** A document has one number; an operator has to know that the authority granted two. */
  #warnSecondNumber(outcome: AttemptOutcome, current: PendingRow): void {
    if (outcome.kind !== 'granted' || current.state !== 'issued') {
      return;
    }
    // Of a number that a person typed in no more than what is printed is known.
    const isSame =
      current.entered_at === null
        ? outcome.confirmationNumber === current.confirmation_number
        : outcome.number === current.number;
    if (isSame) {
      return;
    }
    this.logger.error(
      { business_id: current.business_id, document_id: current.document_id },
      'second allocation number ignored',
    );
    this.metrics.countSecondNumber();
  }
}

/** @throws EnteredElsewhereError. */
async function rejectEntered(
  trx: Transaction<AllocationTables>,
  row: ClaimedRow,
  outcome: AttemptOutcome,
): Promise<void> {
  if (row.kind !== 'number' || outcome.kind !== 'granted' || outcome.number === null) {
    return;
  }
  const other = await findNumberOfBusiness(trx, row, outcome.number);
  if (other?.entered_at) {
    throw new EnteredElsewhereError(other);
  }
}

/** Whether the reports of a donation are to be cancelled since the attempt began, which has reported some of it. */
const isOvertaken = (claimed: PendingRow, current: PendingRow): boolean =>
  current.cancel_requested_at !== null && claimed.cancel_requested_at === null;

/** Another attempt follows at once, whatever this one has brought. */
const repeatedAt = (now: Date, current: PendingRow, outcome: AttemptOutcome): RetryTransition => ({
  state: 'pending',
  reason: null,
  number: null,
  confirmationNumber: null,
  nextAttemptAt: now,
  isUnknown: outcome.kind === 'failed' && (current.outcome_unknown || outcome.outcomeUnknown),
  outcome: null,
});

/** The record of an attempt. */
function endedAttempt(outcome: AttemptOutcome, transition: RetryTransition, accepted: boolean): AttemptEnd {
  return {
    outcome: accepted && transition.state === 'dead_lettered' ? 'dead_lettered' : outcome.kind,
    number: outcome.kind === 'granted' ? outcome.number : null,
    reason: outcome.kind === 'refused' ? outcome.message : transition.reason,
    refusal_codes: outcome.kind === 'refused' ? [...outcome.codes] : null,
  };
}

/**
 * A granted number is attached even to a document that was refused or dead-lettered. A failure counts only while no other
 * worker has claimed the document, as happens after a stalled process lets a claim expire.
 */
function acceptsOutcome(outcome: AttemptOutcome, claimed: PendingRow, current: PendingRow): boolean {
  if (outcome.kind === 'granted') {
    return ['pending', 'refused', 'dead_lettered'].includes(current.state);
  }
  if (current.state !== 'pending') {
    return false;
  }
  return outcome.kind === 'refused' || current.attempts === claimed.attempts;
}
