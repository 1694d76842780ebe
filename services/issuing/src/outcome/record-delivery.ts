import { consumers, type deliveryPlanned, type EventOf } from '@pinkas/contracts';
import { EventHandler, type Transaction } from '@pinkas/service-kit';
import { recordDelivery } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';

/** Records what delivery has planned for a document. */
@EventHandler(consumers.recordDelivery)
export class RecordDelivery {
  async handle(event: EventOf<typeof deliveryPlanned>, trx: Transaction<IssuingTables>): Promise<void> {
    await recordDelivery(trx, { business_id: event.business_id, id: event.document_id }, event.delivery);
  }
}
