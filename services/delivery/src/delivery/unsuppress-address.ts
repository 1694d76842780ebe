import { type ReplyOf, type RequestOf, unsuppressAddress } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness, Problem } from '@pinkas/service-kit';
import { readAddress } from './address.js';
import type { DeliveryTables } from './delivery.tables.js';
import { presentSuppression } from './present-suppression.js';
import { unsuppress } from './suppression.repository.js';

/** An operator has decided that an address may be written to again. */
@Operation(unsuppressAddress)
export class UnsuppressAddress {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle(request: RequestOf<typeof unsuppressAddress>): Promise<ReplyOf<typeof unsuppressAddress>> {
    const address = readAddress(request.address);
    if (!address) {
      throw Problem.invalid([{ path: '/address', message: 'is no mail address and no phone number' }]);
    }
    const row = await unsuppress(ofBusiness(this.db, request.business_id), request.business_id, address);
    if (!row) throw new Problem('not_found');
    return presentSuppression(row);
  }
}
