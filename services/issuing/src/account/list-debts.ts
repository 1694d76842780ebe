import { listDebts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { dayInIsrael, daysAfter, debtAgeOf, dueDatesOfAge } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { toHead } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { findDebts } from './debt.repository.js';

/** Lists the documents that have something left to pay, the first due first. */
@Operation(listDebts)
export class ListDebts {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof listDebts>): Promise<ReplyOf<typeof listDebts>> {
    const { business_id, customer_id, age, limit, after } = request;
    const today = dayInIsrael(this.clock.now());
    const dates = age === undefined ? { from: null, to: null } : dueDatesOfAge(age, today);
    const db = forTenant(this.db, business_id);
    // One row beyond the page shows whether there is another page.
    const found = await findDebts(db, business_id, { customer_id, ...dates, limit: limit + 1, after });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      debts: page.map((row) => ({
        document: toHead(row),
        customer_id: row.account_id,
        balance: Number(row.balance),
        due_on: row.due,
        days_late: daysAfter(row.due, today),
        age: debtAgeOf(row.due, today),
      })),
      next_after: last && found.length > limit ? { due_on: last.due, document_id: last.id } : null,
    };
  }
}
