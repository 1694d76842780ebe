import { Controller } from '@nestjs/common';
import { clearTestAllocations, listTestRequests, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { clearTestBook, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { requestsOf } from '../attempt/allocation-list.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';

const pageMax = 200;

const tables = ['job', 'donation_report', 'decision', 'attempt', 'allocation'] as const;

/** The requests of a test book. */
@Controller()
export class TestBookOperations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  /** Lists the documents of a test book that the simulation was asked for a number for. */
  @Operation(listTestRequests)
  async list({
    business_id: businessId,
    after,
  }: RequestOf<typeof listTestRequests>): Promise<ReplyOf<typeof listTestRequests>> {
    const position = after && { ...after, decided_at: new Date(after.decided_at) };
    const rows = await requestsOf(forTenant(this.db, businessId), businessId, position, pageMax);
    const requests = rows.map((row) => ({
      document_id: row.document_id,
      state: row.state,
      number: row.number,
      reason: row.reason,
      attempts: row.attempts,
      decided_at: row.decided_at.toISOString(),
    }));
    const last = requests.at(-1);
    return {
      requests,
      next_after:
        last && requests.length === pageMax
          ? { decided_at: last.decided_at, document_id: last.document_id }
          : null,
    };
  }

  /** Empties a test book. */
  @Operation(clearTestAllocations)
  clear({
    business_id,
  }: RequestOf<typeof clearTestAllocations>): Promise<ReplyOf<typeof clearTestAllocations>> {
    return clearTestBook(this.db, business_id, { tables });
  }
}
