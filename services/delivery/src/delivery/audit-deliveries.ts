import { auditDeliveries, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { countAttempts } from './attempt.repository.js';
import { messageStatus } from './message-status.js';
import { messagesOfDocuments } from './operator.repository.js';

/** Lists what is recorded of deliveries, for verifying the book. */
@Operation(auditDeliveries)
export class AuditDeliveries {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle(request: RequestOf<typeof auditDeliveries>): Promise<ReplyOf<typeof auditDeliveries>> {
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
}

const countsOf = (counts = { accepted: 0, unknown: 0, withoutNumber: 0 }) => ({
  accepted: counts.accepted,
  unknown: counts.unknown,
  without_number: counts.withoutNumber,
});
