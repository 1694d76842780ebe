import { listKeys, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findBusiness } from '../business/business.repository.js';
import type { GatewayTables } from '../db/gateway.tables.js';
import { listKeysOf } from './api-key.repository.js';

/** The keys of a business, revoked ones included, without their values. */
@Operation(listKeys)
export class ListKeys {
  constructor(@InjectDatabase() private readonly db: Database<GatewayTables>) {}

  async handle(request: RequestOf<typeof listKeys>): Promise<ReplyOf<typeof listKeys>> {
    const db = forTenant(this.db, request.business_id);
    if (!(await findBusiness(db, request.business_id))) {
      throw new ApiError('not_found');
    }
    return { keys: await listKeysOf(db, request.business_id) };
  }
}
