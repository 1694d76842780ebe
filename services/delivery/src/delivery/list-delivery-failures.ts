import { listDeliveryFailures, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { failedMessages } from './operator.repository.js';
import { suppressedMessages } from './suppression.repository.js';

const pageMax = 200;

/** Lists failed messages, for an operator. */
@Operation(listDeliveryFailures)
export class ListDeliveryFailures {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({
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
}
