import { clearTestCustomers, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { clearTestBook, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { CustomerTables } from './card.tables.js';

const tables = ['reservation', 'card', 'card_name_suffix'] as const;

/** Empties a test book. */
@Operation(clearTestCustomers)
export class ClearTestCustomers {
  constructor(@InjectDatabase() private readonly db: Database<CustomerTables>) {}

  handle({ business_id }: RequestOf<typeof clearTestCustomers>): Promise<ReplyOf<typeof clearTestCustomers>> {
    return clearTestBook(this.db, business_id, { tables });
  }
}
