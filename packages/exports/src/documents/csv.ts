import { trimmed, withoutInvisible } from '@pinkas/domain';

/** A number with two decimals. */
interface Amount {
  readonly amount: string;
}

/** What a cell of a table for a spreadsheet has. */
export type CsvCell = string | number | boolean | Amount | null;

export const csvMoney = (amount: number): Amount => ({ amount: amount.toFixed(2) });

/** The mark of UTF-8, without which spreadsheets read Hebrew as another charset. */
export const byteOrderMark = '\ufeff';

/** A column of a table for a spreadsheet: its head, and its cell in a row. */
export type CsvColumn<Row> = readonly [head: string, cell: (row: Row) => CsvCell];

/** The head of a table. */
export function csvHead<Row>(columns: readonly CsvColumn<Row>[]): string {
  return csvRow(columns.map(([head]) => head));
}

/** Rows of a table. */
export function csvRows<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  options?: CsvOptions,
): string {
  return rows
    .map((row) =>
      csvRow(
        columns.map(([, cell]) => cell(row)),
        options,
      ),
    )
    .join('');
}

/** How cells are written. */
export interface CsvOptions {
  /** Texts are as callers wrote them, also one that a spreadsheet takes for a formula. */
  readonly raw: boolean;
}

/** A row as RFC 4180 has it. */
export function csvRow(cells: readonly CsvCell[], { raw }: CsvOptions = { raw: false }): string {
  return `${cells.map((cell) => quoted(textOf(cell, raw))).join(',')}\r\n`;
}

/**
 * What a spreadsheet may take for the beginning of a formula (OWASP, CSV injection): the signs, also in full width, and a break or a
 * tab. White space and invisible characters before them are dropped by some spreadsheets.
 */
const formula = /^[=+\-@＝＋－＠\t\r\n]/;

/** A text that a spreadsheet would take for a formula begins with an apostrophe. */
function textOf(cell: CsvCell, raw: boolean): string {
  if (typeof cell !== 'string') {
    return cell !== null && typeof cell === 'object' ? cell.amount : String(cell ?? '');
  }
  return !raw && (formula.test(cell) || formula.test(trimmed(withoutInvisible(cell)))) ? `'${cell}` : cell;
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
