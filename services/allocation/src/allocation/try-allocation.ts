import { Injectable } from '@nestjs/common';
import { allocationPolicyOn, allocationSettled } from '@pinkas/contracts';
import {
  announce,
  brokenConstraint,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  ofBusiness,
  ofEveryBusiness,
  Relay,
  type Transaction,
} from '@pinkas/service-kit';
import { type ApprovalRequest, approvalRequest } from '../authority/approval-request.js';
import { type FailedTry, TaxAuthority, type TryOutcome } from '../authority/tax-authority.js';
import type { AllocationConfig } from '../config.js';
import { findConnection, lockConnecting } from '../connection/connection.repository.js';
import { afterTry } from './after-try.js';
import {
  type AskingRow,
  type ClaimedRow,
  findByNumber,
  lockAllocation,
  resumeWaiting,
  storeTry,
} from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { AllocationMetrics } from './allocation-metrics.js';

/** How much longer than its questions a claim lasts, for storing the outcome. */
const claimMarginMs = 20_000;

/** A try whose outcome is not known: it is made again, and the number looked up first. */
const unknown = (reason: string, answer: string | null): FailedTry => ({
  kind: 'failed',
  failure: 'fault',
  reason,
  answer,
  unclear: true,
  triedAgain: true,
  waitsForConnection: false,
});

/**
 * One try for a document that is claimed: asks the authority outside of any transaction, and stores and announces what came of
 * it in one.
 *
 * A document's every try bears the same `invoice_id`. A try whose answer was lost, in a crash, a time-out or a reset, is followed
 * by a look-up; only where that finds nothing is the number asked for again. The claim keeps two from asking at once.
 */
@Injectable()
export class TryAllocation {
  /** How long a claim has to last, in milliseconds: a look-up, a question, and the storing. */
  readonly claimMs: number;

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly authority: TaxAuthority,
    private readonly relay: Relay,
    private readonly metrics: AllocationMetrics,
  ) {
    this.claimMs = 2 * config.taxAuthorityTimeoutMs + claimMarginMs;
  }

  /** Never rejects: what could not be stored is taken up again when the claim ends. */
  async carryOut(row: ClaimedRow): Promise<void> {
    const ids = { business_id: row.business_id, document_id: row.document_id };
    try {
      const outcome = await this.authority.ask(row.business_id, this.#requestOf(row), row.unclear);
      if (outcome.kind === 'failed') {
        this.logger.warn({ ...ids, attempts: row.attempts, err: outcome.cause }, outcome.reason);
      }
      await this.#store(row, outcome).catch(async (error: unknown) => {
        if (brokenConstraint(error) !== 'allocation_confirmation_number_key') throw error;
        await this.#refuseForeign(row, outcome);
      });
    } catch (error) {
      this.logger.error(
        { ...ids, err: error },
        'the tax authority could not be asked, or its answer not be stored',
      );
      // A fault of ours counts as a failed try: else it would be repeated for ever, and the document's mail never leave.
      await this.#store(row, unknown('The request could not be processed.', null)).catch((again: unknown) =>
        this.logger.error({ ...ids, err: again }, 'a failed try could not be stored'),
      );
    }
  }

  /** Gives a document up whose number stands on another: printing it would give two documents one number. */
  async #refuseForeign(row: ClaimedRow, outcome: TryOutcome): Promise<void> {
    const other =
      outcome.kind === 'granted'
        ? await findByNumber(ofEveryBusiness(this.db), outcome.confirmationNumber)
        : undefined;
    this.logger.error(
      {
        business_id: row.business_id,
        document_id: row.document_id,
        other_business_id: other?.business_id,
        other_document_id: other?.document_id,
      },
      'the tax authority gave a number that stands on another document',
    );
    const reason =
      'The tax authority gave a number that stands on another document. Somebody has to clear that with the authority, and the number asked for again.';
    await this.#store(row, { ...unknown(reason, outcome.answer), triedAgain: false });
  }

  #requestOf({ facts: { document, business } }: AskingRow): ApprovalRequest {
    const invoiceType = allocationPolicyOn(document.date)?.codes[document.type];
    if (invoiceType === undefined) throw new Error(`no code for a ${document.type} of ${document.date}`);
    return approvalRequest(document, business, {
      invoiceType,
      accountingSoftwareNumber: this.config.accountingSoftwareNumber,
    });
  }

  async #store(row: ClaimedRow, outcome: TryOutcome): Promise<void> {
    const now = this.clock.now();
    const stored = await this.relay.transaction(ofBusiness(this.db, row.business_id), async (trx) => {
      const waits = outcome.kind === 'failed' && outcome.waitsForConnection;
      if (waits) await lockConnecting(trx, row.business_id);
      const current = await lockAllocation(trx, row);
      if (!current || !isWelcome(outcome, row, current)) {
        if (current) this.#tellOfSecondNumber(outcome, current);
        return null;
      }
      const after = afterTry(current, outcome, now);
      await storeTry(trx, row, after, outcome, now);
      if (after.announce) {
        await announce(trx, allocationSettled, row.document_id, {
          document: row.facts.document,
          business: row.facts.business,
          allocation: after.announce,
        });
      }
      // The owner has connected while the try was under way: nobody else resumes it.
      if (waits && (await this.#isConnectedAnew(trx, row))) await resumeWaiting(trx, row.business_id, now);
      return after;
    });
    if (stored) this.metrics.tried(stored, outcome);
  }

  async #isConnectedAnew(trx: Transaction<AllocationTables>, row: ClaimedRow): Promise<boolean> {
    const connection = await findConnection(trx, row.business_id);
    if (!connection || connection.broken_at) return false;
    return connection.connected_at.getTime() !== row.connected_at?.getTime();
  }

  /** One document has one number; that the authority knows of two, somebody has to see. */
  #tellOfSecondNumber(outcome: TryOutcome, current: AskingRow): void {
    if (outcome.kind !== 'granted' || current.state !== 'issued') return;
    if (outcome.confirmationNumber === current.confirmation_number) return;
    this.logger.error(
      { business_id: current.business_id, document_id: current.document_id },
      'the tax authority gave a second number to a document that has one',
    );
  }
}

/**
 * A number that comes late is attached even to a document that was refused or given up meanwhile. A failure counts only while
 * nobody else has taken the document up, as happens after a claim that a stalled process let lapse.
 */
function isWelcome(outcome: TryOutcome, claimed: AskingRow, current: AskingRow): boolean {
  if (outcome.kind === 'granted') return ['asking', 'refused', 'given_up'].includes(current.state);
  if (current.state !== 'asking') return false;
  return outcome.kind === 'refused' || current.attempts === claimed.attempts;
}
