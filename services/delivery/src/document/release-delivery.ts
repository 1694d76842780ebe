import { type artifactRendered, consumers, type EventOf } from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, type Transaction } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { releaseDocument } from '../plan/plan.repository.js';
import { MessageSender } from '../send/message-sender.js';

/**
 * Releases the messages that wait for the final PDF, or for the allocation number that it shows now; plans follow-ups to those that
 * left without it, before the report of their donation was cancelled, or before their owner went on without a number.
 */
@EventHandler(consumers.releaseDelivery)
export class ReleaseDelivery {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly sender: MessageSender,
  ) {}

  async handle(event: EventOf<typeof artifactRendered>, trx: Transaction<DeliveryTables>): Promise<boolean> {
    const key = { business_id: event.business_id, document_id: event.document_id };
    const pdf = {
      revision: event.revision,
      allocationNumber: event.allocation_number,
      allocationPending: event.allocation_pending,
      reportCancelled: event.report_cancelled === true,
      notDeductible: event.not_deductible === true,
    };
    return releaseDocument(trx, key, pdf, this.clock.now());
  }

  committed(_event: unknown, released: boolean): void {
    if (released) {
      this.sender.trigger();
    }
  }
}
