import { auditAllocations, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findByDocuments } from '../attempt/allocation.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** Lists the allocation state of documents of one business. */
@Operation(auditAllocations)
export class AuditAllocations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    business_id,
    document_ids: ids,
  }: RequestOf<typeof auditAllocations>): Promise<ReplyOf<typeof auditAllocations>> {
    const rows = await findByDocuments(forTenant(this.db, business_id), business_id, ids);
    const byId = new Map(rows.map((row) => [row.document_id, row]));
    return {
      documents: ids.map((id) => {
        const row = byId.get(id.toLowerCase());
        return {
          document_id: id,
          state: row?.state ?? null,
          ...(row && { kind: row.kind }),
          ...(row?.cancel_requested_at && { cancelled: true }),
          number: row?.number ?? null,
          next_attempt_at: row?.next_attempt_at?.toISOString() ?? null,
          settled_at: row?.settled_at?.toISOString() ?? null,
        };
      }),
    };
  }
}
