import { auditDeliveries, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness } from '@pinkas/service-kit';
import { countAttempts, plansAndMessages } from './delivery.repository.js';
import type { DeliveryTables } from './delivery.tables.js';
import { messageStanding } from './message-standing.js';

/** Tells what the tables know of deliveries, for proving the book. */
@Operation(auditDeliveries)
export class AuditDeliveries {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle(request: RequestOf<typeof auditDeliveries>): Promise<ReplyOf<typeof auditDeliveries>> {
    const { business_id: businessId, document_ids: documentIds } = request;
    // One snapshot: a message must not be seen without the attempt that it is at.
    return ofBusiness(this.db, businessId)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const { planned, messages } = await plansAndMessages(trx, businessId, documentIds);
        const counts = await countAttempts(
          trx,
          businessId,
          messages.map(({ id }) => id),
        );
        return {
          documents: documentIds.map((documentId) => ({
            document_id: documentId,
            planned: planned.has(documentId.toLowerCase()),
            messages: messages
              .filter(({ document_id }) => document_id === documentId.toLowerCase())
              .map((row) => ({
                ...messageStanding(row),
                recipient: row.recipient,
                ...(counts.get(row.id) ?? { accepted: 0, unknown: 0 }),
                resends: row.resends,
              })),
          })),
        };
      });
  }
}
