import { clearTestDeliveries, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { clearTestBook, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from './delivery.tables.js';

const tables = [
  'test_message',
  'attempt',
  'delivery',
  'plan',
  'rendered_document',
  'cancelled_document',
  'daily_count',
  'suppression',
] as const;

/** Empties a test book. */
@Operation(clearTestDeliveries)
export class ClearTestDeliveries {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  handle({
    business_id,
  }: RequestOf<typeof clearTestDeliveries>): Promise<ReplyOf<typeof clearTestDeliveries>> {
    return clearTestBook(this.db, business_id, { tables });
  }
}
