import {
  type CustomerDetails,
  type ReplyOf,
  type RequestOf,
  readStatement,
  type StatementEntry,
  showCustomer,
} from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { csvMoney } from '@pinkas/exports';
import type { RpcClient } from '@pinkas/service-kit';
import {
  amount,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import { documentName, inSentence, typeName } from '../frame/parts.js';
import { type SheetColumn, sheetTable } from '../frame/sheet.js';
import { dayOf } from '../http/address-dates.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  caption: { he: 'תנועות', en: 'Entries' },
  opening: { he: 'יתרת פתיחה', en: 'Opening balance' },
  broughtForward: { he: 'יתרה מועברת', en: 'Brought forward' },
  closing: { he: 'סך הכול ויתרה', en: 'Total and balance' },
  document: { he: 'מסמך', en: 'Document' },
  type: { he: 'סוג', en: 'Type' },
  number: { he: 'מספר', en: 'Number' },
  basedOn: { he: 'על בסיס', en: 'For' },
  for: { he: 'על בסיס', en: 'for' },
  date: { he: 'תאריך', en: 'Date' },
  due: { he: 'לתשלום עד', en: 'Due' },
  debit: { he: 'חובה', en: 'Debit' },
  credit: { he: 'זכות', en: 'Credit' },
  balance: { he: 'יתרה', en: 'Balance' },
  setOff: { he: 'קוזז מזכות בחשבון', en: 'Set off from credit' },
  withReceipt: { he: 'עם קבלה', en: 'with receipt' },
  confirmation: { he: 'אישור', en: 'confirmation' },
} as const satisfies Record<string, Words>;

export type Statement = ReplyOf<typeof readStatement>;

/** A range of document dates; absent: without an end. */
interface StatementPeriod {
  readonly from?: string;
  readonly to?: string;
}

/** The customer of a page, and the period that its address names: this year, unless it states something else. */
export interface StatementVisit {
  readonly customer: CustomerDetails;
  readonly period: StatementPeriod;
}

/** Reads what a page of a statement is about. @throws ApiError `not_found` for an unknown customer, `validation_error` for what is no date. */
export async function statementVisit(
  rpc: RpcClient,
  { bookId, params, query }: MemberVisit,
  now: Date,
): Promise<StatementVisit> {
  const from = query.has('from') ? dayOf(query, 'from') : `${dayInIsrael(now).slice(0, 4)}-01-01`;
  const to = dayOf(query, 'to');
  const { customer } = await rpc.call(showCustomer, {
    business_id: bookId,
    customer_id: params.id ?? '',
  });
  return {
    customer,
    period: { ...(from !== '' && { from }), ...(to !== '' && { to }) },
  };
}

/** The query of a statement's other addresses. An empty date is kept: it means without an end. */
export const periodQuery = ({ from = '', to = '' }: StatementPeriod) => ({ from, to });

/** Whether a period ends before it begins. */
export const isReversed = ({ from, to }: StatementPeriod): boolean =>
  from !== undefined && to !== undefined && from > to;

/** One page of a statement. */
export function readPage(
  rpc: RpcClient,
  { bookId }: MemberVisit,
  { customer, period }: StatementVisit,
  page: Pick<RequestOf<typeof readStatement>, 'limit' | 'after'>,
): Promise<Statement> {
  return rpc.call(readStatement, {
    business_id: bookId,
    customer_id: customer.id,
    ...period,
    ...page,
  });
}

/** A row of the table: what was before it, or an entry. */
type Row = StatementEntry | { readonly balance: number; readonly isFirst: boolean };

const isEntry = (row: Row): row is StatementEntry => 'document_id' in row;

/** What was before the entries of a page, as a row of the table. */
const rowBefore = ({ brought_forward, opening }: Statement): Row => ({
  balance: brought_forward,
  isFirst: brought_forward === opening,
});

/** The rows of a page of a statement. */
export const statementRows = (statement: Statement, entries: readonly StatementEntry[]): Row[] => [
  rowBefore(statement),
  ...entries,
];

/**
 * The entries of a statement below the balance before them, with the sums of the period.
 * @param linkOf the page of a document; absent on paper.
 */
export function statementColumns(
  { debit, credit, closing }: Statement,
  language: Language,
  linkOf?: (documentId: string) => string,
): SheetColumn<Row>[] {
  const ofEntry =
    <Value>(value: (entry: StatementEntry) => Value) =>
    (row: Row) =>
      isEntry(row) ? value(row) : null;
  const sum = (name: 'debit' | 'credit') => ({
    head: texts[name][language],
    kind: 'money' as const,
    // Zero is left out, but for the file.
    value: ofEntry((entry) => entry[name] || null),
    cell: ofEntry((entry) => csvMoney(entry[name])),
  });
  return [
    {
      head: texts.document[language],
      only: 'page',
      value: (row) => (isEntry(row) ? entryName(row, language, linkOf) : beforeName(row.isFirst, language)),
      foot: texts.closing[language],
    },
    { head: texts.date[language], kind: 'date', value: ofEntry(({ date }) => date), foot: null },
    {
      head: texts.type[language],
      only: 'file',
      value: (row) => (isEntry(row) ? kindName(row, language) : beforeName(row.isFirst, language)),
    },
    {
      head: texts.number[language],
      only: 'file',
      kind: 'count',
      value: ofEntry(({ number, withheld }) => (withheld ? null : number)),
    },
    {
      head: texts.basedOn[language],
      only: 'file',
      value: ofEntry(({ based_on, withheld, ...document }) => {
        const basis = withheld ? document : based_on;
        return basis && documentName(basis, language);
      }),
    },
    { head: texts.due[language], kind: 'date', value: ofEntry(({ due_date }) => due_date), foot: null },
    { ...sum('debit'), foot: debit },
    { ...sum('credit'), foot: credit },
    {
      head: texts.setOff[language],
      only: 'file',
      kind: 'money',
      value: ofEntry(({ set_off }) => set_off ?? null),
      cell: ofEntry(({ set_off }) => (set_off === undefined ? null : csvMoney(set_off))),
    },
    { head: texts.balance[language], kind: 'money', value: (row) => row.balance, foot: closing },
  ];
}

/** The table of a page or a PDF. @param linkOf absent on paper. */
export function statementTable(
  statement: Statement,
  entries: readonly StatementEntry[],
  language: Language,
  linkOf?: (documentId: string) => string,
): Markup {
  return sheetTable({
    caption: texts.caption[language],
    language,
    rows: statementRows(statement, entries),
    onPaper: linkOf === undefined,
    columns: statementColumns(statement, language, linkOf),
  });
}

const beforeName = (isFirst: boolean, language: Language): string =>
  texts[isFirst ? 'opening' : 'broughtForward'][language];

/** What an entry is. */
const kindName = ({ type, withheld }: StatementEntry, language: Language): string =>
  withheld ? withheldWords.withheld[language] : typeName(type, language);

/** What was withheld of a document: with which receipt, and how that is confirmed. */
function withheldName(
  { type, number, document_id }: StatementEntry,
  { receipt, confirmation }: NonNullable<StatementEntry['withheld']>,
  language: Language,
  linkOf: ((documentId: string) => string) | undefined,
): Markup {
  const of = inSentence(documentName({ type, number }, language), language);
  const parts = [
    receipt === null ? null : html`${texts.withReceipt[language]} ${leftToRight(String(receipt))}`,
    confirmation.number === undefined
      ? null
      : html`${texts.confirmation[language]} ${isolate(confirmation.number, language)}`,
  ].filter((part) => part !== null);
  return html`${withheldWords.withheld[language]} <span class="soft">${texts.for[language]} ${
    linkOf ? html`<a href="${linkOf(document_id)}">${of}</a>` : of
  }${parts.map((part) => html`, ${part}`)}</span>`;
}

function entryName(
  entry: StatementEntry,
  language: Language,
  linkOf: ((documentId: string) => string) | undefined,
): Markup {
  const { document_id, type, number, based_on, set_off, withheld } = entry;
  if (withheld) {
    return withheldName(entry, withheld, language, linkOf);
  }
  const name = html`${typeName(type, language)} ${leftToRight(String(number))}`;
  const basis =
    based_on &&
    html` <span class="soft">${texts.for[language]} ${inSentence(documentName(based_on, language), language)}</span>`;
  const settled =
    set_off !== undefined &&
    html` <span class="soft">${texts.setOff[language]}: ${amount(set_off, language)}</span>`;
  return html`${linkOf ? html`<a href="${linkOf(document_id)}">${name}</a>` : name}${basis}${settled}`;
}
