import type { BalanceState, listDocuments, RequestOf, sumDocuments } from '@pinkas/contracts';
import { type DocumentType, documentTypes, fromShekels, type SettlementState } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type DocumentRow, type HeadRow, headColumns } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import type { Span } from '../document/series-spans.js';
import {
  isUndeductible,
  isUnreportedDonation,
  lacksBuyer,
  payable,
  readNoted,
} from '../document/settlement.repository.js';

/** Which documents of a business are listed, in which order and from which position. */
export type ListFilter = Omit<RequestOf<typeof listDocuments>, 'limit' | 'settlement'>;
/** Which documents of a business are listed. */
export type DocumentFilter = RequestOf<typeof sumDocuments>;

/** A listed document. */
export type ListedRow = HeadRow & Pick<DocumentRow, (typeof listedColumns)[number]>;

/** What a list needs besides the columns of a head: its order, and the outcomes. */
const listedColumns = ['position', 'total_agorot', 'balance', 'delivery'] as const;

/** Whether few documents of a book meet the filter, so that they are read by their own indexes and sorted. */
export const isFew = ({
  note,
  based_on,
  document_ids,
  without_number,
  without_buyer_id,
  unreported_donation,
}: DocumentFilter): boolean =>
  [note, based_on, document_ids].some((given) => given !== undefined) ||
  without_number === true ||
  without_buyer_id === true ||
  unreported_donation === true;

/** Whether the filter is one whose index has the order of commits, however many documents meet it. */
export const isInvoiceCheck = ({
  note,
  based_on,
  document_ids,
  without_number,
  without_buyer_id,
  search,
}: DocumentFilter): boolean =>
  (note === 'number_missing' || (note === undefined && without_buyer_id === true)) &&
  [based_on, document_ids, search].every((given) => given === undefined) &&
  without_number !== true;

/** Whether the filter has an amount. */
export const hasAmounts = ({ total_from, total_to }: DocumentFilter): boolean =>
  total_from !== undefined || total_to !== undefined;

export const isBefore = ({ before }: ListFilter): Expression<SqlBool>[] =>
  before === null ? [] : [sql<SqlBool>`document.position < ${before}`];
/** One upper bound only: with two, an index scan may begin at the higher one. */
export const isWithin = ({ first, last }: Pick<Span, 'first' | 'last'>): Expression<SqlBool> =>
  sql`document.position between ${first} and ${last}`;
export const isOfType = (type: DocumentType): Expression<SqlBool> => sql`document.type = ${type}`;
export const isWithinDates = ({ from, to }: DocumentFilter): Expression<SqlBool>[] => [
  ...(from === undefined ? [] : [sql<SqlBool>`document.dated_on >= ${from}`]),
  ...(to === undefined ? [] : [sql<SqlBool>`document.dated_on <= ${to}`]),
];

const agorot = (amount: number) => sql`${fromShekels(amount)}::bigint`;
export const isWithinAmounts = ({
  total_from,
  total_to,
}: {
  total_from?: number | undefined;
  total_to?: number | undefined;
}): Expression<SqlBool>[] => [
  ...(total_from === undefined ? [] : [sql<SqlBool>`document.total_agorot >= ${agorot(total_from)}`]),
  ...(total_to === undefined ? [] : [sql<SqlBool>`document.total_agorot <= ${agorot(total_to)}`]),
];

/** What a document is checked for in addition to its state, its dates, and the filter that an index answers. */
export const conditionsOf = ({
  type,
  number,
  external_ref,
  customer_ids,
  based_on,
  document_ids,
  total_from,
  total_to,
  with_balance,
  search,
}: DocumentFilter): Expression<SqlBool>[] => [
  ...(with_balance === true ? [sql<SqlBool>`(document.balance <> 0) is true`] : []),
  ...(type === undefined ? [] : [isOfType(type)]),
  ...(number === undefined ? [] : [sql<SqlBool>`document.number = ${number}`]),
  ...(external_ref === undefined ? [] : [sql<SqlBool>`document.external_ref = ${external_ref}`]),
  ...(based_on === undefined ? [] : [sql<SqlBool>`document.source_id = ${based_on}`]),
  ...(customer_ids === undefined ? [] : [sql<SqlBool>`document.customer_id = any(${customer_ids}::uuid[])`]),
  ...(document_ids === undefined ? [] : [sql<SqlBool>`document.id = any(${document_ids}::uuid[])`]),
  ...isWithinAmounts({ total_from, total_to }),
  ...(search === undefined ? [] : [isFound(search)]),
];

/** Each alternative has an index, which the planner combines. */
function isFound(search: NonNullable<DocumentFilter['search']>): Expression<SqlBool> {
  const { number, external_ref, allocation_number, total, customer_ids } = search;
  const ofAnyType = sql`document.type = any(${documentTypes}::text[])`;
  const alternatives = [
    ...(number === undefined ? [] : [sql`${ofAnyType} and document.number = ${number}`]),
    ...(external_ref === undefined ? [] : [sql`document.external_ref = ${external_ref}`]),
    ...(allocation_number === undefined ? [] : [sql`document.allocation_number = ${allocation_number}`]),
    ...(total === undefined ? [] : [sql`${ofAnyType} and document.total_agorot = ${agorot(total)}`]),
    ...(customer_ids === undefined ? [] : [sql`document.customer_id = any(${customer_ids}::uuid[])`]),
  ];
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`;
}

/** The conditions that other rows decide: which documents have a note, or need an allocation number or that of their buyer. */
export async function foundConditionsOf(
  db: Database<IssuingTables>,
  { business_id, note, without_number, without_buyer_id, unreported_donation }: DocumentFilter,
): Promise<Expression<SqlBool>[]> {
  return [
    ...(note === undefined ? [] : [await hasNote(db, business_id, note)]),
    ...(without_buyer_id === true ? [lacksBuyer] : []),
    ...(unreported_donation === true ? [isUnreportedDonation] : []),
    ...(without_number === true ? [lacksNumber(business_id)] : []),
  ];
}

async function hasNote(
  db: Database<IssuingTables>,
  businessId: string,
  note: NonNullable<DocumentFilter['note']>,
): Promise<Expression<SqlBool>> {
  if (note === 'number_missing') {
    return isUndeductible;
  }
  if (note === 'partly_paid') {
    return isSettledAs([note]);
  }
  const noted = (await readNoted(db, businessId)).get(note) ?? [];
  return sql<SqlBool>`document.id = any(${noted.map(({ id }) => id)}::uuid[])`;
}

/** Of documents whose number is not there yet, or was refused, and of those without one for want of a connection. */
const lacksNumber = (businessId: string) => sql<SqlBool>`document.id = any(array(
  select document.id from document where document.business_id = ${businessId} and ${isUndeductible}
  union all
  select document.id from document where document.business_id = ${businessId}
    and document.allocation_number is null and coalesce(document.allocation ->> 'status', '') <> 'not_required'))`;

/** Of documents that ask for a payment; `closed`: an invoice asks in the place of a proforma. */
const ofBalance: Readonly<Record<BalanceState, RawBuilder<SqlBool>>> = {
  open: sql`document.balance > 0`,
  closed: sql`document.status = 'closed' and document.balance is null`,
};

/** Whether a document is in a state, as `balanceStates` has it. @param type absent: of any, which no index answers. */
function isInState(state: BalanceState, type: DocumentType | undefined): Expression<SqlBool> {
  const ofStatus = sql<SqlBool>`document.status = ${state}`;
  if (type !== undefined) {
    return payable.includes(type) ? ofBalance[state] : ofStatus;
  }
  return sql<SqlBool>`case when document.type = any(${payable}::text[]) then ${ofBalance[state]} else ${ofStatus} end`;
}

/** The states of what something is left to pay of. */
const openStates: readonly SettlementState[] = ['unpaid', 'partly_paid'];

/** Whether a document is in one of some states. */
const isSettledAs = (states: readonly SettlementState[]): Expression<SqlBool> =>
  sql`document.settlement = any(${states}::text[])`;

/**
 * The parts of a filter of states for the documents of a type: an index has those of each part in the order of lists, so that a page
 * of each is read, and they are merged. None: no document of the type meets the filter.
 */
export function statePartsOf(
  { balance_state, settlement_states }: DocumentFilter,
  type: DocumentType,
): Expression<SqlBool>[][] {
  const isPayable = payable.includes(type);
  const ofBalanceState =
    balance_state === undefined || (balance_state === 'open' && isPayable)
      ? []
      : [isInState(balance_state, type)];
  const open = balance_state === 'open' && isPayable ? openStates : undefined;
  const states =
    open && settlement_states ? settlement_states.filter((state) => open.includes(state)) : settlement_states;
  if (states === undefined && open === undefined) {
    return [ofBalanceState];
  }
  return isPayable
    ? [...new Set(states ?? open)].map((state) => [sql`document.settlement = ${state}`, ...ofBalanceState])
    : [];
}

/** A filter without its states, which are asked for part by part. */
export const withoutStates = <F extends DocumentFilter>({
  balance_state: _balance,
  settlement_states: _settlement,
  ...filter
}: F) => filter;

/** The columns of a listed document. */
export const rowColumns = [...headColumns, ...listedColumns.map((column) => `document.${column}` as const)];

/** The documents of a business in the listed state that match the conditions. */
export function headsOf(
  db: Database<IssuingTables>,
  filter: DocumentFilter,
  conditions: Expression<SqlBool>[],
) {
  return documentsOf(db, filter, conditions).select(rowColumns);
}

/** The same without their columns. */
export function documentsOf(
  db: Database<IssuingTables>,
  {
    business_id,
    type,
    status,
    balance_state: state,
    settlement_states,
    include_cancelled,
    search,
  }: DocumentFilter,
  conditions: readonly Expression<SqlBool>[],
) {
  return (
    db
      .selectFrom('document')
      .where('document.business_id', '=', business_id)
      .where((where) => where.and(conditions))
      .$if(status !== undefined, (query) => query.where('document.status', '=', status ?? null))
      .where((where) => where.and(state === undefined ? [] : [isInState(state, type)]))
      .where((where) => where.and(settlement_states === undefined ? [] : [isSettledAs(settlement_states)]))
      // Not 'cancelled_at is null': without statistics the planner takes nulls for rare, and sorts the complete book.
      .$if(status === undefined && search === undefined && !include_cancelled, (query) =>
        query.where('document.status', '!=', 'cancelled'),
      )
  );
}
