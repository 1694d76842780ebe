import {
  type BookEntry,
  type CustomerDetail,
  customerDetails,
  firstDetails,
  type IssuedDocument,
  isAdded,
} from '@pinkas/contracts';
import { type CsvColumn, type CsvOptions, csvHead, csvMoney, csvRows } from './csv.js';

/** A table of the book. */
interface CsvTable {
  readonly head: string;
  /** The rows that one document has in it. */
  lines(entry: BookEntry, options: CsvOptions): string;
}

function tableOf<Row>(
  rowsOf: (entry: BookEntry) => readonly Row[],
  columns: readonly CsvColumn<Row>[],
): CsvTable {
  return {
    head: csvHead(columns),
    lines: (entry, options) => csvRows(columns, rowsOf(entry), options),
  };
}

/** A line or a payment of a document, with its place in it. */
interface Part<T> {
  readonly document: IssuedDocument;
  readonly part: T;
  readonly place: number;
}

const partsOf = <T>(document: IssuedDocument, parts: readonly T[]): Part<T>[] =>
  parts.map((part, index) => ({ document, part, place: index + 1 }));

/** What leads from a line or a payment to its document. */
const keys: readonly CsvColumn<Part<unknown>>[] = [
  ['document_id', ({ document }) => document.id],
  ['type', ({ document }) => document.type],
  ['number', ({ document }) => document.number],
  ['line', ({ place }) => place],
];

/** What acknowledges a payment has no VAT: who adds up the column would count it twice. */
const hasVat = ({ type }: IssuedDocument): boolean => type !== 'receipt' && type !== 'donation_receipt';

const csvMoneyOf = (amount: number | undefined) => (amount === undefined ? null : csvMoney(amount));

const customerColumns = (details: readonly CustomerDetail[]) =>
  details.map(
    (detail): CsvColumn<BookEntry> => [
      `customer_${detail}`,
      ({ document }) => document.customer[detail] ?? null,
    ],
  );

/** The tables, by the first word of their files. Amounts are ILS, days are of Asia/Jerusalem, instants UTC. */
export const csvTables: Readonly<Record<string, CsvTable>> = {
  documents: tableOf(
    (entry) => [entry],
    [
      ['id', ({ document }) => document.id],
      ['type', ({ document }) => document.type],
      ['number', ({ document }) => document.number],
      ['date', ({ document }) => document.date],
      ['due_date', ({ document }) => document.due_date],
      ['issued_at', ({ document }) => document.issued_at],
      ['status', ({ state }) => state.status],
      ['cancelled_at', ({ state }) => state.cancelled_at],
      ['cancel_reason', ({ state }) => state.cancel_reason ?? null],
      ['customer_id', ({ document }) => document.customer.id],
      ['customer_name', ({ document }) => document.customer.name],
      ...customerColumns(firstDetails),
      ['prices_include_vat', ({ document }) => document.prices_include_vat],
      ['discount_type', ({ document }) => document.discount?.type ?? null],
      ['discount_value', ({ document }) => document.discount?.value ?? null],
      ['subtotal', ({ document }) => (hasVat(document) ? csvMoney(document.totals.subtotal) : null)],
      ['discount', ({ document }) => csvMoney(document.totals.discount)],
      ['vat_rate', ({ document }) => (hasVat(document) ? document.totals.vat_rate : null)],
      ['vat', ({ document }) => (hasVat(document) ? csvMoney(document.totals.vat) : null)],
      ['total', ({ document }) => csvMoney(document.totals.total)],
      ['paid', ({ state }) => csvMoney(state.paid)],
      ['currency', ({ document }) => document.totals.currency],
      ['allocation_number', ({ state }) => state.allocation_number],
      ['based_on_id', ({ document }) => document.based_on?.id ?? null],
      ['based_on_type', ({ document }) => document.based_on?.type ?? null],
      ['based_on_number', ({ document }) => document.based_on?.number ?? null],
      ['external_ref', ({ document }) => document.external_ref],
      ['title', ({ document }) => document.title],
      ['notes', ({ document }) => document.notes],
      ['public_id', ({ document }) => document.public_id],
      ['pdf_sha256', ({ artifact_sha256 }) => artifact_sha256],
      ['donation_status', ({ state }) => state.donation?.status ?? null],
      ['donation_number', ({ state }) => state.donation?.number ?? null],
      ['donor_country', ({ document }) => document.foreign_donor?.country ?? null],
      ['donor_passport', ({ document }) => document.foreign_donor?.passport ?? null],
      ['withheld', ({ document, state }) => csvMoneyOf(document.withheld ?? state.withheld)],
      ...customerColumns(customerDetails.filter(isAdded)),
    ],
  ),
  items: tableOf(
    ({ document }) => partsOf(document, document.items),
    [
      ...keys,
      ['sku', ({ part }) => part.sku],
      ['description', ({ part }) => part.description],
      ['quantity', ({ part }) => part.quantity],
      ['unit_price', ({ part }) => csvMoney(part.unit_price)],
      ['line_total', ({ part }) => csvMoney(part.line_total)],
    ],
  ),
  payments: tableOf(
    ({ document }) => partsOf(document, document.payments),
    [
      ...keys,
      ['method', ({ part }) => part.method],
      ['amount', ({ part }) => csvMoney(part.amount)],
      ['date', ({ part }) => part.date],
      ['reference', ({ part }) => part.reference],
      ['check_number', ({ part }) => part.check_number],
      ['check_date', ({ part }) => part.check_date],
      ['bank_code', ({ part }) => part.bank_code],
      ['branch', ({ part }) => part.branch],
      ['account', ({ part }) => part.account],
      ['card_last_digits', ({ part }) => part.card_last_digits],
      ['card_type', ({ part }) => part.card_type],
    ],
  ),
};
