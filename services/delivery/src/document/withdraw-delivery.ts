import { consumers, type documentCancelled, type EventOf } from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, type Transaction } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { withdrawDocument } from '../plan/plan.repository.js';

/**
 * Withdraws the unsent messages of a cancelled document, including the accountant's copy: their PDF would show a valid
 * document, and what can be cancelled is no accounting document.
 */
@EventHandler(consumers.withdrawDelivery)
export class WithdrawDelivery {
  constructor(@InjectClock() private readonly clock: Clock) {}

  async handle(event: EventOf<typeof documentCancelled>, trx: Transaction<DeliveryTables>): Promise<void> {
    const { document } = event;
    const key = { business_id: document.business_id, document_id: document.id };
    await withdrawDocument(trx, key, this.clock.now());
  }
}
