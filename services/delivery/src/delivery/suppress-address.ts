import { type ReplyOf, type RequestOf, suppressAddress } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  Problem,
} from '@pinkas/service-kit';
import { readAddress } from './address.js';
import type { DeliveryTables } from './delivery.tables.js';
import { presentSuppression } from './present-suppression.js';
import { suppress } from './suppression.repository.js';

/** An operator has decided that an address is not written to. */
@Operation(suppressAddress)
export class SuppressAddress {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof suppressAddress>): Promise<ReplyOf<typeof suppressAddress>> {
    const address = readAddress(request.address);
    if (!address) {
      throw Problem.invalid([{ path: '/address', message: 'is no mail address and no phone number' }]);
    }
    const row = await ofBusiness(this.db, request.business_id)
      .transaction()
      .execute((trx) =>
        suppress(trx, {
          business_id: request.business_id,
          ...address,
          reason: 'blocked',
          words: request.words,
          since: this.clock.now(),
        }),
      );
    return presentSuppression(row);
  }
}
