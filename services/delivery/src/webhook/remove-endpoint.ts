import { type ReplyOf, type RequestOf, removeEndpoint } from '@pinkas/contracts';
import {
  actorOf,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import { auditEndpoint, changeEndpoint, toEndpoint, withEndpoint } from './endpoint.repository.js';

/** Removes an endpoint, for an operator or an owner. What waits for it and its log are deleted in the background. */
@Operation(removeEndpoint)
export class RemoveEndpoint {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof removeEndpoint>): Promise<ReplyOf<typeof removeEndpoint>> {
    const now = this.clock.now();
    return withEndpoint(this.db, request, async (trx, endpoint) => {
      const { url, types, description } = endpoint;
      await changeEndpoint(trx, endpoint, { removed_at: now });
      const before = { url, types, description };
      await auditEndpoint(trx, endpoint, 'remove', actorOf(request.person_id), before, null);
      return { endpoint: toEndpoint({ ...endpoint, pending: 0 }, now) };
    });
  }
}
