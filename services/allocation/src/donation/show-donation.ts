import { type ReplyOf, type RequestOf, showDonation } from '@pinkas/contracts';
import { acrossTenants, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { toAttempt } from '../allocation/allocation-view.js';
import { attemptsOf, findByDocument } from '../attempt/allocation.repository.js';
import { readReports } from '../attempt/donation.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { toDonation } from './donation-view.js';

const pageMax = 200;

/** The donation of one receipt, with its reports and attempts. */
@Operation(showDonation)
export class ShowDonation {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    business_id: businessId,
    document_id,
    after_attempt: after = 0,
  }: RequestOf<typeof showDonation>): Promise<ReplyOf<typeof showDonation>> {
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    // One snapshot: the state is that of the last attempt.
    return visible
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const row = await findByDocument(trx, document_id);
        if (row?.kind !== 'donation') {
          return { donation: null, attempts: [], next_after_attempt: null };
        }
        const attempts = await attemptsOf(trx, row, after, pageMax + 1);
        const page = attempts.slice(0, pageMax).map(toAttempt);
        return {
          donation: toDonation(row, await readReports(trx, [row])),
          attempts: page,
          next_after_attempt: attempts.length > pageMax ? (page.at(-1)?.n ?? null) : null,
        };
      });
  }
}
