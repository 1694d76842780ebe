import {
  type BookEntry,
  type BookPosition,
  type Business,
  type Call,
  listSeries,
  readBook,
} from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import PQueue from 'p-queue';
import { type AuditedPage, auditPage, pageSize } from './audit-page.js';
import { checkChains, type SeriesPart } from './check-chains.js';
import type { Finding } from './checks.js';
import type { DeadLetteredWork } from './dead-lettered-work.js';
import { checkPayments, checkTotals } from './entry-amounts.js';
import { checkLinks } from './entry-links.js';
import { type Note, notesOn } from './entry-notes.js';
import { checkStatus } from './entry-status.js';
import { type Heads, withoutHeads } from './heads-comparison.js';
import { checkOrder, checkSeriesEnd, type Numbered, type Series } from './number-order.js';

/** How many pages are audited concurrently: enough to keep the services busy, few enough for the memory. */
const concurrency = 4;
/** Further findings of one business, and further notes, are counted and not stored. */
export const findingsMax = 1_000;
/** How long after a page's first audit it is audited again. */
const recheckAfterMs = 5_000;

/** Where a part of a book ends: the next part begins behind it. */
export interface BookMark extends Numbered {
  readonly hash: string;
}

/** A part of a book, in the order of its numbers. */
export interface BookPart {
  /** Null: from the first document. */
  readonly from: BookMark | null;
  /** Documents; a page more at most. */
  readonly documentsMax: number;
}

const wholeBook: BookPart = { from: null, documentsMax: Number.POSITIVE_INFINITY };

/** The result of the verification of one business's book. */
export interface VerificationResult {
  readonly id: string;
  readonly name: string;
  readonly documents: number;
  /** The count of each type that has documents. */
  readonly byType: ReadonlyMap<DocumentType, number>;
  /** The first `findingsMax`. */
  readonly findings: readonly Finding[];
  /** All findings, including those that were not stored. */
  readonly findingCount: number;
  /** What its owner should know, and no finding: the first `findingsMax`. */
  readonly notes: readonly Note[];
  readonly noteCount: number;
  readonly pending: number;
  readonly deadLettered: number;
  /** Where the next part begins; null: the end of the book was reached. */
  readonly next: BookMark | null;
}

/** A page whose first audit has findings: an event may have been handled between the calls to two services. */
interface Recheck {
  readonly after: BookPosition | null;
  readonly size: number;
  readonly auditedAtMs: number;
  readonly findings: ReadonlySet<string>;
}

/** Verifies the book of one business while the system is at work: scan, compare the ends of the series, recheck. */
export class BusinessVerification {
  readonly #findings: Finding[] = [];
  #findingCount = 0;
  readonly #notes: Note[] = [];
  #noteCount = 0;
  readonly #byType = new Map<DocumentType, number>();
  readonly #last = new Map<DocumentType, Numbered>();
  readonly #rechecks: Recheck[] = [];
  #documents = 0;
  #pending = 0;
  #deadLettered = 0;
  #next: BookMark | null = null;

  /**
   * @param onDocuments called with the count of further documents that were checked.
   * @param recheckMs how long after its first audit a page with findings is audited again.
   * @param heads what the chains must have, as it was signed.
   * @param part of the book; by default all of it. The trails are followed with the last part.
   */
  constructor(
    private readonly call: Call,
    private readonly business: Pick<Business, 'id' | 'name' | 'first_numbers'>,
    private readonly deadLetters: DeadLetteredWork,
    private readonly onDocuments: (count: number) => void,
    private readonly recheckMs = recheckAfterMs,
    private readonly heads: Heads = withoutHeads,
    private readonly part: BookPart = wholeBook,
  ) {
    if (part.from) {
      this.#last.set(part.from.type, part.from);
    }
  }

  /** @throws ApiError where a service does not answer: nothing is verified then. */
  async run(): Promise<VerificationResult> {
    const seriesBefore = await this.#readSeries();
    await this.#scan(seriesBefore);
    this.#compareEnds(seriesBefore, await this.#readSeries());
    await this.#checkChains();
    await this.#recheck();
    return {
      id: this.business.id,
      name: this.business.name,
      documents: this.#documents,
      byType: this.#byType,
      findings: this.#findings,
      findingCount: this.#findingCount,
      notes: this.#notes,
      noteCount: this.#noteCount,
      pending: this.#pending,
      deadLettered: this.#deadLettered,
      next: this.#next,
    };
  }

  /** Checks every entry alone, and audits its page at the other services. */
  async #scan(seriesBefore: ReadonlyMap<DocumentType, Series>): Promise<void> {
    const audits = new PQueue({ concurrency });
    const failure = audits.onError();
    // Between two waits nothing listens to it.
    failure.catch(() => {});
    for await (const { after, entries } of this.#pages()) {
      for (const entry of entries) {
        this.#checkEntry(entry, this.#firstNumber(entry.document.type, seriesBefore));
      }
      audits.add(() => this.#auditPage(after, entries)).catch(() => {});
      await Promise.race([failure, audits.onSizeLessThan(1)]);
    }
    await Promise.race([failure, audits.onIdle()]);
  }

  #checkEntry(entry: BookEntry, firstNumber: number): void {
    const { type } = entry.document;
    this.#add([
      ...checkOrder(this.#last.get(type) ?? null, entry.document, firstNumber),
      ...checkTotals(entry),
      ...checkPayments(entry),
      ...checkStatus(entry),
      ...checkLinks(entry),
    ]);
    const notes = notesOn(entry);
    this.#noteCount += notes.length;
    this.#notes.push(...notes.slice(0, findingsMax - this.#notes.length));
    this.#last.set(type, numberedOf(entry));
    this.#byType.set(type, (this.#byType.get(type) ?? 0) + 1);
  }

  async #checkChains(): Promise<void> {
    const { findings } = await checkChains(this.call, this.business.id, this.heads, this.#seriesParts());
    this.#add(findings);
  }

  /** What of each series is followed; null: all of it, and the trails. */
  #seriesParts(): SeriesPart[] | null {
    const { from } = this.part;
    if (from === null && this.#next === null) {
      return null;
    }
    return [...this.#typesEnded(), ...(this.#next ? [this.#next.type] : [])].map((type) => ({
      type,
      after: from?.type === type ? from : null,
      until: this.#next?.type === type ? this.#next.number : null,
    }));
  }

  /** The types whose place in the book, which is in the order of their names, ends in this part, whether it has documents or not. */
  #typesEnded(): DocumentType[] {
    const { from } = this.part;
    return documentTypes.filter(
      (type) => (from === null || type >= from.type) && (this.#next === null || type < this.#next.type),
    );
  }

  async #auditPage(after: BookPosition | null, entries: readonly BookEntry[]): Promise<void> {
    const page = await auditPage(this.call, this.business.id, entries, this.deadLetters);
    this.#documents += entries.length;
    this.onDocuments(entries.length);
    if (page.findings.length === 0) {
      this.#count(page);
      return;
    }
    this.#rechecks.push({
      after,
      size: entries.length,
      auditedAtMs: performance.now(),
      findings: new Set(page.findings.map(keyOf)),
    });
  }

  #compareEnds(before: ReadonlyMap<DocumentType, Series>, after: ReadonlyMap<DocumentType, Series>): void {
    for (const type of this.#typesEnded()) {
      this.#add(
        checkSeriesEnd(
          this.#last.get(type) ?? null,
          { type, before: before.get(type), after: after.get(type) },
          this.#firstNumber(type, after),
        ),
      );
    }
  }

  /** Audits the pages with findings again: only what is found twice counts, since work goes on in between. */
  async #recheck(): Promise<void> {
    if (this.#rechecks.length === 0) {
      return;
    }
    const deadLetters = await this.deadLetters.again();
    for (const { after, size, auditedAtMs, findings } of this.#rechecks) {
      await waitUntil(auditedAtMs + this.recheckMs);
      const { entries } = await this.call(readBook, { business_id: this.business.id, after, limit: size });
      const page = await auditPage(this.call, this.business.id, entries, deadLetters);
      this.#add(page.findings.filter((finding) => findings.has(keyOf(finding))));
      this.#count(page);
    }
  }

  /** The pages of the book in the order of the numbers, each with the position before it. */
  async *#pages(): AsyncGenerator<{ after: BookPosition | null; entries: BookEntry[] }> {
    const { from, documentsMax } = this.part;
    let after: BookPosition | null = from && { type: from.type, number: from.number, id: from.id };
    let read = 0;
    do {
      const page: { entries: BookEntry[]; next_after: BookPosition | null } = await this.call(readBook, {
        business_id: this.business.id,
        after,
        limit: pageSize,
      });
      yield { after, entries: page.entries };
      after = page.next_after;
      read += page.entries.length;
      const last = page.entries.at(-1);
      if (after !== null && last && read >= documentsMax) {
        this.#next = { ...numberedOf(last), hash: last.hash };
        return;
      }
    } while (after !== null);
  }

  async #readSeries(): Promise<Map<DocumentType, Series>> {
    const { series } = await this.call(listSeries, { business_id: this.business.id });
    return new Map(series.map((item) => [item.type, item]));
  }

  /** The setting may have been changed while the first document of the type was issued. */
  #firstNumber(type: DocumentType, series: ReadonlyMap<DocumentType, Series>): number {
    return series.get(type)?.first_number ?? this.business.first_numbers[type] ?? 1;
  }

  #add(findings: readonly Finding[]): void {
    this.#findingCount += findings.length;
    this.#findings.push(...findings.slice(0, findingsMax - this.#findings.length));
  }

  #count(page: AuditedPage): void {
    this.#pending += page.pending;
    this.#deadLettered += page.deadLettered;
  }
}

/** What the next document is compared with; the whole entry would hold its page in memory. */
const numberedOf = ({ document: { id, type, number, date, issued_at } }: BookEntry): Numbered => ({
  id,
  type,
  number,
  date,
  issued_at,
});

const keyOf = ({ check, document_id, message }: Finding): string =>
  JSON.stringify([check, document_id, message]);

function waitUntil(instantMs: number): Promise<void> {
  const waitMs = instantMs - performance.now();
  return waitMs <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, waitMs));
}
