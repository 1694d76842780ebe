import { type ReplyOf, type RequestOf, testEndpoint, toEventId } from '@pinkas/contracts';
import {
  ApiError,
  actorOf,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  timeOrderedId,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import { auditEndpoint, withEndpoint } from './endpoint.repository.js';
import { storeEvent } from './event.repository.js';
import { newEvent } from './stored-event.js';
import { WebhookSender } from './webhook-sender.js';

/** What a person asks to be sent to a disabled endpoint. */
export const disabledError = () =>
  ApiError.invalid([{ path: '', message: 'the endpoint is disabled: enable it first' }]);

/** Sends a test to one endpoint, for an operator or an owner. */
@Operation(testEndpoint)
export class TestEndpoint {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly sender: WebhookSender,
  ) {}

  async handle(request: RequestOf<typeof testEndpoint>): Promise<ReplyOf<typeof testEndpoint>> {
    const id = timeOrderedId();
    const now = this.clock.now();
    const webhooks = await withEndpoint(this.db, request, async (trx, endpoint) => {
      if (!endpoint.enabled) {
        throw disabledError();
      }
      const event = newEvent({
        ...{ business_id: endpoint.business_id, id, type: 'endpoint.test' },
        document_id: null,
        sequence: null,
        occurredAt: now.toISOString(),
        data: {},
      });
      const { claimMs } = this.sender;
      const stored = await storeEvent(trx, event, this.clock, { claimMs, endpointId: endpoint.id });
      const after = { event_id: toEventId(id) };
      await auditEndpoint(trx, endpoint, 'test', actorOf(request.person_id), null, after);
      return stored;
    });
    this.sender.sendNew(webhooks);
    return { event_id: toEventId(id) };
  }
}
