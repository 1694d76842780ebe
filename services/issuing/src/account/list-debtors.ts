import { listDebtors, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { dayInIsrael, daysAfter } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { findDebtors } from './debt.repository.js';

/** Lists the customers that have something left to pay, the largest amount first. */
@Operation(listDebtors)
export class ListDebtors {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({
    business_id,
    limit,
    after,
  }: RequestOf<typeof listDebtors>): Promise<ReplyOf<typeof listDebtors>> {
    const today = dayInIsrael(this.clock.now());
    const db = forTenant(this.db, business_id);
    // One row beyond the page shows whether there is another page.
    const found = await findDebtors(db, business_id, { today, limit: limit + 1, after });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      debtors: page.map((row) => ({ ...row, days_late: daysAfter(row.due_on, today) })),
      next_after:
        last && found.length > limit ? { amount: last.amount, customer_id: last.customer_id } : null,
    };
  }
}
