import { Controller } from '@nestjs/common';
import {
  auditDeliveries,
  listDeliveryFailures,
  listDeliveryStates,
  listMessages,
  listUndelivered,
  type ReplyOf,
  type RequestOf,
  resendDelivery,
  undeliveredMax,
} from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { findDocument } from '../plan/document.repository.js';
import { attemptsOf, countAttempts } from '../send/attempt.repository.js';
import { MessageSender } from '../send/message-sender.js';
import { messageStatus } from '../send/message-status.js';
import { suppressedMessages } from '../suppression/suppression.repository.js';
import {
  deliveryStates,
  failedMessages,
  messagesOf,
  messagesOfDocuments,
  resendFailed,
  undeliveredDocuments,
} from './operator.repository.js';

const pageMax = 200;

/** The messages of documents: what became of them, and sending failed ones again. */
@Controller()
export class MessageOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly sender: MessageSender,
  ) {}

  /** Lists the messages of a document with all that became of them. */
  @Operation(listMessages)
  async list({
    business_id: businessId,
    document_id: documentId,
  }: RequestOf<typeof listMessages>): Promise<ReplyOf<typeof listMessages>> {
    // One snapshot: a message is read with its latest attempt.
    return forTenant(this.db, businessId)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const messages = await messagesOfDocuments(trx, businessId, [documentId]);
        const ids = messages.map(({ id }) => id);
        const attempts = await attemptsOf(trx, businessId, ids);
        const suppressed = await suppressedMessages(trx, messages);
        return {
          messages: messages.map((row) => ({
            ...messageStatus(row),
            recipient: row.recipient,
            suppressed: suppressed.has(row.id),
            created_at: row.created_at.toISOString(),
            attempts: (attempts.get(row.id) ?? []).map((attempt) => ({
              n: attempt.n,
              started_at: attempt.started_at.toISOString(),
              ended_at: attempt.ended_at?.toISOString() ?? null,
              outcome: attempt.outcome,
              response: attempt.provider_response,
              allocation_number: attempt.allocation_number,
            })),
          })),
        };
      });
  }

  /** Lists failed messages, for an operator. */
  @Operation(listDeliveryFailures)
  async listFailures({
    business_id: businessId,
    after,
  }: RequestOf<typeof listDeliveryFailures>): Promise<ReplyOf<typeof listDeliveryFailures>> {
    const db = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const position = after && { failed_at: new Date(after.failed_at), id: after.delivery_id };
    const rows = await failedMessages(db, businessId, position, pageMax);
    const suppressed = await suppressedMessages(db, rows);
    const failures = rows.map((row) => ({
      delivery_id: row.id,
      business_id: row.business_id,
      document_id: row.document_id,
      document_type: row.facts.document.type,
      document_number: row.facts.document.number,
      channel: row.channel,
      purpose: row.purpose,
      recipient: row.recipient,
      suppressed_address: suppressed.get(row.id) ?? null,
      reason: row.last_error ?? '',
      attempts: row.attempts,
      failed_at: (row.failed_at ?? row.created_at).toISOString(),
    }));
    const last = failures.at(-1);
    return {
      failures,
      next_after:
        last && failures.length === pageMax
          ? { failed_at: last.failed_at, delivery_id: last.delivery_id }
          : null,
    };
  }

  /** Lists what has become of the customer's copies of some documents. */
  @Operation(listDeliveryStates)
  async listStates({
    business_id,
    document_ids,
  }: RequestOf<typeof listDeliveryStates>): Promise<ReplyOf<typeof listDeliveryStates>> {
    return { documents: await deliveryStates(forTenant(this.db, business_id), business_id, document_ids) };
  }

  /** Lists the documents that have not reached their customers. */
  @Operation(listUndelivered)
  async listUndelivered({
    business_id,
  }: RequestOf<typeof listUndelivered>): Promise<ReplyOf<typeof listUndelivered>> {
    const db = forTenant(this.db, business_id);
    return { document_ids: await undeliveredDocuments(db, business_id, undeliveredMax) };
  }

  /** Lists what is recorded of deliveries, for verifying the book. */
  @Operation(auditDeliveries)
  async audit(request: RequestOf<typeof auditDeliveries>): Promise<ReplyOf<typeof auditDeliveries>> {
    const { business_id: businessId, document_ids: documentIds } = request;
    // One snapshot: a message is read with its latest attempt.
    return forTenant(this.db, businessId)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const messages = await messagesOfDocuments(trx, businessId, documentIds);
        const counts = await countAttempts(
          trx,
          businessId,
          messages.map(({ id }) => id),
        );
        return {
          documents: documentIds.map((documentId) => ({
            document_id: documentId,
            messages: messages
              .filter(({ document_id }) => document_id === documentId.toLowerCase())
              .map((row) => ({
                ...messageStatus(row),
                recipient: row.recipient,
                ...countsOf(counts.get(row.id)),
                resends: row.resends,
              })),
          })),
        };
      });
  }

  /** Makes the failed messages of a document due again, for an operator or an owner. */
  @Operation(resendDelivery)
  async resend(request: RequestOf<typeof resendDelivery>): Promise<ReplyOf<typeof resendDelivery>> {
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
          await appendTrail(trx, {
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

const countsOf = (counts = { accepted: 0, unknown: 0, withoutNumber: 0 }) => ({
  accepted: counts.accepted,
  unknown: counts.unknown,
  without_number: counts.withoutNumber,
});
