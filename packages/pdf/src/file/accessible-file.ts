import { type ChromiumFile, InvalidPdfError } from './chromium-file.js';
import { ContentPlan, type Group, type Page } from './content-plan.js';
import { readContent, type WrittenSequence, writeContent } from './page-content.js';
import { Fonts } from './page-fonts.js';
import { addParagraphs } from './paragraphs.js';
import { dataOf, type Objects, put, putData, referenceIn, textOf } from './pdf-objects.js';
import { type SourceText, SourceTexts } from './reading-order.js';
import { addRowGroups } from './row-groups.js';
import {
  childOf,
  type Elements,
  isKnownType,
  readElements,
  roleMap,
  type StructureElement,
  writeElement,
} from './structure-tree.js';

/**
 * Makes the tags of Chromium's file what PDF/UA-1 (ISO 14289-1) and PDF/A-2a (ISO 19005-2) want of them: each directional run of letters
 * is a sequence of its own, in the order in which it is read and with the text that it was made of; texts in another language say so;
 * decoration and repeated heads are artifacts; tables have a head and a body. Nothing moves on the paper.
 * @param objects are changed.
 * @param sources the texts of the page in their order.
 * @returns whether the file has nothing that the two standards forbid.
 * @throws InvalidPdfError where the file is not in the form that Chromium writes.
 */
export async function makeAccessible(
  objects: Objects,
  file: ChromiumFile,
  sources: readonly SourceText[],
): Promise<boolean> {
  const catalog = textOf(objects, file.catalog);
  const root = referenceIn(catalog, 'StructTreeRoot');
  if (root === null) {
    return false;
  }
  const elements = readElements(objects);
  addParagraphs(elements);
  const fonts = new Fonts(objects);
  await fonts.read();
  const pages = await readPages(objects, file, fonts);
  const language = /\/Lang \((\w+)\)/.exec(catalog)?.[1] ?? '';

  const heads = addRowGroups(objects, elements);
  const plan = new ContentPlan(pages, elements, heads, new SourceTexts(sources), language);
  const planned = [...elements.values()].map((element) => ({ element, kids: plan.kidsOf(element) }));
  const numbered = await writePages(objects, pages, plan);
  for (const { element, kids } of planned) {
    element.kids = kids();
    put(objects, element.number, writeElement(element));
  }
  writeParentTree(objects, root, pages, numbered);
  await fonts.writeVariants();
  const map = Object.entries(roleMap).map(([type, standard]) => `/${type}/${standard}`);
  put(objects, root, textOf(objects, root).replace(/>>$/, `/RoleMap<<${map.join('')}>>>>`));

  const runs = pages.flatMap(({ sequences }) => sequences.flatMap((sequence) => sequence.runs));
  return (
    runs.every(({ whole }) => whole) &&
    [...elements.values()].every(
      ({ type, entries }) => isKnownType(type) && (type !== 'Figure' || entries.includes('/Alt')),
    ) &&
    headingsAreInOrder(elements, root) &&
    fonts.areEmbedded() &&
    // Links need a text of their own, which Chromium does not write.
    !file.pages.some((page) => textOf(objects, page).includes('/Annots'))
  );
}

async function readPages(objects: Objects, file: ChromiumFile, fonts: Fonts): Promise<Page[]> {
  const contents = file.pages.map((page) => referenceIn(textOf(objects, page), 'Contents'));
  const data = await Promise.all(
    contents.map(async (number) => (number === null ? '' : dataOf(objects, number))),
  );
  return file.pages.map((number, index) => {
    const named = fonts.ofPage(number);
    const sequences = readContent(data[index] ?? '', named);
    return { number, contents: contents[index] ?? 0, sequences, fonts: named };
  });
}

/** @returns for each page the groups in the order of their numbers. */
async function writePages(
  objects: Objects,
  pages: readonly Page[],
  plan: ContentPlan,
): Promise<Map<number, Group[]>> {
  const numbered = new Map<number, Group[]>();
  await Promise.all(
    pages.map(async (page) => {
      const { number, contents, sequences } = page;
      const own: Group[] = [];
      numbered.set(number, own);
      const spaces = plan.spacesOf(page);
      const written = sequences.map((sequence): WrittenSequence => {
        const planned = plan.groups.get(sequence);
        if (!planned) {
          return { ...sequence, mcids: null };
        }
        for (const group of planned) {
          if (!own.includes(group, -2)) {
            group.mcid = own.push(group) - 1;
          }
        }
        const space = spaces.get(sequence) ?? null;
        return { ...sequence, mcids: planned.map(({ mcid }) => mcid), space };
      });
      if (contents > 0) {
        await putData(objects, contents, writeContent(written));
      }
    }),
  );
  return numbered;
}

/** Says of which element each sequence of each page is. */
function writeParentTree(
  objects: Objects,
  root: number,
  pages: readonly Page[],
  numbered: ReadonlyMap<number, readonly Group[]>,
): void {
  const tree = textOf(objects, referenceIn(textOf(objects, root), 'ParentTree') ?? 0);
  const arrays = new Map(
    [...(/\/Nums \[([^\]]*)\]/.exec(tree)?.[1] ?? '').matchAll(/(\d+) (\d+) 0 R/g)].map(
      ([, key, array]) => [Number(key), Number(array)] as const,
    ),
  );
  for (const { number } of pages) {
    const key = /\/StructParents (\d+)/.exec(textOf(objects, number))?.[1];
    const array = key === undefined ? undefined : arrays.get(Number(key));
    const groups = numbered.get(number) ?? [];
    if (array === undefined) {
      if (groups.length > 0) {
        throw new InvalidPdfError('the PDF is damaged: a page with tags is not in their tree');
      }
      continue;
    }
    put(objects, array, `[${groups.map(({ owner }) => `${owner} 0 R`).join(' ')}]`);
  }
}

/** Whether the first heading is of the first level, and no level is left out on the way down. */
function headingsAreInOrder(elements: Elements, root: number): boolean {
  const levels: number[] = [];
  const visit = (element: StructureElement) => {
    const level = /^H([1-6])$/.exec(element.type)?.[1];
    if (level !== undefined) {
      levels.push(Number(level));
    }
    for (const kid of element.kids) {
      const child = childOf(kid, elements);
      if (child) {
        visit(child);
      }
    }
  };
  for (const element of elements.values()) {
    if (element.parent === root) {
      visit(element);
    }
  }
  return levels.every((level, index) => level <= (levels[index - 1] ?? 0) + 1);
}
