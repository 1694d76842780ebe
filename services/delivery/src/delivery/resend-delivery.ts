import { type ReplyOf, type RequestOf, resendDelivery } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from './delivery.tables.js';
import { MessageSender } from './message-sender.js';
import { messageStatus } from './message-status.js';
import { findPlan, messagesOf, resendFailed } from './operator.repository.js';

/** Makes the failed messages of a document due again, for an operator or an owner. */
@Operation(resendDelivery)
export class ResendDelivery {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly sender: MessageSender,
  ) {}

  async handle(request: RequestOf<typeof resendDelivery>): Promise<ReplyOf<typeof resendDelivery>> {
    const { business_id: businessId } = request;
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const plan = await findPlan(visible, request.document_id);
    if (!plan) {
      throw new ApiError('not_found');
    }
    const reply = await forTenant(this.db, plan.business_id)
      .transaction()
      .execute(async (trx) => {
        const { resent, suppressed } = await resendFailed(trx, plan, this.clock.now());
        const messages = await messagesOf(trx, plan);
        if (resent > 0) {
          await appendAudit(trx, {
            business_id: plan.business_id,
            action: 'delivery.resend',
            subject: plan.document_id,
            actor: actorOf(request.person_id),
            before: null,
            after: { messages: resent },
          });
        }
        return { resent, suppressed, messages: messages.map(messageStatus), planned: plan.status };
      });
    if (reply.resent > 0) {
      this.sender.trigger();
    }
    return reply;
  }
}
