import { Injectable } from '@nestjs/common';
import {
  allocationSettled,
  artifactRendered,
  customerRecorded,
  donationSettled,
  issueDocument,
  timeLimitsMs,
} from '@pinkas/contracts';
import { requiresNumber } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  type DocumentWatch,
  EventWatch,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  remainingMs,
} from '@pinkas/service-kit';
import { allocationOptions, type IssuingConfig } from '../config.js';
import { type DocumentRow, findById, recordReplyOutcomes } from '../document/document.repository.js';
import type { IssuingTables, ReplyOutcomes } from '../document/document.tables.js';
import { withPendingOutcomes } from '../document/known-outcomes.js';
import type { Draft } from './draft.js';

/** Left of the request's time for recording the outcomes and replying. */
const replyReserveMs = timeLimitsMs.replyReserve;

/**
 * The outcomes of allocation, delivery and donation in the reply to an issue request: every replay returns the same. Where a number of
 * the tax authority is required, it is waited for within bounds, and recorded; all others are recorded with the document.
 */
@Injectable()
export class IssueOutcomes {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: IssuingConfig,
    private readonly events: EventWatch,
  ) {}

  /** Watches the events of a document that will be waited for; opened before its commit, so that none is missed. */
  watch({ document, request, customer_changes }: Draft): DocumentWatch | undefined {
    const isAwaited =
      customer_changes || requiresNumber(document, request.business, allocationOptions(this.config));
    return isAwaited ? this.events.open(document.id) : undefined;
  }

  /** Waits for what is not known yet of a document that this request has issued, and closes the watch. */
  async awaitForNew(
    row: DocumentRow,
    draft: Draft,
    watch: DocumentWatch | undefined,
  ): Promise<ReplyOutcomes> {
    if (!watch) {
      // Its date, and with it the need for a number, may have changed while it was in the queue.
      return this.loadForReplay(row);
    }
    try {
      const endMs = endOfWait(this.config.outcomeWaitMs);
      if (!row.reply_outcomes) {
        await awaitNumber(row, watch, endMs);
      }
      if (draft.customer_changes) {
        // The caller may read the customer as soon as it has the reply.
        await watch.until([customerRecorded], endMs - performance.now());
      }
      return row.reply_outcomes ?? (await this.#record(row, watch));
    } finally {
      watch.close();
    }
  }

  /** The outcomes of a document that was issued before: those of its first reply, or those that reply would have had. */
  async loadForReplay(row: DocumentRow): Promise<ReplyOutcomes> {
    if (row.reply_outcomes) {
      return row.reply_outcomes;
    }
    const watch = this.events.open(row.id);
    try {
      // What was recorded before the watch was opened is in the row.
      const current = (await this.#current(row)) ?? row;
      if (current.reply_outcomes) {
        return current.reply_outcomes;
      }
      // The request that issued it may still wait, and will return the same; after its deadline no request does.
      const ageMs = this.clock.now().getTime() - row.issued_at.getTime();
      const waitMs = ageMs < issueDocument.timeoutMs ? this.config.outcomeWaitMs : 0;
      await awaitNumber(current, watch, endOfWait(waitMs));
      return await this.#record(current, watch);
    } finally {
      watch.close();
    }
  }

  async #current(row: DocumentRow): Promise<DocumentRow | undefined> {
    return findById(forTenant(this.db, row.business_id), row.business_id, row.id);
  }

  async #record(row: DocumentRow, watch: DocumentWatch): Promise<ReplyOutcomes> {
    const settled = watch.latest(allocationSettled);
    const donated = watch.latest(donationSettled);
    // An event handler may have recorded what the watch has missed.
    const recorded = settled || donated ? row : ((await this.#current(row)) ?? row);
    const outcomes = withPendingOutcomes({
      allocation: settled?.allocation ?? recorded.allocation,
      delivery: row.delivery,
      donation: row.type === 'donation_receipt' ? (donated?.donation ?? recorded.donation) : undefined,
    });
    return recordReplyOutcomes(forTenant(this.db, row.business_id), row, outcomes);
  }
}

/** @returns the instant, on the clock of `performance`, at which the wait ends at the latest. */
function endOfWait(waitMs: number): number {
  return performance.now() + Math.min(waitMs, remainingMs(waitMs + replyReserveMs) - replyReserveMs);
}

/** Waits for the tax authority's number, and until the PDF shows it: the caller may fetch the PDF at once. */
async function awaitNumber(row: DocumentRow, watch: DocumentWatch, endMs: number): Promise<void> {
  const isDonation = row.type === 'donation_receipt';
  if (isDonation ? !row.donation : !row.allocation) {
    // Without a number by then, what is left of the wait is too short for a revision that shows it.
    const waitMs = Math.min(endMs - performance.now(), timeLimitsMs.authorityWait);
    await watch.until([isDonation ? donationSettled : allocationSettled], waitMs);
  }
  if (watch.latest(allocationSettled)?.allocation.number ?? watch.latest(donationSettled)?.donation.number) {
    await watch.until([artifactRendered], endMs - performance.now());
  }
}
