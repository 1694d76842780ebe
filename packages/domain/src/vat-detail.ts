import type { CustomerLegalType, DocumentType } from './document-types.js';
import { addDays } from './israel-calendar.js';
import { law, lawOn } from './law.js';
import { type Agorot, fromShekels } from './money/agorot.js';
import { isSaleType, wholeShekels } from './period-report.js';
import { normaliseTaxId } from './tax-id.js';

/**
 * The sales of a detailed VAT report (PCN874) by the tax authority's circular for software houses: a header, a row for each sale to an
 * identified customer, one for all others of a rate and sign, and an end. What the circular leaves open is in docs/export.md.
 */

/** A field of fixed width. `sign`: one character; `digits`: right-aligned, filled with zeros; `text`: of exactly that length. */
interface VatDetailField {
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

/** The members of a document in a row; amounts in ILS. */
export interface VatDetailDocument {
  readonly type: DocumentType;
  readonly number: number;
  readonly date: string;
  readonly customer: { readonly tax_id: string | null; readonly legal_type: CustomerLegalType | null };
  readonly totals: {
    readonly subtotal: number;
    readonly discount: number;
    readonly vat: number;
    /** Percent: it decides whether a sale is taxed, since VAT that is rounded may be zero. */
    readonly vat_rate: number;
  };
  /** Nine digits. */
  readonly allocation_number: string | null;
}

/**
 * What becomes of a document. `row`: it has one, `line`. `collected`: it is counted in a row of unidentified sales. `left_out`: it is
 * too large for that, and its buyer has no number. `none`: it is no sale, or amounts to nothing in whole shekels.
 */
export type VatDetailPlace =
  | { readonly kind: 'row'; readonly line: string }
  | { readonly kind: 'collected' | 'left_out' | 'none' };

/** Sums of sales less credits. */
interface SaleSums {
  readonly taxable: bigint;
  readonly vat: bigint;
  readonly untaxed: bigint;
}

/** What the header has, in complete shekels. */
interface VatDetailSums extends SaleSums {
  readonly rows: number;
}

/** One row that is written, or is collected: `net` and `vat` without a sign. */
interface SaleRow {
  readonly isTaxed: boolean;
  readonly isCredit: boolean;
  readonly net: bigint;
  readonly vat: bigint;
}

/** Sales to customers without a number, of one rate and sign. */
interface CollectedSales extends SaleRow {
  readonly rate: number;
  readonly documents: number;
  readonly lastDate: string;
}

/** The end of each line. */
const lineEnd = '\r\n';
/** A report of a month; the field has no other value yet. */
const reportType = 1;
/** Sales to a customer that is identified as a dealer, and to all others. */
const records = { identified: 'S', unidentified: 'L' } as const;
const nothing: SaleSums = { taxable: 0n, vat: 0n, untaxed: 0n };

/** Whether the header has a sum with `-`, which the authority's checker of files refuses (its codes 101 to 105). */
export const hasNegativeSum = ({ taxable, vat, untaxed }: SaleSums): boolean =>
  taxable < 0n || vat < 0n || untaxed < 0n;

/**
 * Writes the rows of a period one by one, and keeps sums alone: the header, which has them, comes first in the file and has a fixed
 * length, so that it can be written last.
 */
export class VatDetail {
  #written: VatDetailSums = { ...nothing, rows: 0 };
  /** Agorot, of every sale of the period. */
  #exact = nothing;
  /** Agorot. */
  #leftOut = nothing;
  readonly #collected = new Map<string, CollectedSales>();

  /** Adds a document. */
  add(document: VatDetailDocument): VatDetailPlace {
    const { type, totals, customer, date } = document;
    const net: Agorot = fromShekels(totals.subtotal) - fromShekels(totals.discount);
    if (!isSaleType(type) || net === 0n) {
      return { kind: 'none' };
    }
    const row = {
      isTaxed: totals.vat_rate > 0,
      isCredit: type === 'credit_note',
      net,
      vat: fromShekels(totals.vat),
    };
    this.#exact = plus(this.#exact, row);
    // A private person is no dealer, whose number a row has.
    if (customer.tax_id !== null && customer.legal_type !== 'private') {
      if (isNothing(row)) {
        return { kind: 'none' };
      }
      const line = this.#write(row, {
        record: records.identified,
        customer_vat_number: normaliseTaxId(customer.tax_id),
        date,
        reference: lastDigits(document.number, 9),
        allocation_number: document.allocation_number ?? 0,
      });
      return { kind: 'row', line };
    }
    if (customer.tax_id === null && isAboveBuyerId(net, date)) {
      this.#leftOut = plus(this.#leftOut, row);
      return { kind: 'left_out' };
    }
    this.#collect(row, totals.vat_rate, date);
    return { kind: 'collected' };
  }

  #collect(row: SaleRow, rate: number, date: string): void {
    const key = `${rate} ${row.isCredit}`;
    const before = this.#collected.get(key);
    this.#collected.set(key, {
      ...row,
      rate,
      net: (before?.net ?? 0n) + row.net,
      vat: (before?.vat ?? 0n) + row.vat,
      documents: (before?.documents ?? 0) + 1,
      lastDate: before && before.lastDate > date ? before.lastDate : date,
    });
  }

  /** The rows of unidentified sales, once every document was added: of each rate, the highest first, sales before credits. */
  collectedLines(): string[] {
    const rows = [...this.#collected.values()];
    this.#collected.clear();
    return rows
      .filter((row) => !isNothing(row))
      .sort((one, other) => other.rate - one.rate || Number(one.isCredit) - Number(other.isCredit))
      .map((row) =>
        this.#write(row, { record: records.unidentified, date: row.lastDate, reference: row.documents }),
      );
  }

  /** A row is rounded first, and then summed up. */
  #write(row: SaleRow, values: Values): string {
    const rounded = { ...row, net: wholeShekels(row.net), vat: wholeShekels(row.vat) };
    this.#written = { ...plus(this.#written, rounded), rows: this.#written.rows + 1 };
    return lineOf(vatDetailLayouts.sale, {
      ...values,
      reference_group: '0000',
      vat: rounded.vat,
      net: row.isCredit ? -rounded.net : rounded.net,
    });
  }

  /** The sums of the rows as they are written, so that the header agrees with them. */
  get sums(): VatDetailSums {
    return this.#written;
  }

  /** The same of every sale of the period, rounded once, as the report of the period has them. */
  get reported(): SaleSums {
    return wholeSums(this.#exact);
  }

  /** The same of the sales that are left out. */
  get leftOut(): SaleSums {
    return wholeSums(this.#leftOut);
  }

  /**
   * The first line, once every row was written.
   * @param month of the report, YYYY-MM: the last one of two.
   * @param madeOn YYYY-MM-DD.
   */
  header(parts: { readonly taxId: string; readonly month: string; readonly madeOn: string }): string {
    const { taxable, vat, untaxed, rows } = this.#written;
    return lineOf(vatDetailLayouts.header, {
      record: 'O',
      vat_number: normaliseTaxId(parts.taxId),
      month: parts.month,
      report_type: reportType,
      made_on: parts.madeOn,
      taxable_sales: taxable,
      taxable_sales_vat: vat,
      sale_rows: rows,
      untaxed_sales: untaxed,
      // Purchases are in no book of documents that a business issues.
      vat_to_pay: vat,
    });
  }

  /** The last line. */
  end(taxId: string): string {
    return lineOf(vatDetailLayouts.end, { record: 'X', vat_number: normaliseTaxId(taxId) });
  }
}

/** Whether a row would have zeros alone. */
const isNothing = ({ net, vat }: SaleRow): boolean => wholeShekels(net) === 0n && wholeShekels(vat) === 0n;

/** Whether a sale is so large that it has a place with the number of its buyer only (the circular, notes A and B). */
function isAboveBuyerId(net: Agorot, date: string): boolean {
  const above = lawOn(law.buyerId, date);
  return above !== undefined && net > fromShekels(above);
}

function plus({ taxable, vat, untaxed }: SaleSums, row: SaleRow): SaleSums {
  const sign = row.isCredit ? -1n : 1n;
  return row.isTaxed
    ? { taxable: taxable + sign * row.net, vat: vat + sign * row.vat, untaxed }
    : { taxable, vat, untaxed: untaxed + sign * row.net };
}

const wholeSums = ({ taxable, vat, untaxed }: SaleSums): SaleSums => ({
  taxable: wholeShekels(taxable),
  vat: wholeShekels(vat),
  untaxed: wholeShekels(untaxed),
});

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
