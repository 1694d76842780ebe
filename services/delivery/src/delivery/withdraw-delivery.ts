import { documentCancelled, type EventOf } from '@pinkas/contracts';
import { type Clock, Consumer, InjectClock, type Transaction } from '@pinkas/service-kit';
import { withdraw } from './delivery.repository.js';
import type { DeliveryTables } from './delivery.tables.js';

/**
 * Nothing more leaves of a document that was cancelled: neither the customer's message nor the accountant's copy, since both
 * bring a PDF as of one that stands, and what can be cancelled is no accounting document that the accountant would miss.
 */
@Consumer(documentCancelled, 'delivery-withdraw')
export class WithdrawDelivery {
  constructor(@InjectClock() private readonly clock: Clock) {}

  async handle(event: EventOf<typeof documentCancelled>, trx: Transaction<DeliveryTables>): Promise<void> {
    const { document } = event;
    const key = { business_id: document.business_id, document_id: document.id };
    await withdraw(trx, key, this.clock.now());
  }
}
