import { type ReplyOf, type RequestOf, suppressAddress } from '@pinkas/contracts';
import {
  ApiError,
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { parseAddress } from './address.js';
import { toSuppression } from './suppression.js';
import { isSuppressed, suppress } from './suppression.repository.js';

/** Suppresses an address, for an operator or an owner. */
@Operation(suppressAddress)
export class SuppressAddress {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof suppressAddress>): Promise<ReplyOf<typeof suppressAddress>> {
    const address = parseAddress(request.address);
    if (!address) {
      throw ApiError.invalid([{ path: '/address', message: 'is no mail address and no phone number' }]);
    }
    const row = await forTenant(this.db, request.business_id)
      .transaction()
      .execute(async (trx) => {
        const known = await isSuppressed(trx, request.business_id, address.channel, address.address);
        const row = await suppress(trx, {
          business_id: request.business_id,
          ...address,
          reason: 'blocked',
          detail: request.detail,
          since: this.clock.now(),
        });
        if (!known) {
          await appendAudit(trx, {
            business_id: request.business_id,
            action: 'suppression.add',
            subject: `${address.channel}:${address.address}`,
            actor: actorOf(request.person_id),
            before: null,
            after: { reason: row.reason, detail: row.detail },
          });
        }
        return row;
      });
    return toSuppression(row);
  }
}
