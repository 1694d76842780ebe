import { Injectable } from '@nestjs/common';
import { allocationSettled } from '@pinkas/contracts';
import {
  announce,
  type Background,
  brokenConstraint,
  type Clock,
  type Database,
  DueWorker,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  ofBusiness,
  ofEveryBusiness,
  Relay,
} from '@pinkas/service-kit';
import { approvalRequest } from '../authority/approval-request.js';
import { AuthorityTokens } from '../authority/authority-tokens.js';
import { TaxAuthority, type TryOutcome } from '../authority/tax-authority.js';
import type { AllocationConfig } from '../config.js';
import { afterTry } from './after-try.js';
import { type AskingRow, claimDue, lockAllocation, storeTry } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { authorityCodeOf } from './allocation-policy.js';

/** How many documents are asked for at once; while the authority hangs each waits for the whole time of a try. */
const inFlightMax = 48;
/** How much longer than a try a claim lasts, for storing its outcome. */
const claimMarginMs = 20_000;

/**
 * Asks the authority for the documents that are due.
 *
 * A document's every try bears the same `invoice_id`, so that a try whose answer was lost, in a crash or in a time-out, is
 * answered with the same number again. The claim keeps two workers from asking for one document at once.
 */
@Injectable()
export class AskAuthority implements Background {
  readonly #worker: DueWorker<AskingRow>;

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly authority: TaxAuthority,
    private readonly tokens: AuthorityTokens,
    private readonly relay: Relay,
  ) {
    const all = ofEveryBusiness(db);
    this.#worker = new DueWorker({
      name: 'ask-authority',
      atOnceMax: inFlightMax,
      claimMs: config.taxAuthorityTimeoutMs + claimMarginMs,
      clock,
      logger,
      claim: (limit, now, until) => claimDue(all, limit, now, until),
      carryOut: (row) => this.#ask(row),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** Says that a document may be due. */
  nudge(): void {
    this.#worker.nudge();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    await this.tokens.idle();
  }

  /** Never rejects: what could not be stored is asked again when the claim ends. */
  async #ask(row: AskingRow): Promise<void> {
    const ids = { business_id: row.business_id, document_id: row.document_id };
    try {
      const outcome = await this.authority.approve(row.business_id, this.#requestOf(row));
      if (outcome.kind === 'failed') {
        this.logger.warn({ ...ids, attempts: row.attempts, err: outcome.cause }, outcome.reason);
      }
      await this.#store(row, outcome).catch((error: unknown) => {
        if (brokenConstraint(error) !== 'allocation_confirmation_number_key') throw error;
        // Printing it would give two documents one number.
        this.logger.error(ids, 'the tax authority gave a number that stands on another document');
        return this.#store(row, {
          kind: 'failed',
          reason: 'The tax authority gave a number that stands on another document.',
          answer: outcome.answer,
        });
      });
    } catch (error) {
      this.logger.error(
        { ...ids, err: error },
        'the tax authority could not be asked, or its answer not be stored',
      );
      // A fault of ours counts as a failed try: else it would be repeated for ever, and the document's mail never leave.
      await this.#store(row, {
        kind: 'failed',
        reason: 'The request could not be processed.',
        answer: null,
      }).catch((again: unknown) =>
        this.logger.error({ ...ids, err: again }, 'a failed try could not be stored'),
      );
    }
  }

  #requestOf({ facts: { document, business } }: AskingRow) {
    const invoiceType = authorityCodeOf(document.type, document.date);
    if (invoiceType === undefined) throw new Error(`no code for a ${document.type} of ${document.date}`);
    return approvalRequest(document, business, {
      invoiceType,
      accountingSoftwareNumber: this.config.accountingSoftwareNumber,
    });
  }

  async #store(row: AskingRow, outcome: TryOutcome): Promise<void> {
    const now = this.clock.now();
    await this.relay.transaction(ofBusiness(this.db, row.business_id), async (trx) => {
      const current = await lockAllocation(trx, row);
      if (!current || !isWelcome(outcome, row, current)) return;
      const after = afterTry(current, outcome, now);
      await storeTry(trx, row, after, outcome.answer, now);
      if (!after.announce) return;
      await announce(trx, allocationSettled, row.document_id, {
        document: row.facts.document,
        business: row.facts.business,
        allocation: after.announce,
      });
    });
  }
}

/**
 * A number that comes late is attached even to a document that was given up. A failure counts only while nobody else has
 * taken the document up, as happens after a claim that a stalled process let lapse.
 */
function isWelcome(outcome: TryOutcome, claimed: AskingRow, current: AskingRow): boolean {
  if (outcome.kind === 'granted') return current.state === 'asking' || current.state === 'given_up';
  if (current.state !== 'asking') return false;
  return outcome.kind === 'refused' || current.attempts === claimed.attempts;
}
