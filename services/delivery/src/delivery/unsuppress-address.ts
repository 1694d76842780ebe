import { type ReplyOf, type RequestOf, unsuppressAddress } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { parseAddress } from './address.js';
import type { DeliveryTables } from './delivery.tables.js';
import { toSuppression } from './suppression.js';
import { unsuppress } from './suppression.repository.js';

/** Removes a suppression, for an operator. */
@Operation(unsuppressAddress)
export class UnsuppressAddress {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle(request: RequestOf<typeof unsuppressAddress>): Promise<ReplyOf<typeof unsuppressAddress>> {
    const address = parseAddress(request.address);
    if (!address) {
      throw ApiError.invalid([{ path: '/address', message: 'is no mail address and no phone number' }]);
    }
    const row = await unsuppress(forTenant(this.db, request.business_id), request.business_id, address);
    if (!row) {
      throw new ApiError('not_found');
    }
    return toSuppression(row);
  }
}
