import { listSuppressions, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness, ofEveryBusiness } from '@pinkas/service-kit';
import type { DeliveryTables } from './delivery.tables.js';
import { presentSuppression } from './present-suppression.js';
import { suppressedAddresses } from './suppression.repository.js';

const pageMax = 200;

/** The addresses that are not written to. */
@Operation(listSuppressions)
export class ListSuppressions {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({
    business_id: businessId,
    after,
  }: RequestOf<typeof listSuppressions>): Promise<ReplyOf<typeof listSuppressions>> {
    const db = businessId === undefined ? ofEveryBusiness(this.db) : ofBusiness(this.db, businessId);
    const rows = await suppressedAddresses(db, businessId, after, pageMax);
    const last = rows.at(-1);
    return {
      suppressions: rows.map(presentSuppression),
      next_after:
        last && rows.length === pageMax
          ? { business_id: last.business_id, channel: last.channel, address: last.address }
          : null,
    };
  }
}
