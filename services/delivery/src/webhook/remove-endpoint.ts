import { type ReplyOf, type RequestOf, removeEndpoint } from '@pinkas/contracts';
import {
  actorOf,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import {
  auditEndpoint,
  changeEndpoint,
  findEndpoint,
  lockEndpoint,
  toEndpoint,
} from './endpoint.repository.js';

/** Removes an endpoint, for an operator or an owner. What waits for it and its log are deleted in the background. */
@Operation(removeEndpoint)
export class RemoveEndpoint {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof removeEndpoint>): Promise<ReplyOf<typeof removeEndpoint>> {
    const found = await findEndpoint(this.db, request);
    const now = this.clock.now();
    await forTenant(this.db, found.business_id)
      .transaction()
      .execute(async (trx) => {
        const { url, types, description } = await lockEndpoint(trx, found);
        await changeEndpoint(trx, found, { removed_at: now });
        const before = { url, types, description };
        await auditEndpoint(trx, found, 'remove', actorOf(request.person_id), before, null);
      });
    return { endpoint: toEndpoint(found, now) };
  }
}
