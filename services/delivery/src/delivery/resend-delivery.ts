import { type ReplyOf, type RequestOf, resendDelivery } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  ofEveryBusiness,
  Problem,
} from '@pinkas/service-kit';
import { findPlan, messagesOf, resendFailed } from './delivery.repository.js';
import type { DeliveryTables } from './delivery.tables.js';
import { messageStanding } from './message-standing.js';
import { SendMessages } from './send-messages.js';

/** An operator has decided that what failed is to be sent after all. */
@Operation(resendDelivery)
export class ResendDelivery {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly worker: SendMessages,
  ) {}

  async handle(request: RequestOf<typeof resendDelivery>): Promise<ReplyOf<typeof resendDelivery>> {
    const plan = await findPlan(ofEveryBusiness(this.db), request.document_id);
    if (!plan) throw new Problem('not_found');
    const reply = await ofBusiness(this.db, plan.business_id)
      .transaction()
      .execute(async (trx) => {
        const resent = await resendFailed(trx, plan, this.clock.now());
        const messages = await messagesOf(trx, plan);
        return { resent, messages: messages.map(messageStanding), planned: plan.status };
      });
    if (reply.resent > 0) this.worker.nudge();
    return reply;
  }
}
