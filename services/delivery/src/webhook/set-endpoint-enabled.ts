import { type ReplyOf, type RequestOf, setEndpointEnabled } from '@pinkas/contracts';
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
  disableEndpoint,
  findEndpoint,
  lockEndpoint,
  toEndpoint,
} from './endpoint.repository.js';
import { WebhookSender } from './webhook-sender.js';

/** Enables or disables an endpoint, for an operator or an owner. */
@Operation(setEndpointEnabled)
export class SetEndpointEnabled {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly sender: WebhookSender,
  ) {}

  async handle(request: RequestOf<typeof setEndpointEnabled>): Promise<ReplyOf<typeof setEndpointEnabled>> {
    const key = await findEndpoint(this.db, request);
    const actor = actorOf(request.person_id);
    await forTenant(this.db, key.business_id)
      .transaction()
      .execute(async (trx) => {
        if (!request.enabled) {
          await disableEndpoint(trx, key, 'owner', actor);
          return;
        }
        const { enabled, url } = await lockEndpoint(trx, key);
        if (!enabled) {
          const fresh = { failing_since: null, notices: 0 };
          await changeEndpoint(trx, key, { enabled: true, disabled_reason: null, ...fresh });
          await auditEndpoint(trx, key, 'enable', actor, { enabled: false }, { enabled: true, url });
        }
      });
    this.sender.trigger();
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), this.clock.now()) };
  }
}
