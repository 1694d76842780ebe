import type { ChromiumFile } from './chromium-file.js';

/** What an element of the structure tree holds. */
interface Element {
  readonly type: string;
  /** The elements below it. */
  readonly kids: readonly number[];
  /** The page of the text that is its own; null where it has none. */
  readonly page: number | null;
}

/** Deeper than any document is; a tree that leads back into itself ends there. */
const depthMax = 64;

/**
 * On which pages the body rows of a table begin, by index from 0. A row that cannot be found has the page of the one before it.
 * @param table its place among the tables of the file, from 0.
 */
export function rowPages(file: ChromiumFile, table: number, rows: number): number[] {
  const root = elementOf(file, structureRoot(file));
  const found = root.kids.flatMap((kid) => below(file, kid, 'Table'))[table];
  const all = found === undefined ? [] : below(file, found, 'TR');
  // The first rows are the heading's.
  const body = rows < all.length ? all.slice(-rows) : [];
  let last = 0;
  return Array.from({ length: rows }, (_, index) => {
    const row = body[index];
    const page = row === undefined ? null : pageOf(file, row);
    last = page === null ? last : Math.max(last, file.pages.indexOf(page));
    return last;
  });
}

const textOf = (file: ChromiumFile, number: number): string =>
  file.objects.get(number)?.toString('latin1') ?? '';

function structureRoot(file: ChromiumFile): number {
  return Number(/\/StructTreeRoot (\d+) 0 R/.exec(textOf(file, file.catalog))?.[1] ?? 0);
}

function elementOf(file: ChromiumFile, number: number): Element {
  const text = textOf(file, number);
  const content = /\/K (\[[^\]]*\]|<<[^>]*>>|\d+ 0 R|\d+)/.exec(text)?.[1] ?? '';
  const outside = content.replace(/<<[^>]*>>/g, '');
  const kids = [...outside.matchAll(/(\d+) 0 R/g)].map(([, kid]) => Number(kid));
  const hasText =
    content.includes('<<') || /(?:^|[[\s])\d+(?=[\]\s]|$)/.test(outside.replace(/\d+ 0 R/g, ''));
  const page = /\/Pg (\d+) 0 R/.exec(content.includes('/Pg') ? content : text)?.[1];
  return {
    type: /\/S \/(\w+)/.exec(text)?.[1] ?? '',
    kids,
    page: hasText && page !== undefined ? Number(page) : null,
  };
}

/** The elements of a type in the order of the tree; what is inside of one is not looked for. */
function below(file: ChromiumFile, number: number, type: string, depth = 0): number[] {
  const element = elementOf(file, number);
  if (element.type === type) {
    return [number];
  }
  return depth > depthMax ? [] : element.kids.flatMap((kid) => below(file, kid, type, depth + 1));
}

/** The page of the first text in an element. */
function pageOf(file: ChromiumFile, number: number, depth = 0): number | null {
  const { page, kids } = elementOf(file, number);
  if (page !== null || depth > depthMax) {
    return page;
  }
  for (const kid of kids) {
    const found = pageOf(file, kid, depth + 1);
    if (found !== null) {
      return found;
    }
  }
  return null;
}
