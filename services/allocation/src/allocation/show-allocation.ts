import { type ReplyOf, type RequestOf, showAllocation } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { attemptsOf, findByDocument } from '../attempt/allocation.repository.js';
import { decisionsOf, toDecision } from '../attempt/decision.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { toAllocation, toAttempt } from './allocation-view.js';

const pageMax = 200;

/** The allocation of one document, with its attempts. */
@Operation(showAllocation)
export class ShowAllocation {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle({
    business_id,
    document_id,
    after_attempt: after = 0,
  }: RequestOf<typeof showAllocation>): Promise<ReplyOf<typeof showAllocation>> {
    // One snapshot: the state is that of the last attempt.
    return forTenant(this.db, business_id)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const row = await findByDocument(trx, document_id);
        const attempts = await attemptsOf(trx, { business_id, document_id }, after, pageMax + 1);
        const page = attempts.slice(0, pageMax).map(toAttempt);
        const decisions = await decisionsOf(trx, { business_id, document_id });
        return {
          allocation: row ? toAllocation(row, decisions.at(-1)) : null,
          attempts: page,
          next_after_attempt: attempts.length > pageMax ? (page.at(-1)?.n ?? null) : null,
          ...(decisions.length > 0 && { decisions: decisions.map(toDecision) }),
        };
      });
  }
}
