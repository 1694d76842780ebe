import { Injectable } from '@nestjs/common';
import {
  allocationSettled,
  artifactRendered,
  customerRecorded,
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
  ofBusiness,
  remainingMs,
} from '@pinkas/service-kit';
import type { IssuingConfig } from '../config.js';
import { type DocumentRow, findById, rememberCreation } from './document.repository.js';
import type { CreationOutcomes, IssuingTables } from './document.tables.js';
import { knownOutcomes } from './known-outcomes.js';

/** Left of the request's time for writing down the outcomes and answering. */
const answerReserveMs = 500;

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
    const endMs = await this.#watchFor(row, watch, this.config.outcomeWaitMs);
    // Whoever has the answer may ask for the customer at once.
    await watch.until([customerRecorded], endMs - performance.now());
    return this.#remember(row, watch);
  }

  /** The outcomes of a document that was issued before: those it was answered with, or would have been. */
  async ofExisting(row: DocumentRow): Promise<CreationOutcomes> {
    if (row.creation) return row.creation;
    const watch = this.open(row.id);
    try {
      // What was recorded before the watch began is in the row.
      const current = (await this.#current(row)) ?? row;
      if (current.creation) return current.creation;
      // The request that issued it may still wait, and will answer the same; after its life nobody does.
      const ageMs = this.clock.now().getTime() - row.issued_at.getTime();
      await this.#watchFor(current, watch, ageMs < issueDocument.timeoutMs ? this.config.outcomeWaitMs : 0);
      return await this.#remember(current, watch);
    } finally {
      watch.close();
    }
  }

  async #current(row: DocumentRow): Promise<DocumentRow | undefined> {
    return findById(ofBusiness(this.db, row.business_id), row.business_id, row.id);
  }

  /** @returns the instant, on the clock of `performance`, at which the wait ends at the latest. */
  async #watchFor(row: DocumentRow, watch: DocumentWatch, waitMs: number): Promise<number> {
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
    return endMs;
  }

  async #remember(row: DocumentRow, watch: DocumentWatch): Promise<CreationOutcomes> {
    const settled = watch.latest(allocationSettled);
    const planned = watch.latest(deliveryPlanned);
    // What the watch has missed, a consumer may have recorded.
    const recorded = settled && planned ? row : ((await this.#current(row)) ?? row);
    const known = {
      allocation: settled?.allocation ?? recorded.allocation,
      delivery: planned?.delivery ?? recorded.delivery,
    };
    return rememberCreation(
      ofBusiness(this.db, row.business_id),
      row,
      knownOutcomes(known, row.business.auto_send.channel),
    );
  }
}
