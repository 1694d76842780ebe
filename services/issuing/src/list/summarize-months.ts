import { type ReplyOf, type RequestOf, summarizeMonths } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { sumsByMonth } from '../document/document-sums.repository.js';

const monthsMax = 36;

/** Sums up the documents of each month, by type. */
@Operation(summarizeMonths)
export class SummarizeMonths {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle({
    business_id,
    from,
    to,
  }: RequestOf<typeof summarizeMonths>): Promise<ReplyOf<typeof summarizeMonths>> {
    if (countOf(to) - countOf(from) >= monthsMax) {
      throw ApiError.invalid([{ path: '/to', message: `must be within ${monthsMax} months from the first` }]);
    }
    const sums = await sumsByMonth(forTenant(this.db, business_id), business_id, {
      from: `${from}-01`,
      to: lastDay(to),
    });
    return {
      months: sums.map(({ net, vat, total, ...row }) => ({
        ...row,
        net: Number(net),
        vat: Number(vat),
        total: Number(total),
      })),
    };
  }
}

/** Months since year 0. */
const countOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));

/** The last day of a month, YYYY-MM-DD. */
function lastDay(month: string): string {
  const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  return `${month}-${days}`;
}
