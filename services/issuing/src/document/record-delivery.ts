import { deliveryPlanned, type EventOf } from '@pinkas/contracts';
import { Consumer, type Transaction } from '@pinkas/service-kit';
import { recordDelivery } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

/** Writes into the book what delivery plans. */
@Consumer(deliveryPlanned, 'issuing-record-delivery')
export class RecordDelivery {
  async handle(event: EventOf<typeof deliveryPlanned>, trx: Transaction<IssuingTables>): Promise<void> {
    await recordDelivery(trx, { business_id: event.business_id, id: event.document_id }, event.delivery);
  }
}
