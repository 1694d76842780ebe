import { listUnresolvedAllocations, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { unresolvedAllocations } from '../attempt/allocation.repository.js';
import { lastDecisions } from '../attempt/decision.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { toAllocation } from './allocation-view.js';

/** The documents of a business whose number needs a person, page by page. */
@Operation(listUnresolvedAllocations)
export class ListUnresolvedAllocations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    business_id: businessId,
    before,
    limit,
  }: RequestOf<typeof listUnresolvedAllocations>): Promise<ReplyOf<typeof listUnresolvedAllocations>> {
    const position = before && { ...before, decided_at: new Date(before.decided_at) };
    const db = forTenant(this.db, businessId);
    const found = await unresolvedAllocations(db, 'number', businessId, position, limit + 1);
    const page = found.slice(0, limit);
    const decisions = await lastDecisions(db, page);
    const allocations = page.map((row) => toAllocation(row, decisions.get(row.document_id)));
    const last = found.length > limit ? allocations.at(-1) : undefined;
    return {
      allocations,
      next_before: last ? { decided_at: last.decided_at, document_id: last.document_id } : null,
    };
  }
}
