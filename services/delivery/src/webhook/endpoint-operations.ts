import { Controller } from '@nestjs/common';
import {
  listEndpoints,
  type ReplyOf,
  type RequestOf,
  removeEndpoint,
  rotateEndpointSecret,
  setEndpointEnabled,
  showEndpoint,
  testEndpoint,
  toEventId,
} from '@pinkas/contracts';
import {
  actorOf,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  timeOrderedId,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import {
  appendEndpointEntry,
  changeEndpoint,
  disableEndpoint,
  endpointsOf,
  findEndpoint,
  requireEnabled,
  toEndpoint,
  withEndpoint,
} from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { storeEvent } from './event.repository.js';
import { newEvent } from './stored-event.js';
import { WebhookSender } from './webhook-sender.js';

/** How long the secret before signs as well. */
const overlapMs = 24 * 60 * 60 * 1_000;

/** What an operator or an owner does with endpoints of webhooks, and sees of them. */
@Controller()
export class EndpointOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly secrets: EndpointSecrets,
    private readonly sender: WebhookSender,
  ) {}

  /** Lists the endpoints of a book. */
  @Operation(listEndpoints)
  async list({ business_id }: RequestOf<typeof listEndpoints>): Promise<ReplyOf<typeof listEndpoints>> {
    const rows = await endpointsOf(forTenant(this.db, business_id), business_id);
    const now = this.clock.now();
    return { endpoints: rows.map((row) => toEndpoint(row, now)) };
  }

  @Operation(showEndpoint)
  async show(request: RequestOf<typeof showEndpoint>): Promise<ReplyOf<typeof showEndpoint>> {
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), this.clock.now()) };
  }

  /** Removes an endpoint. What waits for it and its log are deleted in the background. */
  @Operation(removeEndpoint)
  async remove(request: RequestOf<typeof removeEndpoint>): Promise<ReplyOf<typeof removeEndpoint>> {
    const now = this.clock.now();
    return withEndpoint(this.db, request, async (trx, endpoint) => {
      const { url, types, description } = endpoint;
      await changeEndpoint(trx, endpoint, { removed_at: now });
      const before = { url, types, description };
      await appendEndpointEntry(trx, endpoint, 'remove', actorOf(request.person_id), before, null);
      return { endpoint: toEndpoint({ ...endpoint, pending: 0 }, now) };
    });
  }

  /** Gives an endpoint another secret. */
  @Operation(rotateEndpointSecret)
  async rotate(
    request: RequestOf<typeof rotateEndpointSecret>,
  ): Promise<ReplyOf<typeof rotateEndpointSecret>> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + overlapMs);
    const secret = await withEndpoint(this.db, request, async (trx, endpoint) => {
      const created = this.secrets.create(endpoint);
      await changeEndpoint(trx, endpoint, {
        secret: created.encrypted,
        previous_secret: endpoint.secret,
        previous_secret_until: until,
      });
      const after = { previous_secret_until: until.toISOString() };
      await appendEndpointEntry(trx, endpoint, 'rotate', actorOf(request.person_id), null, after);
      return created.secret;
    });
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), now), secret };
  }

  /** Enables or disables an endpoint. */
  @Operation(setEndpointEnabled)
  async setEnabled(
    request: RequestOf<typeof setEndpointEnabled>,
  ): Promise<ReplyOf<typeof setEndpointEnabled>> {
    const actor = actorOf(request.person_id);
    await withEndpoint(this.db, request, async (trx, endpoint) => {
      if (!request.enabled) {
        await disableEndpoint(trx, endpoint, 'owner', actor);
      } else if (!endpoint.enabled) {
        const fresh = { failing_since: null, notices: 0 };
        await changeEndpoint(trx, endpoint, { enabled: true, disabled_reason: null, ...fresh });
        const after = { enabled: true, url: endpoint.url };
        await appendEndpointEntry(trx, endpoint, 'enable', actor, { enabled: false }, after);
      }
    });
    this.sender.trigger();
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), this.clock.now()) };
  }

  /** Sends a test to one endpoint. */
  @Operation(testEndpoint)
  async test(request: RequestOf<typeof testEndpoint>): Promise<ReplyOf<typeof testEndpoint>> {
    const id = timeOrderedId();
    const now = this.clock.now();
    const webhooks = await withEndpoint(this.db, request, async (trx, endpoint) => {
      requireEnabled(endpoint);
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
      await appendEndpointEntry(trx, endpoint, 'test', actorOf(request.person_id), null, after);
      return stored;
    });
    this.sender.sendNew(webhooks);
    return { event_id: toEventId(id) };
  }
}
