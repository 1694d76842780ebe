import { listDeadLetteredAllocations, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import { deadLetteredAllocations } from '../attempt/allocation.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** The dead-lettered documents, page by page. */
@Operation(listDeadLetteredAllocations)
export class ListDeadLetteredAllocations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    after,
    limit,
  }: RequestOf<typeof listDeadLetteredAllocations>): Promise<ReplyOf<typeof listDeadLetteredAllocations>> {
    const from = after && { decided_at: new Date(after.decided_at), document_id: after.document_id };
    const found = await deadLetteredAllocations(acrossTenants(this.db), from, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      documents: page.map((row) => ({
        document_id: row.document_id,
        business_id: row.business_id,
        kind: row.kind,
        reason: row.reason ?? 'No reason was recorded.',
        attempts: row.attempts,
        dead_lettered_at: (row.dead_lettered_at ?? row.decided_at).toISOString(),
      })),
      next_after: last ? { decided_at: last.decided_at.toISOString(), document_id: last.document_id } : null,
    };
  }
}
