import { beginsWith, isStream } from './chromium-file.js';

/** What a structure element contains: content of a page by its number, or an object. */
export type Kid =
  | { readonly page: number; readonly mcid: number }
  | { readonly written: string; readonly child: number | null };

/** A structure element of Chromium's file. */
export interface StructureElement {
  readonly number: number;
  type: string;
  /** The number of the element, or of the root, above it. */
  parent: number;
  readonly page: number;
  kids: Kid[];
  /** Its dictionary, without `/K` and `/P`. */
  entries: string;
}

/** By number, in their order in the file. */
export type Elements = Map<number, StructureElement>;

/** The element that a kid is. */
export function childOf(kid: Kid, elements: Elements): StructureElement | undefined {
  return 'child' in kid && kid.child !== null ? elements.get(kid.child) : undefined;
}

const isElement = Buffer.from('<</Type /StructElem');
const kidsEntry = /\n?\/K (\[[^\]]*\]|\d+ 0 R|\d+)/;
const parentEntry = /\n?\/P (\d+) 0 R/;
const pageEntry = /\/Pg (\d+) 0 R/;
const typeEntry = /\/S \/(\w+)/;

/** Reads the structure elements among the objects. */
export function readElements(objects: ReadonlyMap<number, Buffer>): Elements {
  const elements = new Map<number, StructureElement>();
  for (const [number, body] of objects) {
    if (!beginsWith(body, isElement) || isStream(body)) {
      continue;
    }
    const text = body.toString('latin1');
    const kids = kidsEntry.exec(text);
    const parent = parentEntry.exec(text);
    const entries = without(text, [kids, parent]).slice(2, -2);
    const page = Number(pageEntry.exec(entries)?.[1] ?? 0);
    elements.set(number, {
      number,
      type: typeEntry.exec(entries)?.[1] ?? '',
      parent: Number(parent?.[1] ?? 0),
      page,
      kids: readKids(kids?.[1] ?? '', page),
      entries,
    });
  }
  return elements;
}

function without(text: string, parts: readonly (RegExpExecArray | null)[]): string {
  return parts.reduce((left, part) => (part ? left.replace(part[0], '') : left), text);
}

function readKids(written: string, page: number): Kid[] {
  if (/^\d+$/.test(written)) {
    return [{ page, mcid: Number(written) }];
  }
  const kids: Kid[] = [];
  for (const [whole, dictionary, child] of written.matchAll(/<<([^>]*)>>|(\d+) 0 R|\d+/g)) {
    if (dictionary !== undefined) {
      const mcid = /\/MCID (\d+)/.exec(dictionary)?.[1];
      const own = /\/Pg (\d+) 0 R/.exec(dictionary)?.[1];
      kids.push(
        mcid === undefined
          ? { written: whole, child: null }
          : { page: Number(own ?? page), mcid: Number(mcid) },
      );
    } else if (child !== undefined) {
      kids.push({ written: whole, child: Number(child) });
    } else {
      kids.push({ page, mcid: Number(whole) });
    }
  }
  return kids;
}

/** The dictionary of an element. */
export function writeElement({ entries, parent, page, kids }: StructureElement): string {
  const written = kids.map((kid) => {
    if ('written' in kid) {
      return kid.written;
    }
    return kid.page === page ? String(kid.mcid) : `<</Type/MCR/Pg ${kid.page} 0 R/MCID ${kid.mcid}>>`;
  });
  const [only] = written;
  const value =
    written.length === 1 && only !== undefined && !only.startsWith('<<')
      ? ` ${only}`
      : `[${written.join(' ')}]`;
  return `<<${entries}/P ${parent} 0 R/K${value}>>`;
}

/** The types of ISO 32000-1, 14.8.4. */
const standardTypes = new Set(
  'Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form'.split(
    ' ',
  ),
);
/** What Chromium writes beyond, and the nearest that every reader knows. */
export const roleMap: Readonly<Record<string, string>> = { Em: 'Span', Strong: 'Span' };

const inlineTypes = new Set([...Object.keys(roleMap), 'Span', 'Code', 'Link', 'Quote']);

/** Whether an element of a type is a part of a line. */
export function isInline(type: string): boolean {
  return inlineTypes.has(type);
}

/** Whether a reader knows the type of an element, by itself or by the role map. */
export function isKnownType(type: string): boolean {
  return standardTypes.has(type) || type in roleMap;
}
