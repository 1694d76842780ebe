import { listUnresolvedDonations, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { unresolvedAllocations } from '../attempt/allocation.repository.js';
import { readReports } from '../attempt/donation.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { toDonation } from './donation-view.js';

/** The refused and the dead-lettered donations, page by page. */
@Operation(listUnresolvedDonations)
export class ListUnresolvedDonations {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    business_id: businessId,
    before,
    limit,
  }: RequestOf<typeof listUnresolvedDonations>): Promise<ReplyOf<typeof listUnresolvedDonations>> {
    const db = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const position = before && { ...before, decided_at: new Date(before.decided_at) };
    const found = await unresolvedAllocations(db, 'donation', businessId, position, limit + 1);
    const page = found.slice(0, limit);
    const reports = await readReports(db, page);
    const donations = page.map((row) => toDonation(row, reports));
    const last = found.length > limit ? donations.at(-1) : undefined;
    return {
      donations,
      next_before: last ? { decided_at: last.decided_at, document_id: last.document_id } : null,
    };
  }
}
