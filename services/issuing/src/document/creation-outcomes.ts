import { Injectable } from '@nestjs/common';
import {
  type AllocationOutcome,
  allocationSettled,
  type DeliveryOutcome,
  deliveryPlanned,
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
    await watch.until(
      [allocationSettled, deliveryPlanned],
      Math.min(this.config.outcomeWaitMs, this.#timeLeftMs()),
    );
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
      const wanted = [
        ...(current.allocation ? [] : [allocationSettled]),
        ...(current.delivery ? [] : [deliveryPlanned]),
      ];
      const sinceIssueMs = this.clock.now().getTime() - row.issued_at.getTime();
      const waitMs = Math.min(this.config.outcomeWaitMs - sinceIssueMs, this.#timeLeftMs());
      await watch.until(wanted, waitMs);
      return await this.#remember(current, watch);
    } finally {
      watch.close();
    }
  }

  #timeLeftMs(): number {
    return remainingMs(this.config.outcomeWaitMs + answerReserveMs) - answerReserveMs;
  }

  #remember(row: DocumentRow, watch: DocumentWatch): Promise<CreationOutcomes> {
    const deliveryPending: DeliveryOutcome = {
      status: 'queued',
      channel: row.business.auto_send.channel,
      scheduled_for: null,
    };
    return rememberCreation(this.db, row, {
      allocation: watch.latest(allocationSettled)?.allocation ?? row.allocation ?? allocationPending,
      delivery: watch.latest(deliveryPlanned)?.delivery ?? row.delivery ?? deliveryPending,
    });
  }
}
