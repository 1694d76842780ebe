import { Controller } from '@nestjs/common';
import { fromEventId, type ReplyOf, type RequestOf, resendWebhooks } from '@pinkas/contracts';
import {
  ApiError,
  actorOf,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  type Transaction,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import type { EndpointRow } from '../db/webhook.tables.js';
import {
  appendEndpointEntry,
  findEndpoint,
  makeDue,
  makeMissedDue,
  requireEnabled,
} from './endpoint.repository.js';
import { WebhookSender } from './webhook-sender.js';

/** How many events one call looks at. */
const pageMax = 1_000;

type Request = RequestOf<typeof resendWebhooks>;
type Reply = ReplyOf<typeof resendWebhooks>;

/** Sends events to an endpoint again, for an operator or an owner. */
@Controller()
export class ResendWebhooks {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly sender: WebhookSender,
  ) {}

  @Operation(resendWebhooks)
  async handle(request: Request): Promise<Reply> {
    const { event_id, since } = request;
    if ((event_id === undefined) === (since === undefined)) {
      throw ApiError.invalid([{ path: '', message: 'must name an event or an instant, and not both' }]);
    }
    const endpoint = await findEndpoint(this.db, request);
    requireEnabled(endpoint);
    // Without its lock, which an attempt takes behind that of its webhook: what is due of a disabled one is not sent.
    const reply = await forTenant(this.db, endpoint.business_id)
      .transaction()
      .execute(async (trx) => {
        const found = await this.#makeDue(trx, endpoint, request);
        if (found.resent > 0) {
          const after = { resent: found.resent, event_id: event_id ?? null, since: since ?? null };
          await appendEndpointEntry(trx, endpoint, 'resend', actorOf(request.person_id), null, after);
        }
        return found;
      });
    this.sender.trigger();
    return reply;
  }

  async #makeDue(
    trx: Transaction<DeliveryTables>,
    endpoint: EndpointRow,
    { event_id, since, after = 0 }: Request,
  ): Promise<Reply> {
    const now = this.clock.now();
    if (event_id !== undefined) {
      const resent = await makeDue(trx, endpoint, fromEventId(event_id), now);
      if (resent === 0) {
        throw new ApiError('not_found');
      }
      return { resent, next_after: null };
    }
    const from = new Date(since ?? '');
    if (Number.isNaN(from.getTime())) {
      throw ApiError.invalid([{ path: '/since', message: 'must be an instant' }]);
    }
    const page = await makeMissedDue(trx, endpoint, { since: from, after, limit: pageMax, now });
    return { resent: page.resent, next_after: page.lastPosition };
  }
}
