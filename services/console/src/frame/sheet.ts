import { type CsvCell, type CsvColumn, csvHead, csvMoney, csvRow, csvRows } from '@pinkas/exports';
import { type Column, type Language, Markup, table } from '@pinkas/ui';

/** A column of a table that is on a page, in a PDF and in a file for a spreadsheet. */
export type SheetColumn<Row> = Column<Row> & {
  /** Its cell in the file, where that is not its value on the page. */
  readonly cell?: (row: Row) => CsvCell;
  /** `page`: the file does not have it. `file`: the page and the PDF do not. */
  readonly only?: 'page' | 'file';
};

/** A table whose columns are declared once. */
export interface Sheet<Row> {
  readonly caption: string;
  readonly language: Language;
  readonly columns: readonly SheetColumn<Row>[];
  readonly rows: readonly Row[];
  /** As `table` has it. */
  readonly onPaper?: boolean;
}

/** The table of a page or a PDF. */
export function sheetTable<Row>({ columns, ...given }: Sheet<Row>): Markup {
  return table({ ...given, columns: columns.filter(({ only }) => only !== 'file') });
}

/** The columns of the file. */
export const fileColumns = <Row>(columns: readonly SheetColumn<Row>[]): CsvColumn<Row>[] =>
  inFile(columns).map((column) => [column.head, (row) => cellOf(column, row)]);

/** The file, with a row of sums where the table has one. */
export function sheetFile<Row>({ columns, rows }: Sheet<Row>): string {
  const shown = inFile(columns);
  const sums = shown.map(({ foot = null, kind }) => fileCell(foot, kind));
  const own = fileColumns(columns);
  return csvHead(own) + csvRows(own, rows) + (sums.some((sum) => sum !== null) ? csvRow(sums) : '');
}

const inFile = <Row>(columns: readonly SheetColumn<Row>[]) => columns.filter(({ only }) => only !== 'page');

const cellOf = <Row>(column: SheetColumn<Row>, row: Row): CsvCell =>
  column.cell ? column.cell(row) : fileCell(column.value(row), column.kind);

function fileCell(value: Markup | string | number | null, kind: SheetColumn<never>['kind']): CsvCell {
  if (value instanceof Markup) {
    throw new Error('a column of markup needs a cell for the file');
  }
  return kind === 'money' && typeof value === 'number' ? csvMoney(value) : value;
}
