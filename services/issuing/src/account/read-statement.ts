import { type ReplyOf, type RequestOf, readStatement } from '@pinkas/contracts';
import { type Agorot, fromShekels, toShekels } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { readEntriesOf, sumStatement } from './statement.repository.js';

const agorot = (amount: string): Agorot => fromShekels(Number(amount));

/** Reads the account of a customer: what asked for payment and what settled it, with the balance after each. */
@Operation(readStatement)
export class ReadStatement {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof readStatement>): Promise<ReplyOf<typeof readStatement>> {
    const { business_id, limit, ...range } = request;
    // One snapshot: the sums are those of the entries.
    const { sums, found } = await forTenant(this.db, business_id)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => ({
        sums: await sumStatement(trx, business_id, range),
        // One row beyond the page shows whether there is another page.
        found: await readEntriesOf(trx, business_id, range, limit + 1),
      }));
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const opening = agorot(sums.opening);
    const broughtForward = opening + agorot(sums.before_page);
    let balance = broughtForward;
    return {
      opening: toShekels(opening),
      brought_forward: toShekels(broughtForward),
      entries: page.map((row) => {
        balance += agorot(row.debit) - agorot(row.credit);
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
        };
      }),
      debit: Number(sums.debit),
      credit: Number(sums.credit),
      closing: toShekels(opening + agorot(sums.debit) - agorot(sums.credit)),
      documents: sums.documents,
      open: Number(sums.open),
      next_after: last && found.length > limit ? { date: last.dated_on, position: last.position } : null,
    };
  }
}
