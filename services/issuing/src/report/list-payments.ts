import { Controller } from '@nestjs/common';
import { listPayments, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { fromShekels, sum, toShekels } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation, pageOf } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { toHead } from '../document/document-row.js';
import { findPayments } from './payment.repository.js';
import { checkPeriod } from './period-days.js';

/** Lists the documents that have received something by a means of payment, the latest date first. */
@Controller()
export class ListPayments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  @Operation(listPayments)
  async handle(request: RequestOf<typeof listPayments>): Promise<ReplyOf<typeof listPayments>> {
    const { limit, ...filter } = request;
    checkPeriod(filter);
    const found = await findPayments(forTenant(this.db, filter.business_id), filter, limit + 1);
    const { page, last } = pageOf(found, limit);
    return {
      documents: page.map((row) => {
        const payments = row.payments.filter(({ method }) => method === filter.method);
        const amount = toShekels(sum(payments.map((payment) => fromShekels(payment.amount))));
        return { document: toHead(row), payments, amount };
      }),
      next_after: last ? { date: last.dated_on, position: last.position } : null,
    };
  }
}
