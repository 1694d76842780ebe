import { Injectable } from '@nestjs/common';
import {
  type AllocationOutcome,
  allocationSettled,
  artifactRendered,
  type DeliveryOutcome,
  deliveryPlanned,
  issueDocument,
} from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  type DocumentWatch,
  EventWatch,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  remainingMs,
} from '@pinkas/service-kit';
import type { IssuingConfig } from '../config.js';
import { type DocumentRow, findById, rememberCreation } from './document.repository.js';
import type { CreationOutcomes, IssuingTables } from './document.tables.js';

/** Left of the request's time for writing down the outcomes and answering. */
const answerReserveMs = 500;

/** What is said when the wait ends before the answer is there; the steps stay owed and complete by themselves. */
const allocationPending: AllocationOutcome = {
  status: 'failed',
  number: null,
  reason:
    'The tax authority did not answer within the wait of the request; the request for a number goes on.',
};

/** Waits, within bounds, for what a creation reports of allocation and delivery, and makes it the one answer for good. */
@Injectable()
export class CreationOutcomesWait {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: IssuingConfig,
    private readonly watch: EventWatch,
  ) {}

  /** Starts to watch a document, before the commit that starts its steps. */
  open(documentId: string): DocumentWatch {
    return this.watch.open(documentId);
  }

  /** Waits for a document that this request has just issued. */
  async ofNew(row: DocumentRow, watch: DocumentWatch): Promise<CreationOutcomes> {
    await this.#watchFor(row, watch, this.config.outcomeWaitMs);
    return this.#remember(row, watch);
  }

  /** The outcomes of a document that was issued before: those it was answered with, or would have been. */
  async ofExisting(row: DocumentRow): Promise<CreationOutcomes> {
    if (row.creation) return row.creation;
    const watch = this.open(row.id);
    try {
      // What was recorded before the watch began is in the row.
      const current = (await findById(this.db, row.business_id, row.id)) ?? row;
      if (current.creation) return current.creation;
      // The request that issued it may still wait, and will answer the same; after its life nobody does.
      const ageMs = this.clock.now().getTime() - row.issued_at.getTime();
      await this.#watchFor(current, watch, ageMs < issueDocument.timeoutMs ? this.config.outcomeWaitMs : 0);
      return await this.#remember(current, watch);
    } finally {
      watch.close();
    }
  }

  async #watchFor(row: DocumentRow, watch: DocumentWatch, waitMs: number): Promise<void> {
    const endMs =
      performance.now() + Math.min(waitMs, remainingMs(waitMs + answerReserveMs) - answerReserveMs);
    const wanted = [
      ...(row.allocation ? [] : [allocationSettled]),
      ...(row.delivery ? [] : [deliveryPlanned]),
    ];
    await watch.until(wanted, endMs - performance.now());
    // A number is answered when the PDF bears it, so that the first who fetches the PDF finds it there.
    if (watch.latest(allocationSettled)?.allocation.number) {
      await watch.until([artifactRendered], endMs - performance.now());
    }
  }

  async #remember(row: DocumentRow, watch: DocumentWatch): Promise<CreationOutcomes> {
    const settled = watch.latest(allocationSettled);
    const planned = watch.latest(deliveryPlanned);
    // What the watch has missed, a consumer may have recorded.
    const recorded = settled && planned ? row : ((await findById(this.db, row.business_id, row.id)) ?? row);
    const deliveryPending: DeliveryOutcome = {
      status: 'queued',
      channel: row.business.auto_send.channel,
      scheduled_for: null,
    };
    return rememberCreation(this.db, row, {
      allocation: settled?.allocation ?? recorded.allocation ?? allocationPending,
      delivery: planned?.delivery ?? recorded.delivery ?? deliveryPending,
    });
  }
}
