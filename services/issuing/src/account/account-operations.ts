import { Controller } from '@nestjs/common';
import {
  listDebtors,
  listDebts,
  listTopCustomers,
  type ReplyOf,
  type RequestOf,
  readStatement,
  summarizeDebts,
} from '@pinkas/contracts';
import { dayInIsrael, daysAfter, debtAgeOf, dueDatesOfAge, mayIssue, toShekels } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  pageOf,
} from '@pinkas/service-kit';
import { agorotOf } from '../document/amounts.js';
import type { IssuingTables } from '../document/document.tables.js';
import { toHead } from '../document/document-row.js';
import { onAccountOf } from '../document/set-off.repository.js';
import { findDebtors, findDebts, sumDebts } from './debt.repository.js';
import { type EntryRow, readEntriesOf, sumStatement } from './statement.repository.js';
import { findTopCustomers } from './top-customer.repository.js';

/** What customers have left to pay, and their accounts. */
@Controller()
export class AccountOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Sums up what is left to pay of a book, by age. */
  @Operation(summarizeDebts)
  async summarizeDebts({
    business_id,
  }: RequestOf<typeof summarizeDebts>): Promise<ReplyOf<typeof summarizeDebts>> {
    const today = dayInIsrael(this.clock.now());
    return { as_of: today, ...(await sumDebts(forTenant(this.db, business_id), business_id, today)) };
  }

  /** Lists the customers that have something left to pay, the largest amount first. */
  @Operation(listDebtors)
  async listDebtors({
    business_id,
    limit,
    after,
    customer_ids,
  }: RequestOf<typeof listDebtors>): Promise<ReplyOf<typeof listDebtors>> {
    const today = dayInIsrael(this.clock.now());
    const db = forTenant(this.db, business_id);
    const found = await findDebtors(db, business_id, { today, limit: limit + 1, after, customer_ids });
    const { page, last } = pageOf(found, limit);
    return {
      debtors: page.map((row) => ({ ...row, days_late: daysAfter(row.due_on, today) })),
      next_after: last ? { amount: last.amount, customer_id: last.customer_id } : null,
    };
  }

  /** Lists the documents that have something left to pay, the first due first. */
  @Operation(listDebts)
  async listDebts(request: RequestOf<typeof listDebts>): Promise<ReplyOf<typeof listDebts>> {
    const { business_id, customer_id, age, limit, after } = request;
    const today = dayInIsrael(this.clock.now());
    const dates = age === undefined ? { from: null, to: null } : dueDatesOfAge(age, today);
    const db = forTenant(this.db, business_id);
    const found = await findDebts(db, business_id, { customer_id, ...dates, limit: limit + 1, after });
    const { page, last } = pageOf(found, limit);
    return {
      debts: page.map((row) => ({
        document: toHead(row),
        customer_id: row.account_id,
        balance: Number(row.balance),
        due_on: row.due,
        days_late: daysAfter(row.due, today),
        age: debtAgeOf(row.due, today),
      })),
      next_after: last ? { due_on: last.due, document_id: last.id } : null,
      ...(customer_id !== undefined && {
        on_account: toShekels(await onAccountOf(db, business_id, customer_id)),
      }),
    };
  }

  /** Reads the account of a customer: what asked for payment and what settled it, with the balance after each. */
  @Operation(readStatement)
  async readStatement(request: RequestOf<typeof readStatement>): Promise<ReplyOf<typeof readStatement>> {
    const { business_id, limit, ...range } = request;
    // One snapshot: the sums are those of the entries.
    const { sums, found } = await forTenant(this.db, business_id)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => ({
        sums: await sumStatement(trx, business_id, range),
        found: await readEntriesOf(trx, business_id, range, limit + 1),
      }));
    const { page, last } = pageOf(found, limit);
    const opening = agorotOf(sums.opening);
    const broughtForward = opening + agorotOf(sums.before_page);
    let balance = broughtForward;
    return {
      opening: toShekels(opening),
      brought_forward: toShekels(broughtForward),
      entries: page.map((row) => {
        balance += agorotOf(row.debit) - agorotOf(row.credit);
        return {
          document_id: row.id,
          type: row.type,
          number: row.number,
          date: row.dated_on,
          due_date: row.due_on,
          based_on: row.source,
          debit: Number(row.debit),
          credit: Number(row.credit),
          balance: toShekels(balance),
          ...(Number(row.set_off) > 0 && { set_off: Number(row.set_off) }),
          ...(row.withheld && { withheld: row.withheld }),
        };
      }),
      debit: Number(sums.debit),
      credit: Number(sums.credit),
      closing: toShekels(opening + agorotOf(sums.debit) - agorotOf(sums.credit)),
      documents: sums.documents,
      open: Number(sums.open),
      next_after: last ? positionOf(last) : null,
    };
  }

  /** Lists the customers with the largest income of some months. */
  @Operation(listTopCustomers)
  async listTopCustomers(
    request: RequestOf<typeof listTopCustomers>,
  ): Promise<ReplyOf<typeof listTopCustomers>> {
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

const positionOf = ({ dated_on: date, position, entry }: EntryRow) => ({
  ...{ date, position },
  ...(entry !== '' && { entry }),
});
