import type { StatementPosition } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { accountSums, credit, debit, isOnAccount } from '../document/account-sums.js';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';

/** A part of an account. */
export interface StatementRange {
  readonly customer_id: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly after: StatementPosition | null;
}

/** The sums of an account, with two decimals, as text. */
export interface StatementSums {
  /** Before the range. */
  readonly opening: string;
  /** Of the range, up to the position where a page begins. */
  readonly before_page: string;
  readonly debit: string;
  readonly credit: string;
  readonly documents: number;
  /** What is left to pay of its open documents. */
  readonly open: string;
}

/** Reads the sums of an account from its index. */
export async function sumStatement(
  db: Database<IssuingTables>,
  businessId: string,
  { customer_id, from, to, after }: StatementRange,
): Promise<StatementSums> {
  const isBefore = sql`dated_on < ${from ?? '-infinity'}::date`;
  const isWithin = sql`dated_on between ${from ?? '-infinity'}::date and ${to ?? 'infinity'}::date`;
  const isShown =
    after === null
      ? sql`false`
      : sql`(dated_on, position) <= (${after.date}::date, ${after.position}::bigint)`;
  const { rows } = await sql<StatementSums>`
    select
      coalesce(sum(debit - credit) filter (where ${isBefore}), 0) as opening,
      coalesce(sum(debit - credit) filter (where ${isWithin} and ${isShown}), 0) as before_page,
      coalesce(sum(debit) filter (where ${isWithin}), 0) as debit,
      coalesce(sum(credit) filter (where ${isWithin}), 0) as credit,
      count(*) filter (where ${isWithin} and (debit > 0 or credit > 0)) as documents,
      coalesce(sum(balance) filter (where balance > 0), 0) as open
    from (${accountSums(businessId, sql`${customer_id}::uuid`)}) as entry`.execute(db);
  const [sums] = rows;
  if (!sums) {
    throw new Error('account sums not found');
  }
  return sums;
}

/** An entry of an account. */
export type EntryRow = Pick<
  DocumentRow,
  'id' | 'type' | 'number' | 'dated_on' | 'due_on' | 'position' | 'source' | 'set_off'
> & { debit: string; credit: string };

/** The entries of an account in the order of their dates. */
export async function readEntriesOf(
  db: Database<IssuingTables>,
  businessId: string,
  { customer_id, from, to, after }: StatementRange,
  limit: number,
): Promise<EntryRow[]> {
  return db
    .selectFrom('document')
    .select(['id', 'type', 'number', 'dated_on', 'due_on', 'position', 'source', 'set_off'])
    .select([debit.as('debit'), credit.as('credit')])
    .where('business_id', '=', businessId)
    .where('account_id', '=', customer_id)
    .where(isOnAccount)
    .where(sql<boolean>`(document.type <> 'proforma' or document.balance is not null)`)
    .where(sql<boolean>`(document.total > 0 or document.paid > 0)`)
    .$if(from !== undefined, (query) => query.where('dated_on', '>=', from ?? null))
    .$if(to !== undefined, (query) => query.where('dated_on', '<=', to ?? null))
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(dated_on, position) > (${after?.date}::date, ${after?.position}::bigint)`),
    )
    .orderBy('dated_on')
    .orderBy('position')
    .limit(limit)
    .execute();
}
