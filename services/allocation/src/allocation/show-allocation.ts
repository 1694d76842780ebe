import { type ReplyOf, type RequestOf, showAllocation } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findByDocument } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { toAllocation } from './allocation-view.js';

/** The allocation of one document. */
@Operation(showAllocation)
export class ShowAllocation {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    business_id,
    document_id,
  }: RequestOf<typeof showAllocation>): Promise<ReplyOf<typeof showAllocation>> {
    const row = await findByDocument(forTenant(this.db, business_id), document_id);
    return { allocation: row ? toAllocation(row) : null };
  }
}
