import type { Shown } from '../document/sheet.js';

/** What the latest revision of a document shows. */
export interface LatestShown {
  readonly allocation_number: string | null;
  readonly cancelled_at: Date | null;
}

/** What happened to a document after its issue. */
export interface News {
  /** Nine digits; null: still none. */
  readonly allocationNumber?: string | null;
  /** ISO 8601 */
  readonly cancelledAt?: string;
}

/**
 * What the next revision of a document has to show, or null where the latest shows the news already. Nothing that was
 * shown once is lost, in whatever order the news come.
 *
 * 'מקור' may stand on one output alone (Income Tax Bookkeeping Instructions, appendix E). A revision that adds the allocation
 * number takes the place of the first one as long as none was given out for the customer; every other is a copy.
 */
export function nextOutput(latest: LatestShown, delivered: boolean, news: News): Shown | null {
  const allocationNumber = news.allocationNumber ?? latest.allocation_number;
  const cancelledAt = latest.cancelled_at?.toISOString() ?? news.cancelledAt ?? null;
  const cancelledNow = cancelledAt !== null && latest.cancelled_at === null;
  if (allocationNumber === latest.allocation_number && !cancelledNow) return null;
  return { allocationNumber, cancelledAt, output: delivered || cancelledAt !== null ? 'copy' : 'original' };
}
