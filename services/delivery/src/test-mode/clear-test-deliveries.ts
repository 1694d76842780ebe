import { clearTestDeliveries, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  clearTestBook,
  type Database,
  InjectDatabase,
  Operation,
  type TestBookTables,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';

/** A follow-up refers to a message that is none. Endpoints stay, and so does the end of the list of events: a cursor stays valid. */
export const testBook: TestBookTables<DeliveryTables> = {
  tables: [
    'test_message',
    'attempt',
    'delivery',
    'document',
    'reminder_limit',
    'daily_count',
    'suppression',
    'webhook_attempt',
    'webhook',
    'event',
  ],
  highestFirst: { delivery: sql`follows is not null` },
};

/** Empties a test book. */
@Operation(clearTestDeliveries)
export class ClearTestDeliveries {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  handle({
    business_id,
  }: RequestOf<typeof clearTestDeliveries>): Promise<ReplyOf<typeof clearTestDeliveries>> {
    return clearTestBook(this.db, business_id, testBook);
  }
}
