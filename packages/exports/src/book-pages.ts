import { setTimeout as pause } from 'node:timers/promises';
import { type BookEntry, type BookPosition, type Call, errorCatalogue, readBook } from '@pinkas/contracts';
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
