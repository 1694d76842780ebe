import { listUnresolvedAllocations, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { unresolvedAllocations } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { toAllocation } from './allocation-view.js';

/** The refused and the dead-lettered documents of a business, page by page. */
@Operation(listUnresolvedAllocations)
export class ListUnresolvedAllocations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    business_id: businessId,
    before,
    limit,
  }: RequestOf<typeof listUnresolvedAllocations>): Promise<ReplyOf<typeof listUnresolvedAllocations>> {
    const position = before && { ...before, decided_at: new Date(before.decided_at) };
    const found = await unresolvedAllocations(
      forTenant(this.db, businessId),
      'number',
      businessId,
      position,
      limit + 1,
    );
    const allocations = found.slice(0, limit).map(toAllocation);
    const last = found.length > limit ? allocations.at(-1) : undefined;
    return {
      allocations,
      next_before: last ? { decided_at: last.decided_at, document_id: last.document_id } : null,
    };
  }
}
