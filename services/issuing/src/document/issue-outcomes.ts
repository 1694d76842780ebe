import { Injectable } from '@nestjs/common';
import {
  allocationSettled,
  artifactRendered,
  customerRecorded,
  deliveryPlanned,
  issueDocument,
  timeLimitsMs,
} from '@pinkas/contracts';
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
import type { IssuingConfig } from '../config.js';
import { type DocumentRow, findById, recordReplyOutcomes } from './document.repository.js';
import type { IssuingTables, ReplyOutcomes } from './document.tables.js';
import { withPendingOutcomes } from './pending-outcomes.js';

/** Left of the request's time for recording the outcomes and replying. */
const replyReserveMs = timeLimitsMs.replyReserve;

/**
 * The outcomes of allocation and delivery in the reply to an issue request. They are waited for within bounds, and recorded:
 * every replay returns the same.
 */
@Injectable()
export class IssueOutcomes {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: IssuingConfig,
    private readonly events: EventWatch,
  ) {}

  /** Watches the events of a document; opened before its commit, so that none is missed. */
  watch(documentId: string): DocumentWatch {
    return this.events.open(documentId);
  }

  /** Waits for the outcomes of a document that this request has issued. */
  async awaitForNew(row: DocumentRow, watch: DocumentWatch): Promise<ReplyOutcomes> {
    const endMs = await this.#awaitOutcomes(row, watch, this.config.outcomeWaitMs);
    // The caller may read the customer as soon as it has the reply.
    await watch.until([customerRecorded], endMs - performance.now());
    return this.#record(row, watch);
  }

  /** The outcomes of a document that was issued before: those of its first reply, or those that reply would have had. */
  async loadForReplay(row: DocumentRow): Promise<ReplyOutcomes> {
    if (row.reply_outcomes) {
      return row.reply_outcomes;
    }
    const watch = this.watch(row.id);
    try {
      // What was recorded before the watch was opened is in the row.
      const current = (await this.#current(row)) ?? row;
      if (current.reply_outcomes) {
        return current.reply_outcomes;
      }
      // The request that issued it may still wait, and will return the same; after its deadline no request does.
      const ageMs = this.clock.now().getTime() - row.issued_at.getTime();
      const waitMs = ageMs < issueDocument.timeoutMs ? this.config.outcomeWaitMs : 0;
      await this.#awaitOutcomes(current, watch, waitMs);
      return await this.#record(current, watch);
    } finally {
      watch.close();
    }
  }

  async #current(row: DocumentRow): Promise<DocumentRow | undefined> {
    return findById(forTenant(this.db, row.business_id), row.business_id, row.id);
  }

  /** @returns the instant, on the clock of `performance`, at which the wait ends at the latest. */
  async #awaitOutcomes(row: DocumentRow, watch: DocumentWatch, waitMs: number): Promise<number> {
    const endMs = performance.now() + Math.min(waitMs, remainingMs(waitMs + replyReserveMs) - replyReserveMs);
    const missing = [
      ...(row.allocation ? [] : [allocationSettled]),
      ...(row.delivery ? [] : [deliveryPlanned]),
    ];
    await watch.until(missing, endMs - performance.now());
    // An allocation number is returned once the PDF has it: the caller may fetch the PDF at once.
    if (watch.latest(allocationSettled)?.allocation.number) {
      await watch.until([artifactRendered], endMs - performance.now());
    }
    return endMs;
  }

  async #record(row: DocumentRow, watch: DocumentWatch): Promise<ReplyOutcomes> {
    const settled = watch.latest(allocationSettled);
    const planned = watch.latest(deliveryPlanned);
    // An event handler may have recorded what the watch has missed.
    const recorded = settled && planned ? row : ((await this.#current(row)) ?? row);
    const outcomes = {
      allocation: settled?.allocation ?? recorded.allocation,
      delivery: planned?.delivery ?? recorded.delivery,
    };
    return recordReplyOutcomes(
      forTenant(this.db, row.business_id),
      row,
      withPendingOutcomes(outcomes, row.business.auto_send.channel),
    );
  }
}
