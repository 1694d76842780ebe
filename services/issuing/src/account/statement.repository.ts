import type { StatementEntry, StatementPosition } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import { type RawBuilder, sql } from 'kysely';
import {
  accountSums,
  confirmation,
  credit,
  debit,
  isOnAccount,
  withheldEntry,
  withheldPosition,
  withheldRows,
} from '../document/account-sums.js';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';

/** A part of an account. */
interface StatementRange {
  readonly customer_id: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly after: StatementPosition | null;
}

/** The sums of an account, with two decimals, as text. */
interface StatementSums {
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
      : sql`(dated_on, position, entry) <= (${after.date}::date, ${after.position}::bigint, ${after.entry ?? ''}::text)`;
  const { rows } = await sql<StatementSums>`
    select
      coalesce(sum(debit - credit) filter (where ${isBefore}), 0) as opening,
      coalesce(sum(debit - credit) filter (where ${isWithin} and ${isShown}), 0) as before_page,
      coalesce(sum(debit) filter (where ${isWithin}), 0) as debit,
      coalesce(sum(credit) filter (where ${isWithin}), 0) as credit,
      count(*) filter (where ${isWithin} and (debit > 0 or credit > 0) and entry = '') as documents,
      coalesce(sum(balance) filter (where balance > 0), 0) as open
    from (${accountSums(businessId, sql`${customer_id}::uuid`)}) as entry`.execute(db);
  const [sums] = rows;
  if (!sums) {
    throw new Error('account sums not found');
  }
  return sums;
}

/** An entry of an account: a document, or what its customer has withheld of one. */
export type EntryRow = Pick<
  DocumentRow,
  'id' | 'type' | 'number' | 'dated_on' | 'due_on' | 'position' | 'source' | 'set_off'
> & { entry: string; debit: string; credit: string; withheld: StatementEntry['withheld'] | null };

/** The entries of an account in the order of their dates. */
export async function readEntriesOf(
  db: Database<IssuingTables>,
  businessId: string,
  { customer_id, from, to, after }: StatementRange,
  limit: number,
): Promise<EntryRow[]> {
  const within = (date: RawBuilder<unknown>) =>
    sql`${date} between ${from ?? '-infinity'}::date and ${to ?? 'infinity'}::date`;
  const isAfter = (place: RawBuilder<unknown>, position: RawBuilder<unknown>) =>
    after === null ? sql`true` : sql`(${place}) > (${position})`;
  const position = sql`${after?.date}::date, ${after?.position}::bigint`;
  const { rows } = await sql<EntryRow>`
    (
      select document.id, document.type, document.number, document.dated_on, document.due_on, document.position, '' as entry,
        document.source, document.set_off - document.withheld as set_off, ${debit} as debit, ${credit} as credit,
        null::json as withheld
      from document
      where document.business_id = ${businessId} and document.account_id = ${customer_id} and ${isOnAccount}
        and (document.type <> 'proforma' or document.balance is not null) and (document.total > 0 or document.paid > 0)
        and ${within(sql`document.dated_on`)} and ${isAfter(sql`document.dated_on, document.position`, position)}
      order by document.dated_on, document.position limit ${limit}
    ) union all (
      select document.id, document.type, document.number, set_off.withheld_on, null, ${withheldPosition}, ${withheldEntry},
        null, 0, 0, set_off.amount, json_build_object('receipt', receipt.number, 'confirmation', ${confirmation})
      from ${withheldRows(businessId)} and set_off.account_id = ${customer_id} and ${within(sql`set_off.withheld_on`)}
        and ${isAfter(sql`set_off.withheld_on, ${withheldPosition}, ${withheldEntry}`, sql`${position}, ${after?.entry ?? ''}::text`)}
      order by set_off.withheld_on, ${withheldPosition}, ${withheldEntry} limit ${limit}
    )
    order by dated_on, position, entry limit ${limit}`.execute(db);
  return rows;
}
