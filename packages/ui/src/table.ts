import { amount, day, formatDate, shekels } from './figures.js';
import type { Language } from './language.js';
import { attributes, html, isolate, type Markup } from './markup.js';

interface ColumnHead {
  readonly head: string;
  /** The head is read, and not seen: a column of links or buttons. */
  readonly headHidden?: boolean;
  /** Where the head leads: sorted by this column. */
  readonly sort?: { readonly href: string; readonly order: 'ascending' | 'descending' | 'none' };
  /** Of the last row: a sum. */
  readonly foot?: Markup | string | number | null;
}

/** How the values of a column are shown. */
type ColumnValues<Row> =
  | {
      /** `figure`: markup of a number, on the right. */
      readonly kind?: 'text' | 'status' | 'action' | 'figure';
      readonly value: (row: Row) => Markup | string | null;
    }
  /** ILS. */
  | { readonly kind: 'money'; readonly value: (row: Row) => number | null }
  | { readonly kind: 'count'; readonly value: (row: Row) => number | null }
  /** YYYY-MM-DD. */
  | { readonly kind: 'date'; readonly value: (row: Row) => string | null };

/**
 * A column of a table. The first one names the row. Amounts are on the right in both languages, so that their decimals are
 * aligned; a text in a cell is isolated from the direction of the page.
 */
export type Column<Row> = ColumnHead & ColumnValues<Row>;

interface TableGiven<Row> {
  /** What screen readers read first; where a heading states the same, it is not seen. */
  readonly caption: string;
  readonly captionShown?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly language: Language;
  /** A class of the table, for rules of its own. */
  readonly kind?: string;
  /** A class of the row, for example of what is cancelled. */
  readonly rowClass?: (row: Row) => string | null;
  /** For print alone: without what screens need of each cell, so that a long table is short to send and to print. */
  readonly onPaper?: boolean;
}

const isFigure = ({ kind }: { readonly kind?: string }) =>
  kind === 'money' || kind === 'count' || kind === 'figure';
const classOf = (column: { readonly kind?: string }) =>
  isFigure(column) ? 'figure' : (column.kind ?? 'text');

function shown<Row>(column: Column<Row>, row: Row, language: Language): Markup | number | null {
  switch (column.kind) {
    case 'money': {
      const value = column.value(row);
      return value === null ? null : amount(value, language);
    }
    case 'count':
      return column.value(row);
    case 'date': {
      const value = column.value(row);
      return value === null ? null : day(value, language);
    }
    default: {
      const value = column.value(row);
      return typeof value === 'string' ? isolate(value, language) : value;
    }
  }
}

function headCell<Row>(column: Column<Row>): Markup {
  const { head, headHidden, sort } = column;
  const text = headHidden ? html`<span class="visually-hidden">${head}</span>` : html`${head}`;
  const cell = attributes({
    scope: 'col',
    class: classOf(column),
    'aria-sort': sort?.order === 'none' ? null : sort?.order,
  });
  return html`<th${cell}>${sort ? html`<a href="${sort.href}">${text}</a>` : text}</th>
        `;
}

function bodyCell<Row>(column: Column<Row>, row: Row, isFirst: boolean, language: Language): Markup {
  const value = shown(column, row, language);
  if (isFirst) {
    return html`<th scope="row">${value}</th>
        `;
  }
  const cell = attributes({
    class: value === null ? `${classOf(column)} none` : classOf(column),
    'data-label': column.headHidden || column.kind === 'status' ? null : column.head,
  });
  return html`<td${cell}>${value}</td>
        `;
}

function paperCell<Row>(column: Column<Row>, row: Row, isFirst: boolean, language: Language): Markup {
  const text = shownOnPaper(column, row, language);
  if (isFirst) {
    return html`<th scope="row">${text}</th>`;
  }
  return html`<td class="${classOf(column)}">${text}</td>`;
}

/** A day needs no direction of its own: its figures are one number to the bidirectional algorithm. */
function shownOnPaper<Row>(
  column: Column<Row>,
  row: Row,
  language: Language,
): Markup | string | number | null {
  if (column.kind === 'date') {
    const value = column.value(row);
    return value && formatDate(value, language);
  }
  if (column.kind === 'money') {
    const value = column.value(row);
    return value === null ? null : shekels(value, language);
  }
  return shown(column, row, language);
}

function footRow<Row>(columns: readonly Column<Row>[], language: Language): Markup | null {
  if (columns.every(({ foot }) => foot === undefined)) {
    return null;
  }
  const cells = columns.map((column, index) => {
    const { foot = null, kind } = column;
    const value = typeof foot === 'number' && kind === 'money' ? amount(foot, language) : foot;
    if (index === 0) {
      return html`<th scope="row">${value}</th>
        `;
    }
    const cell = attributes({
      class: value === null ? `${classOf(column)} none` : classOf(column),
      'data-label': column.head,
    });
    return html`<td${cell}>${value}</td>
        `;
  });
  return html`<tfoot>
      <tr>
        ${cells}
      </tr>
    </tfoot>`;
}

/** So many columns fit on a narrow screen; of more, each row is a card with labels there. */
const fitting = 3;

/** A table whose columns are declared as data. */
export function table<Row>(given: TableGiven<Row>): Markup {
  const { caption, captionShown = false, columns, rows, language, kind, rowClass, onPaper = false } = given;
  const body = rows.map((row) => {
    if (onPaper) {
      return html`<tr>${columns.map((column, index) => paperCell(column, row, index === 0, language))}</tr>`;
    }
    const start = attributes({ class: rowClass?.(row) ?? null });
    return html`<tr${start}>
        ${columns.map((column, index) => bodyCell(column, row, index === 0, language))}
      </tr>
      `;
  });
  const classes = ['table', kind, columns.length <= fitting && 'fits'].filter(Boolean).join(' ');
  return html`<div class="${classes}">
  <table>
    <caption${!captionShown && html` class="visually-hidden"`}>${caption}</caption>
    <thead>
      <tr>
        ${columns.map(headCell)}
      </tr>
    </thead>
    <tbody>
      ${body}
    </tbody>
    ${footRow(columns, language)}
  </table>
</div>`;
}
