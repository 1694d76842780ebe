import { type ReplyOf, type RequestOf, showBusiness } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findBusiness } from './business.repository.js';
import type { GatewayTables } from './business.tables.js';

/** One business with its settings. */
@Operation(showBusiness)
export class ShowBusiness {
  constructor(@InjectDatabase() private readonly db: Database<GatewayTables>) {}

  async handle(request: RequestOf<typeof showBusiness>): Promise<ReplyOf<typeof showBusiness>> {
    const business = await findBusiness(forTenant(this.db, request.business_id), request.business_id);
    if (!business) {
      throw new ApiError('not_found');
    }
    return { business };
  }
}
