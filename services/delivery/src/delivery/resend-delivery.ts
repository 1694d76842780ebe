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
import type { DeliveryTables } from '../db/delivery.tables.js';
import { findDocument } from './document.repository.js';
import { MessageSender } from './message-sender.js';
import { messageStatus } from './message-status.js';
import { messagesOf, resendFailed } from './operator.repository.js';

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
    const document = await findDocument(visible, request.document_id);
    if (!document) {
      throw new ApiError('not_found');
    }
    const reply = await forTenant(this.db, document.business_id)
      .transaction()
      .execute(async (trx) => {
        const { resent, suppressed } = await resendFailed(trx, document, this.clock.now());
        const messages = await messagesOf(trx, document);
        if (resent > 0) {
          await appendAudit(trx, {
            business_id: document.business_id,
            action: 'delivery.resend',
            subject: document.document_id,
            actor: actorOf(request.person_id),
            before: null,
            after: { messages: resent },
          });
        }
        return { resent, suppressed, messages: messages.map(messageStatus) };
      });
    if (reply.resent > 0) {
      this.sender.trigger();
    }
    return reply;
  }
}
