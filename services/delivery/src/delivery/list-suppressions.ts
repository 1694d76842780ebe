import { listSuppressions, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { toSuppression } from './suppression.js';
import { suppressedAddresses } from './suppression.repository.js';

const pageMax = 200;

/** Lists suppressed addresses. */
@Operation(listSuppressions)
export class ListSuppressions {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({
    business_id: businessId,
    after,
  }: RequestOf<typeof listSuppressions>): Promise<ReplyOf<typeof listSuppressions>> {
    const db = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const rows = await suppressedAddresses(db, businessId, after, pageMax);
    const last = rows.at(-1);
    return {
      suppressions: rows.map(toSuppression),
      next_after:
        last && rows.length === pageMax
          ? { business_id: last.business_id, channel: last.channel, address: last.address }
          : null,
    };
  }
}
