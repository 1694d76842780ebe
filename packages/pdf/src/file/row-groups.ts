import type { Objects } from './pdf-objects.js';
import { childOf, type Elements, type Kid, type StructureElement } from './structure-tree.js';

/**
 * Gives each table a head and a body: Chromium writes its rows alone. The head are the first rows that have nothing but heads of columns.
 * @returns the numbers of the rows of heads.
 */
export function addRowGroups(objects: Objects, elements: Elements): Set<number> {
  const heads = new Set<number>();
  for (const table of [...elements.values()].filter(({ type }) => type === 'Table')) {
    const rows = table.kids.flatMap((kid) => rowOf(kid, elements) ?? []);
    const firstOfBody = rows.findIndex((row) => !isHead(row, elements));
    const headLength = firstOfBody < 0 ? rows.length : firstOfBody;
    const head = addGroup('THead', rows.slice(0, headLength), table, objects, elements);
    const body = addGroup('TBody', rows.slice(headLength), table, objects, elements);
    for (const row of rows.slice(0, headLength)) {
      heads.add(row.number);
    }
    const at = table.kids.findIndex((kid) => rowOf(kid, elements));
    const others = table.kids.filter((kid) => !rowOf(kid, elements));
    table.kids = [...others.slice(0, at), ...head, ...body, ...others.slice(at)];
  }
  return heads;
}

function rowOf(kid: Kid, elements: Elements): StructureElement | undefined {
  const child = childOf(kid, elements);
  return child?.type === 'TR' ? child : undefined;
}

function isHead(row: StructureElement, elements: Elements): boolean {
  return row.kids.every((kid) => {
    const cell = childOf(kid, elements);
    return cell?.type === 'TH' && cell.entries.includes('/Scope /Column');
  });
}

/** @returns the group as a kid of its table; nothing where it has no rows. */
function addGroup(
  type: 'THead' | 'TBody',
  rows: readonly StructureElement[],
  table: StructureElement,
  objects: Objects,
  elements: Elements,
): Kid[] {
  if (rows.length === 0) {
    return [];
  }
  const number = objects.size + 1;
  objects.set(number, Buffer.alloc(0));
  elements.set(number, {
    number,
    type,
    parent: table.number,
    page: table.page,
    kids: rows.map((row) => ({ written: `${row.number} 0 R`, child: row.number })),
    entries: `/Type /StructElem/S /${type}`,
  });
  for (const row of rows) {
    row.parent = number;
  }
  return [{ written: `${number} 0 R`, child: number }];
}
