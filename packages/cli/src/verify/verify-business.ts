import {
  type BookEntry,
  type BookPosition,
  type Business,
  type DocumentType,
  documentTypes,
  listSeries,
  readBook,
} from '@pinkas/contracts';
import type { Ask } from '../command.js';
import { type AuditedPage, auditPage, pageSize } from './audit-page.js';
import type { Fault } from './checks.js';
import { faultsOfPayments, faultsOfTotals } from './entry-amounts.js';
import { faultsOfLinks } from './entry-links.js';
import { faultsOfEnd, faultsOfOrder, type Numbered, type Series } from './number-order.js';
import { ParkedSteps } from './parked-steps.js';

/** How many pages are with the other services at once: enough to keep them at work, and no more in memory. */
const pagesAtOnce = 4;
/** More faults of one business are counted and not kept. */
export const faultsKeptMax = 1_000;
/** Between two looks at what may just have been moving, in milliseconds. */
const secondLookMs = 5_000;

/** What was found out about the book of one business. */
export interface BusinessProof {
  readonly id: string;
  readonly name: string;
  readonly documents: number;
  /** Of each type that has any. */
  readonly byType: ReadonlyMap<DocumentType, number>;
  /** The first `faultsKeptMax`. */
  readonly faults: readonly Fault[];
  /** How many there are, those that were not kept included. */
  readonly faultCount: number;
  readonly underWay: number;
  readonly parked: number;
}

/** A page on which the services did not agree at first sight: a step may have happened between the two questions. */
interface Suspicion {
  readonly after: BookPosition | null;
  readonly size: number;
  readonly seenAtMs: number;
  readonly faults: ReadonlySet<string>;
}

/**
 * Proves the book of one business, a page at a time, while the system is at work.
 * @param onDocuments told of how many more documents were checked.
 * @param secondLookAfterMs when that is looked at again which may just have been moving, in milliseconds.
 * @throws Problem where a service does not answer; nothing is proven then.
 */
export async function verifyBusiness(
  ask: Ask,
  business: Pick<Business, 'id' | 'name' | 'first_numbers'>,
  parked: ParkedSteps,
  onDocuments: (count: number) => void,
  secondLookAfterMs = secondLookMs,
): Promise<BusinessProof> {
  const faults = new KeptFaults();
  const byType = new Map<DocumentType, number>();
  const last = new Map<DocumentType, Numbered>();
  const suspicions: Suspicion[] = [];
  const counts = { documents: 0, underWay: 0, parked: 0 };
  const count = (page: AuditedPage) => {
    counts.underWay += page.underWay;
    counts.parked += page.parked;
  };
  const firstNumber = (type: DocumentType) => business.first_numbers[type] ?? 1;

  const before = await seriesOf(ask, business.id);
  const audits = new Window(pagesAtOnce);
  for await (const { after, entries } of pagesOf(ask, business.id)) {
    for (const entry of entries) {
      const { document } = entry;
      faults.add([
        ...faultsOfOrder(last.get(document.type) ?? null, document, firstNumber(document.type)),
        ...faultsOfTotals(entry),
        ...faultsOfPayments(entry),
        ...faultsOfLinks(entry),
      ]);
      last.set(document.type, numberedOf(entry));
      byType.set(document.type, (byType.get(document.type) ?? 0) + 1);
    }
    await audits.run(async () => {
      const page = await auditPage(ask, business.id, entries, parked);
      counts.documents += entries.length;
      onDocuments(entries.length);
      if (page.faults.length === 0) return count(page);
      suspicions.push({
        after,
        size: entries.length,
        seenAtMs: performance.now(),
        faults: new Set(page.faults.map(keyOf)),
      });
    });
  }
  await audits.end();

  const after = await seriesOf(ask, business.id);
  for (const type of documentTypes) {
    faults.add(
      faultsOfEnd(
        last.get(type) ?? null,
        { type, before: before.get(type), after: after.get(type) },
        firstNumber(type),
      ),
    );
  }

  // Only what is found twice is a fault; what is new the second time is moving now.
  const parkedNow = suspicions.length > 0 ? await ParkedSteps.read(ask) : parked;
  for (const suspicion of suspicions) {
    await waitUntil(suspicion.seenAtMs + secondLookAfterMs);
    const page = await ask(readBook, {
      business_id: business.id,
      after: suspicion.after,
      limit: suspicion.size,
    });
    const audited = await auditPage(ask, business.id, page.entries, parkedNow);
    faults.add(audited.faults.filter((fault) => suspicion.faults.has(keyOf(fault))));
    count(audited);
  }

  return {
    id: business.id,
    name: business.name,
    ...counts,
    byType,
    faults: faults.kept,
    faultCount: faults.count,
  };
}

/** The pages of a book, in the order of the numbers, each with the position that it was asked for with. */
async function* pagesOf(
  ask: Ask,
  businessId: string,
): AsyncGenerator<{ after: BookPosition | null; entries: BookEntry[] }> {
  let after: BookPosition | null = null;
  do {
    const page: { entries: BookEntry[]; next_after: BookPosition | null } = await ask(readBook, {
      business_id: businessId,
      after,
      limit: pageSize,
    });
    yield { after, entries: page.entries };
    after = page.next_after;
  } while (after !== null);
}

async function seriesOf(ask: Ask, businessId: string): Promise<Map<DocumentType, Series>> {
  const { series } = await ask(listSeries, { business_id: businessId });
  return new Map(series.map((one) => [one.type, one]));
}

/** What is kept of a document for the next one: the whole of it would hold its page in memory. */
const numberedOf = ({ document: { id, type, number, date, issued_at } }: BookEntry): Numbered => ({
  id,
  type,
  number,
  date,
  issued_at,
});

const keyOf = ({ check, document_id, message }: Fault): string =>
  JSON.stringify([check, document_id, message]);

/** The first faults, and how many there are. */
class KeptFaults {
  readonly kept: Fault[] = [];
  count = 0;

  add(faults: readonly Fault[]): void {
    this.count += faults.length;
    this.kept.push(...faults.slice(0, faultsKeptMax - this.kept.length));
  }
}

/** Runs so many at once; whoever brings the next one waits for room. */
class Window {
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(private readonly size: number) {}

  /** @throws what one before has failed with. */
  async run(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.size) await Promise.race(this.#running);
    this.#throwFailure();
    const running: Promise<void> = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all of them. @throws what one of them has failed with. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

function waitUntil(instantMs: number): Promise<void> {
  const waitMs = instantMs - performance.now();
  return waitMs <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, waitMs));
}
