import { listUndelivered, type ReplyOf, type RequestOf, undeliveredMax } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { undeliveredDocuments } from './operator.repository.js';

/** Lists the documents that have not reached their customers. */
@Operation(listUndelivered)
export class ListUndelivered {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({ business_id }: RequestOf<typeof listUndelivered>): Promise<ReplyOf<typeof listUndelivered>> {
    const db = forTenant(this.db, business_id);
    return { document_ids: await undeliveredDocuments(db, business_id, undeliveredMax) };
  }
}
