import { listDeliveryStates, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { deliveryStates } from './operator.repository.js';

/** Lists what has become of the customer's copies of some documents. */
@Operation(listDeliveryStates)
export class ListDeliveryStates {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({
    business_id,
    document_ids,
  }: RequestOf<typeof listDeliveryStates>): Promise<ReplyOf<typeof listDeliveryStates>> {
    return { documents: await deliveryStates(forTenant(this.db, business_id), business_id, document_ids) };
  }
}
