import { listTopCustomers, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { mayIssue } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { findTopCustomers } from './top-customer.repository.js';

/** Lists the customers with the largest income of some months. */
@Operation(listTopCustomers)
export class ListTopCustomers {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof listTopCustomers>): Promise<ReplyOf<typeof listTopCustomers>> {
    const { business_id, legal_type, from, to, limit } = request;
    const issuesInvoices = legal_type === null || mayIssue(legal_type, 'tax_invoice');
    const rows = await findTopCustomers(forTenant(this.db, business_id), business_id, {
      basis: issuesInvoices ? 'invoices' : 'receipts',
      from: `${from}-01`,
      to: `${to}-01`,
      limit,
    });
    return { customers: rows.map((row) => ({ ...row, income: Number(row.income) })) };
  }
}
