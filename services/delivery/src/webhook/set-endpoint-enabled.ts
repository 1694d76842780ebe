import { type ReplyOf, type RequestOf, setEndpointEnabled } from '@pinkas/contracts';
import {
  actorOf,
  type Clock,
  type Database,
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
  toEndpoint,
  withEndpoint,
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
    const actor = actorOf(request.person_id);
    await withEndpoint(this.db, request, async (trx, endpoint) => {
      if (!request.enabled) {
        await disableEndpoint(trx, endpoint, 'owner', actor);
      } else if (!endpoint.enabled) {
        const fresh = { failing_since: null, notices: 0 };
        await changeEndpoint(trx, endpoint, { enabled: true, disabled_reason: null, ...fresh });
        const after = { enabled: true, url: endpoint.url };
        await auditEndpoint(trx, endpoint, 'enable', actor, { enabled: false }, after);
      }
    });
    this.sender.trigger();
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), this.clock.now()) };
  }
}
