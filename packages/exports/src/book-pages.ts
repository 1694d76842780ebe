import { setTimeout as pause } from 'node:timers/promises';
import {
  type BookEntry,
  type BookPosition,
  type Call,
  errorCatalogue,
  listDocuments,
  type ReplyOf,
  type RequestOf,
  readBook,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';

/** Half of what issuing returns at once: a page and the next one are in memory together. */
const pageSize = 50;
/** The pauses before a page is read again: one call of many thousands may meet a restart. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000];

/** Which documents of which book: by document date, both ends included. */
export interface BookRange {
  readonly businessId: string;
  readonly from: string;
  readonly to: string;
  /** The position in the book of the last document that may be in it; by default the book is read to its end. */
  readonly until?: number;
}

/** The documents of a list, as its page has them, instead of those of a range. */
export type Selection = Omit<
  RequestOf<typeof listDocuments>,
  'business_id' | 'settlement' | 'limit' | 'before'
>;

/** Some entries of the book. */
export interface BookPage {
  readonly entries: readonly BookEntry[];
  /** Where the next page begins; null after the last one. */
  readonly next: BookPosition | null;
}

/**
 * The book of a range of dates in the order of the numbers, page after page; the next page is read while the current one is used.
 * @param after begins behind this position.
 */
export async function* bookPages(
  call: Call,
  { businessId, ...range }: BookRange,
  after: BookPosition | null = null,
): AsyncGenerator<BookPage> {
  const read = (position: BookPosition | null) => {
    const request = { business_id: businessId, after: position, limit: pageSize, ...range };
    const page = repeated(() => call(readBook, request));
    // Awaited below; until then a failure must not end the process.
    page.catch(() => {});
    return page;
  };
  for (let page = read(after); ; ) {
    const { entries, next_after: next } = await page;
    if (next !== null) {
      page = read(next);
    }
    yield { entries, next };
    if (next === null) {
      return;
    }
  }
}

/** The entries of the documents of a list, in its order. */
export async function* selectedPages(
  call: Call,
  business_id: string,
  selection: Selection,
): AsyncGenerator<BookPage> {
  for (let before: number | null = null; ; ) {
    const request: RequestOf<typeof listDocuments> = { ...selection, business_id, limit: pageSize, before };
    const { documents, next_before }: ReplyOf<typeof listDocuments> = await repeated(() =>
      call(listDocuments, request),
    );
    const ids = documents.map(({ document }) => document.id);
    const entries = await entriesOf(call, business_id, ids);
    entries.sort((one, other) => ids.indexOf(one.document.id) - ids.indexOf(other.document.id));
    const last = entries.at(-1)?.document;
    const next = next_before === null || !last ? null : { type: last.type, number: last.number, id: last.id };
    yield { entries, next };
    if (next === null) {
      return;
    }
    before = next_before;
  }
}

async function entriesOf(call: Call, business_id: string, document_ids: string[]): Promise<BookEntry[]> {
  const found: BookEntry[] = [];
  for (let after: BookPosition | null = null; document_ids.length > 0; ) {
    const request: RequestOf<typeof readBook> = { business_id, document_ids, after, limit: pageSize };
    const { entries, next_after }: ReplyOf<typeof readBook> = await repeated(() => call(readBook, request));
    found.push(...entries);
    if (next_after === null) {
      break;
    }
    after = next_after;
  }
  return found;
}

/** Repeats a call without a reply. @throws the error of the last attempt, and one that no attempt can fix at once. */
async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError) || !errorCatalogue[error.code].retryable) {
        throw error;
      }
    }
    await pause(pauseMs);
  }
  return attempt();
}
