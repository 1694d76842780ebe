import type { CustomerLegalType, DocumentType } from './document-types.js';
import { addDays } from './israel-calendar.js';
import { type Agorot, fromShekels } from './money/agorot.js';
import { isSaleType, wholeShekels } from './period-report.js';
import { normaliseTaxId } from './tax-id.js';

/**
 * The sales of a detailed VAT report (PCN874): a header, a row for each tax invoice and credit note, and an end. What of it is not
 * verified with the authority is listed in docs/export.md.
 */

/** A field of fixed width. `sign`: one character; `digits`: right-aligned, filled with zeros; `text`: of exactly that length. */
export interface VatDetailField {
  readonly name: string;
  readonly length: number;
  readonly kind: 'sign' | 'digits' | 'text';
}

const digits = (name: string, length: number): VatDetailField => ({ name, length, kind: 'digits' });
const text = (name: string, length: number): VatDetailField => ({ name, length, kind: 'text' });
/** An amount in complete shekels behind its sign. */
const amount = (name: string, length: number): VatDetailField[] => [
  { name: `${name}_sign`, length: 1, kind: 'sign' },
  digits(name, length),
];

/** The fields of the three records, in their order. */
export const vatDetailLayouts = {
  header: [
    text('record', 1),
    digits('vat_number', 9),
    digits('month', 6),
    digits('report_type', 1),
    digits('made_on', 8),
    ...amount('taxable_sales', 11),
    ...amount('taxable_sales_vat', 9),
    ...amount('other_rate_sales', 11),
    ...amount('other_rate_sales_vat', 9),
    digits('sale_rows', 9),
    ...amount('untaxed_sales', 11),
    ...amount('other_inputs_vat', 9),
    ...amount('equipment_inputs_vat', 9),
    digits('input_rows', 9),
    ...amount('vat_to_pay', 11),
  ],
  /** Record, then the other party, the date, the reference, the amounts and the allocation number (v1.0 of August 2023, chapter 6). */
  sale: [
    text('record', 1),
    digits('customer_vat_number', 9),
    digits('date', 8),
    text('reference_group', 4),
    digits('reference', 9),
    digits('vat', 9),
    ...amount('net', 10),
    digits('allocation_number', 9),
  ],
  end: [text('record', 1), digits('vat_number', 9)],
} as const satisfies Record<string, readonly VatDetailField[]>;

/** What a row states of a document; amounts in ILS. */
export interface VatDetailDocument {
  readonly type: DocumentType;
  readonly number: number;
  readonly date: string;
  readonly customer: { readonly tax_id: string | null; readonly legal_type: CustomerLegalType | null };
  readonly totals: { readonly subtotal: number; readonly discount: number; readonly vat: number };
  /** Nine digits. */
  readonly allocation_number: string | null;
}

/** One row; amounts in complete shekels, without a sign. */
interface SaleRow {
  readonly line: string;
  readonly sign: bigint;
  readonly net: bigint;
  readonly vat: bigint;
}

/** What the header has, in complete shekels. */
export interface VatDetailSums {
  readonly taxable: bigint;
  readonly vat: bigint;
  readonly untaxed: bigint;
  readonly rows: number;
}

/** The end of each line. */
const lineEnd = '\r\n';
/** A report of a month; the field has no other value yet. */
const reportType = 1;
/** Sales to a customer that is identified as a dealer, and to all others. */
const records = { identified: 'S', unidentified: 'L' } as const;

/** Collects the rows of a period; the header, which has their sums, comes first in the file. */
export class VatDetail {
  readonly #rows: SaleRow[] = [];

  /** Adds a document. One that is no sale, or amounts to nothing, has no row. */
  add(document: VatDetailDocument): void {
    const { type, totals, customer } = document;
    const exactNet: Agorot = fromShekels(totals.subtotal) - fromShekels(totals.discount);
    if (!isSaleType(type) || exactNet === 0n) {
      return;
    }
    const net = wholeShekels(exactNet);
    const vat = wholeShekels(fromShekels(totals.vat));
    const sign = type === 'credit_note' ? -1n : 1n;
    const isIdentified = customer.tax_id !== null && customer.legal_type !== 'private';
    const line = lineOf(vatDetailLayouts.sale, {
      record: isIdentified ? records.identified : records.unidentified,
      customer_vat_number: isIdentified && customer.tax_id !== null ? normaliseTaxId(customer.tax_id) : 0,
      date: document.date,
      reference_group: '0000',
      reference: lastDigits(document.number, 9),
      vat,
      net: sign * net,
      allocation_number: document.allocation_number ?? 0,
    });
    this.#rows.push({ line, sign, net, vat });
  }

  /** The sums of the rows as they are written, so that the header agrees with them. */
  get sums(): VatDetailSums {
    const signed = (rows: readonly SaleRow[], amountOf: (row: SaleRow) => bigint) =>
      rows.reduce((total, row) => total + row.sign * amountOf(row), 0n);
    const taxed = this.#rows.filter(({ vat }) => vat > 0n);
    const untaxed = this.#rows.filter(({ vat }) => vat === 0n);
    return {
      taxable: signed(taxed, ({ net }) => net),
      vat: signed(taxed, ({ vat }) => vat),
      untaxed: signed(untaxed, ({ net }) => net),
      rows: this.#rows.length,
    };
  }

  /**
   * The file, in ASCII.
   * @param month of the report, YYYY-MM: the last one of two.
   * @param madeOn YYYY-MM-DD.
   */
  *lines(parts: {
    readonly taxId: string;
    readonly month: string;
    readonly madeOn: string;
  }): Generator<string> {
    const { sums } = this;
    const vat_number = normaliseTaxId(parts.taxId);
    yield lineOf(vatDetailLayouts.header, {
      record: 'O',
      vat_number,
      month: parts.month,
      report_type: reportType,
      made_on: parts.madeOn,
      taxable_sales: sums.taxable,
      taxable_sales_vat: sums.vat,
      sale_rows: sums.rows,
      untaxed_sales: sums.untaxed,
      // Purchases are in no book of documents that a business issues.
      vat_to_pay: sums.vat,
    });
    for (const { line } of this.#rows) {
      yield line;
    }
    yield lineOf(vatDetailLayouts.end, { record: 'X', vat_number });
  }
}

/**
 * The month of a report on a range of dates: the last of one or two complete months.
 * @returns YYYY-MM; null for any other range, of which there is no report.
 */
export function vatReportMonth(from: string, to: string): string | null {
  const isComplete = from.endsWith('-01') && addDays(to, 1).endsWith('-01');
  const [months, first] = [to, from].map((day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)));
  const count = (months ?? 0) - (first ?? 0) + 1;
  return isComplete && (count === 1 || count === 2) ? to.slice(0, 7) : null;
}

type Values = Readonly<Record<string, string | number | bigint>>;

function lineOf(layout: readonly VatDetailField[], values: Values): string {
  return layout.map((field) => written(field, values)).join('') + lineEnd;
}

/** @throws RangeError for a value that does not fit its field: a report with another amount would be wrong. */
function written({ name, length, kind }: VatDetailField, values: Values): string {
  if (kind === 'sign') {
    return BigInt(values[name.replace(/_sign$/, '')] ?? 0) < 0n ? '-' : '+';
  }
  const value = String(values[name] ?? 0);
  const shown = kind === 'digits' ? value.replaceAll(/\D/g, '').padStart(length, '0') : value;
  if (shown.length !== length) {
    throw new RangeError(`${name} does not fit into ${length} characters`);
  }
  return shown;
}

const lastDigits = (number: number, count: number): string => String(number).slice(-count);
