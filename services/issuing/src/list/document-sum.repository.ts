import { summedDocumentsMax } from '@pinkas/contracts';
import { documentTypes } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import type { DocumentSumTable, IssuingTables } from '../document/document.tables.js';
import { sumsByType } from '../document/document-sums.repository.js';
import {
  conditionsOf,
  type DocumentFilter,
  documentsOf,
  foundConditionsOf,
  isWithinDates,
  statePartsOf,
  withoutStates,
} from './document-filter.js';

/** What documents of a type amount to; amounts with two decimals, as text. */
export type SummedType = Omit<Selectable<DocumentSumTable>, 'business_id' | 'dated_on' | 'vat_rate'>;

/** What the documents of a filter amount to; null where there are more than are read one by one. */
export async function sumListed(
  db: Database<IssuingTables>,
  filter: DocumentFilter,
): Promise<SummedType[] | null> {
  if (isOfDatesAlone(filter)) {
    const { business_id, type, from = '-infinity', to = 'infinity', include_cancelled } = filter;
    const sums = await sumsByType(db, business_id, { from, to });
    return sums
      .filter((row) => type === undefined || row.type === type)
      .map((row) => (include_cancelled ? row : { ...row, cancelled: 0 }));
  }
  const found = await foundConditionsOf(db, filter);
  const rowsOf = (of: DocumentFilter, part: readonly Expression<SqlBool>[] = []) => {
    const conditions = [...found, ...conditionsOf(of), ...part, ...isWithinDates(filter)];
    const rows = documentsOf(db, of, conditions)
      .select(['document.type', 'document.cancelled_at', 'document.vat', 'document.total'])
      .select(sql<string>`document.subtotal - document.discount`.as('net'))
      .limit(summedDocumentsMax + 1);
    return sql`(${rows})`;
  };
  const hasStates = filter.balance_state !== undefined || filter.settlement_states !== undefined;
  const types = filter.type === undefined ? documentTypes : [filter.type];
  // Each type has an index of the states of its balances.
  const parts = hasStates
    ? types.flatMap((type) =>
        statePartsOf(filter, type).map((part) => rowsOf({ ...withoutStates(filter), type }, part)),
      )
    : [rowsOf(filter)];
  if (parts.length === 0) {
    return [];
  }
  const { rows } = await sql<SummedType>`
    select type, count(*) filter (where cancelled_at is null) as documents, count(cancelled_at) as cancelled,
      coalesce(sum(net) filter (where cancelled_at is null), 0) as net,
      coalesce(sum(vat) filter (where cancelled_at is null), 0) as vat,
      coalesce(sum(total) filter (where cancelled_at is null), 0) as total
    from (${sql.join(parts, sql` union all `)}) as found group by type`.execute(db);
  const count = rows.reduce((sum, { documents, cancelled }) => sum + documents + cancelled, 0);
  return count > summedDocumentsMax ? null : rows;
}

/** Whether the sums of types and dates, which are stored, are those of the filter. */
function isOfDatesAlone(filter: DocumentFilter): boolean {
  const { business_id: _id, type: _type, from: _from, to: _to, include_cancelled: _with, ...others } = filter;
  return Object.values(others).every((given) => given === undefined || given === false);
}
