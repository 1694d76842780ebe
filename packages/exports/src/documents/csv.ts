import type { BookEntry } from '@pinkas/contracts';
import { trimmed, withoutInvisible } from '@pinkas/domain';

/** A number with two decimals. */
interface Amount {
  readonly amount: string;
}

type Cell = string | number | boolean | Amount | null;

/** The mark of UTF-8, without which spreadsheets read Hebrew as another charset. */
export const byteOrderMark = '\ufeff';

/** A table of the book: its columns, and the rows that one document has in it. */
export interface CsvTable {
  readonly columns: readonly string[];
  rows(entry: BookEntry): Cell[][];
}

/** What leads from a line or a payment to its document. */
const keys = ['document_id', 'type', 'number'] as const;
const keyOf = ({ document: { id, type, number } }: BookEntry) => [id, type, number];

/** The tables, by the first word of their files. Amounts are ILS, days are of Asia/Jerusalem, instants UTC. */
export const csvTables: Readonly<Record<string, CsvTable>> = {
  documents: {
    columns: [
      ...['id', 'type', 'number', 'date', 'due_date', 'issued_at', 'status', 'cancelled_at', 'cancel_reason'],
      ...['customer_id', 'customer_name', 'customer_tax_id', 'customer_legal_type', 'customer_email'],
      ...['customer_phone', 'customer_address', 'customer_city', 'prices_include_vat', 'discount_type'],
      ...['discount_value', 'subtotal', 'discount', 'vat_rate', 'vat', 'total', 'paid', 'currency'],
      ...['allocation_number', 'based_on_id', 'based_on_type', 'based_on_number', 'external_ref', 'title'],
      ...['notes', 'public_id', 'pdf_sha256', 'donation_status', 'donation_number', 'donor_country'],
      'donor_passport',
    ],
    rows: ({ document, state, artifact_sha256 }) => {
      const { customer, totals, discount, based_on } = document;
      return [
        [
          ...[document.id, document.type, document.number, document.date, document.due_date],
          ...[document.issued_at, state.status, state.cancelled_at, state.cancel_reason ?? null],
          ...[customer.id, customer.name, customer.tax_id, customer.legal_type, customer.email],
          ...[customer.phone, customer.address, customer.city, document.prices_include_vat],
          ...[
            discount?.type ?? null,
            discount?.value ?? null,
            money(totals.subtotal),
            money(totals.discount),
          ],
          ...[totals.vat_rate, money(totals.vat), money(totals.total), money(state.paid), totals.currency],
          ...[
            state.allocation_number,
            based_on?.id ?? null,
            based_on?.type ?? null,
            based_on?.number ?? null,
          ],
          ...[document.external_ref, document.title, document.notes, document.public_id, artifact_sha256],
          ...[state.donation?.status ?? null, state.donation?.number ?? null],
          ...[document.foreign_donor?.country ?? null, document.foreign_donor?.passport ?? null],
        ],
      ];
    },
  },
  items: {
    columns: [...keys, 'line', 'sku', 'description', 'quantity', 'unit_price', 'line_total'],
    rows: (entry) =>
      entry.document.items.map(({ sku, description, quantity, unit_price, line_total }, index) => [
        ...keyOf(entry),
        ...[index + 1, sku, description, quantity, money(unit_price), money(line_total)],
      ]),
  },
  payments: {
    columns: [
      ...keys,
      ...['line', 'method', 'amount', 'date', 'reference', 'check_number', 'check_date', 'bank_code'],
      ...['branch', 'account', 'card_last_digits', 'card_type'],
    ],
    rows: (entry) =>
      entry.document.payments.map((payment, index) => [
        ...keyOf(entry),
        ...[index + 1, payment.method, money(payment.amount), payment.date, payment.reference],
        ...[payment.check_number, payment.check_date, payment.bank_code, payment.branch, payment.account],
        ...[payment.card_last_digits, payment.card_type],
      ]),
  },
};

export const money = (amount: number): Amount => ({ amount: amount.toFixed(2) });

/** How cells are written. */
export interface CsvOptions {
  /** Texts are as callers wrote them, also one that a spreadsheet takes for a formula. */
  readonly raw: boolean;
}

/** A row as RFC 4180 has it. */
export function csvRow(cells: readonly Cell[], { raw }: CsvOptions = { raw: false }): string {
  return `${cells.map((cell) => quoted(textOf(cell, raw))).join(',')}\r\n`;
}

/**
 * What a spreadsheet may take for the beginning of a formula (OWASP, CSV injection): the signs, also in full width, and a break or a
 * tab. White space and invisible characters before them are dropped by some spreadsheets.
 */
const formula = /^[=+\-@＝＋－＠\t\r\n]/;

/** A text that a spreadsheet would take for a formula begins with an apostrophe. */
function textOf(cell: Cell, raw: boolean): string {
  if (typeof cell !== 'string') {
    return cell !== null && typeof cell === 'object' ? cell.amount : String(cell ?? '');
  }
  return !raw && (formula.test(cell) || formula.test(trimmed(withoutInvisible(cell)))) ? `'${cell}` : cell;
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
