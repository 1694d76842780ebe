import type { Output } from './command.js';

/** The width of a text in a terminal: Hebrew points and other marks have none. */
const width = (text: string): number => [...text.replaceAll(/\p{Mark}/gu, '')].length;

const pad = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)));

/** Rows in aligned columns under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return columns([headings.map((heading) => heading.toUpperCase()), ...rows]);
}

/** Rows in aligned columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  // Not Math.max(...): a long list has more rows than a function takes arguments.
  const widths = (rows[0] ?? []).map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, width(row[index] ?? '')), 0),
  );
  return rows
    .map((row) =>
      row
        .map((cell, index) => pad(cell, widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * The output of a list: as JSON the items, as text a table of them.
 * @param cells by heading.
 * @param empty the text where there is none, and what to do then.
 */
export function listed<T>(
  items: readonly T[],
  cells: Readonly<Record<string, (item: T) => string>>,
  empty: string,
): Output {
  const rows = items.map((item) => Object.values(cells).map((cell) => cell(item)));
  return { json: items, text: rows.length === 0 ? empty : table(Object.keys(cells), rows) };
}
