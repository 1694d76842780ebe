import { listGivenUpAllocations, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofEveryBusiness } from '@pinkas/service-kit';
import { listGivenUp } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';

/** The documents whose number is asked for no more by itself, page by page. */
@Operation(listGivenUpAllocations)
export class ListGivenUpAllocations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    after,
    limit,
  }: RequestOf<typeof listGivenUpAllocations>): Promise<ReplyOf<typeof listGivenUpAllocations>> {
    const from = after && { decided_at: new Date(after.decided_at), document_id: after.document_id };
    const found = await listGivenUp(ofEveryBusiness(this.db), from, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      documents: page.map((row) => ({
        document_id: row.document_id,
        business_id: row.business_id,
        reason: row.reason ?? 'The reason was not written down.',
        attempts: row.attempts,
        given_up_at: (row.given_up_at ?? row.decided_at).toISOString(),
      })),
      next_after: last ? { decided_at: last.decided_at.toISOString(), document_id: last.document_id } : null,
    };
  }
}
