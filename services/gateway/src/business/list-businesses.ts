import { listBusinesses, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { listBusinessesAfter } from './business.repository.js';

/** A page stays far below the largest NATS message (1 MB): a business is about 1.5 KB. */
const pageSize = 100;

/** Every business in the order of creation, page by page. */
@Operation(listBusinesses)
export class ListBusinesses {
  constructor(@InjectDatabase() private readonly db: Database<GatewayTables>) {}

  async handle(request: RequestOf<typeof listBusinesses>): Promise<ReplyOf<typeof listBusinesses>> {
    const found = await listBusinessesAfter(acrossTenants(this.db), request.after, pageSize + 1);
    const businesses = found.slice(0, pageSize);
    return { businesses, next_after: found.length > pageSize ? (businesses.at(-1)?.id ?? null) : null };
  }
}
