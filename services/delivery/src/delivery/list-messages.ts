import { listMessages, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { attemptsOf } from './attempt.repository.js';
import { messageStatus } from './message-status.js';
import { messagesOfDocuments } from './operator.repository.js';
import { suppressedMessages } from './suppression.repository.js';

/** Lists the messages of a document with all that became of them. */
@Operation(listMessages)
export class ListMessages {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({
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
}
