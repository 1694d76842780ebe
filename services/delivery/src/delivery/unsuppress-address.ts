import { type ReplyOf, type RequestOf, unsuppressAddress } from '@pinkas/contracts';
import {
  ApiError,
  actorOf,
  appendAudit,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { parseAddress } from './address.js';
import { toSuppression } from './suppression.js';
import { unsuppress } from './suppression.repository.js';

/** Removes a suppression, for an operator or an owner. */
@Operation(unsuppressAddress)
export class UnsuppressAddress {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle(request: RequestOf<typeof unsuppressAddress>): Promise<ReplyOf<typeof unsuppressAddress>> {
    const address = parseAddress(request.address);
    if (!address) {
      throw ApiError.invalid([{ path: '/address', message: 'is no mail address and no phone number' }]);
    }
    const row = await forTenant(this.db, request.business_id)
      .transaction()
      .execute(async (trx) => {
        const removed = await unsuppress(trx, request.business_id, address);
        if (!removed) {
          throw new ApiError('not_found');
        }
        await appendAudit(trx, {
          business_id: request.business_id,
          action: 'suppression.remove',
          subject: `${address.channel}:${address.address}`,
          actor: actorOf(request.person_id),
          before: { reason: removed.reason, detail: removed.detail },
          after: null,
        });
        return removed;
      });
    return toSuppression(row);
  }
}
