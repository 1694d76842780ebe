import type { Sequence } from './page-content.js';
import { textString } from './pdf-syntax.js';
import { readingOrder, type SourceTexts } from './reading-order.js';
import { type Elements, isInline, type Kid, type StructureElement } from './structure-tree.js';
import { hasRightToLeftLetter, type PageFonts, spaceBehind, type TextRun } from './text-run.js';

/** One page with what it draws. */
export interface Page {
  /** The number of its object. */
  readonly number: number;
  /** The number of its content; 0 for none. */
  readonly contents: number;
  readonly sequences: readonly Sequence[];
  readonly fonts: PageFonts;
}

/** Runs that become one sequence. */
export interface Group {
  readonly page: number;
  /** The number of its element. */
  readonly owner: number;
  /** Known when the page is written. */
  mcid: number;
}

type ContentKid = Extract<Kid, { mcid: number }>;
interface PlacedSequence {
  readonly page: number;
  readonly sequence: Sequence;
}

const languageEntry = /\/Lang \(([\w-]+)\)/;

interface Ancestry {
  readonly inHead: boolean;
  readonly language: string;
}

/** Decides which content stays tagged, in which groups and order, and what the elements say of it. */
export class ContentPlan {
  /** For each sequence that stays tagged, the group of each of its runs; one group where it has no runs. */
  readonly groups = new Map<Sequence, Group[]>();
  readonly #ancestries = new Map<number, Ancestry>();
  /** By the number of the page, then by that of the sequence. */
  readonly #byMcid = new Map<number, Map<number, PlacedSequence[]>>();

  /**
   * @param heads the rows of heads, which a table repeats on its further pages and which are read once.
   * @param language of the document.
   */
  constructor(
    pages: readonly Page[],
    private readonly elements: Elements,
    private readonly heads: ReadonlySet<number>,
    private readonly sources: SourceTexts,
    private readonly language: string,
  ) {
    for (const { number, sequences } of pages) {
      const ofPage = new Map<number, PlacedSequence[]>();
      this.#byMcid.set(number, ofPage);
      for (const sequence of sequences) {
        if (sequence.mcid !== null) {
          const placed = { page: number, sequence };
          const same = ofPage.get(sequence.mcid);
          if (same) {
            same.push(placed);
          } else {
            ofPage.set(sequence.mcid, [placed]);
          }
        }
      }
    }
  }

  /** @returns the new kids of an element, to be called when the pages are written. */
  kidsOf(element: StructureElement): () => Kid[] {
    if (!element.kids.some((kid) => 'mcid' in kid)) {
      return () => element.kids;
    }
    const above = this.#ancestry(element.number);
    const kids: (Group | Kid)[] = [];
    let content: ContentKid[] = [];
    const end = () => {
      const [first] = content;
      const read = above.inHead ? content.filter(({ page }) => page === first?.page) : content;
      kids.push(...this.#planContent(read, element, above.language));
      content = [];
    };
    for (const kid of element.kids) {
      if ('mcid' in kid) {
        content.push(kid);
      } else {
        end();
        kids.push(kid);
      }
    }
    end();
    return () => kids.map((kid) => ('mcid' in kid ? { page: kid.page, mcid: kid.mcid } : kid));
  }

  /**
   * The spaces of a page: one behind each text that ends its block, for example a cell, or whose space is drawn with reversed letters.
   * @returns text objects by the sequence that they follow.
   */
  spacesOf({ sequences, fonts }: Page): Map<Sequence, string> {
    const spaces = new Map<Sequence, string>();
    let before: { readonly sequence: Sequence; readonly block: number } | null = null;
    for (const sequence of sequences.filter(({ runs }) => runs.length > 0)) {
      const group = this.groups.get(sequence)?.at(-1);
      if (!group) {
        continue;
      }
      const block = this.#blockOf(group.owner);
      const run = before?.sequence.runs.at(-1);
      const [next] = sequence.runs;
      const isEnd = before?.block !== block || (run && next && hasSpaceBetween(run, next));
      const space = run && isEnd ? spaceBehind(run, fonts) : null;
      if (before && space) {
        spaces.set(before.sequence, space);
      }
      before = { sequence, block };
    }
    return spaces;
  }

  /** The number of the nearest element that is no part of a line. */
  #blockOf(number: number): number {
    const parent = this.elements.get(this.elements.get(number)?.parent ?? 0);
    return parent && isInline(parent.type) ? this.#blockOf(parent.number) : (parent?.number ?? 0);
  }

  /** Plans the content that an element has in one place; of what draws no letters only pictures stay. */
  #planContent(content: readonly ContentKid[], element: StructureElement, language: string): Group[] {
    const kept = content
      .flatMap(({ page, mcid }) => this.#byMcid.get(page)?.get(mcid) ?? [])
      .filter(({ sequence }) => element.type === 'Figure' || sequence.runs.length > 0);
    const runs = kept.flatMap(({ page, sequence }) => sequence.runs.map((run) => ({ run, sequence, page })));
    if (runs.length === 0) {
      return kept.map(({ page, sequence }) => this.#group(page, sequence, element));
    }
    const drawn = runs.map(({ run }) => run.text).join('');
    const source = this.sources.take(drawn);
    const order =
      source &&
      (runs.length === 1
        ? [0]
        : readingOrder(
            runs.map(({ run, page }) => ({ text: run.text, line: `${page} ${run.baseline}` })),
            source.text,
          ));
    if (source && source.language !== language) {
      addEntry(element, `/Lang (${source.language})`);
    }
    const isAll = element.kids.every((kid) => 'mcid' in kid);
    // A space between two elements has no source.
    const said = drawn === ' ' ? drawn : order && source?.text;
    if (said && isAll && (hasRightToLeftLetter(drawn) || this.#isPart(element))) {
      addEntry(element, `/ActualText ${textString(said)}`);
    }
    return this.#groupRuns(runs, order ?? runs.map((_run, index) => index), element);
  }

  /** Whether the element has only a part of a text: readers that go by the place of letters lose the space to the next one. */
  #isPart(element: StructureElement): boolean {
    const siblings = this.elements.get(element.parent)?.kids.length ?? 1;
    return siblings > 1;
  }

  /** Neighbours that are drawn in the order in which they are read share a group; reversed letters have one of their own. */
  #groupRuns(
    runs: readonly { run: TextRun; sequence: Sequence; page: number }[],
    order: readonly number[],
    element: StructureElement,
  ): Group[] {
    const places = new Map(order.map((run, place) => [run, place]));
    const groups: Group[] = [];
    for (const [index, { run, sequence, page }] of runs.entries()) {
      const place = places.get(index) ?? index;
      const before = runs[index - 1];
      const joins =
        before?.sequence === sequence &&
        !before.run.reversed &&
        !run.reversed &&
        places.get(index - 1) === place - 1;
      groups[place] = this.#group(page, sequence, element, joins ? groups[place - 1] : undefined);
    }
    return [...new Set(groups)];
  }

  /** Whether an element is in the head of a table, and the language that it has or inherits. */
  #ancestry(number: number): Ancestry {
    const element = this.elements.get(number);
    if (!element) {
      return { inHead: false, language: this.language };
    }
    const known = this.#ancestries.get(number);
    if (known) {
      return known;
    }
    const above = this.#ancestry(element.parent);
    const ancestry = {
      inHead: above.inHead || this.heads.has(number),
      language: languageEntry.exec(element.entries)?.[1] ?? above.language,
    };
    this.#ancestries.set(number, ancestry);
    return ancestry;
  }

  #group(page: number, sequence: Sequence, element: StructureElement, joined?: Group): Group {
    const group = joined ?? { page, owner: element.number, mcid: 0 };
    const groups = this.groups.get(sequence);
    if (groups) {
      groups.push(group);
    } else {
      this.groups.set(sequence, [group]);
    }
    return group;
  }
}

/** Whether a space between two runs is one of reversed letters, which extractors put to the other end of its run. */
function hasSpaceBetween(run: TextRun, next: TextRun): boolean {
  return (run.reversed && run.text.startsWith(' ')) || (next.reversed && next.text.endsWith(' '));
}

/** Says something of the text of an element, which has to be one that readers take notice of. */
function addEntry(element: StructureElement, entry: string): void {
  element.entries = `${element.entries.replace('/S /NonStruct', '/S /Span')}${entry}`;
}
