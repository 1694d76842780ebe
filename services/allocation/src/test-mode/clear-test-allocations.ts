import { clearTestAllocations, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { clearTestBook, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { AllocationTables } from '../db/allocation.tables.js';

const tables = ['donation_report', 'decision', 'attempt', 'allocation'] as const;

/** Empties a test book. */
@Operation(clearTestAllocations)
export class ClearTestAllocations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  handle({
    business_id,
  }: RequestOf<typeof clearTestAllocations>): Promise<ReplyOf<typeof clearTestAllocations>> {
    return clearTestBook(this.db, business_id, { tables });
  }
}
