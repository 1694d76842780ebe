import type { AuditEntry } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { csvRow } from '@pinkas/exports';
import {
  ApiError,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  RpcClient,
} from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ConsolePage, type PageReply } from '../../http/console-page.js';
import { csvFile } from '../../http/file-replies.js';
import type { MemberVisit } from '../../http/visit.js';
import { trailHeads, trailRow } from './trail-entry.js';
import { readTrailNames } from './trail-names.js';
import { type Positions, readPositions, readTrail, type TrailPage } from './trail-pages.js';
import { filterOf, readTrailValues, type TrailFilter } from './trail-query.js';

/** Entries that one call reads of each service. */
const pageSize = 100;
/** So many entries are in one file; those that are older are in another, of other dates. */
const entriesMax = 20_000;

/** The entries of the trail that its page finds, as a table for a spreadsheet. */
@ConsolePage({ method: 'GET', path: '/trail/csv', access: 'reader', books: true })
export class DownloadTrail {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const filter = await filterOf(this.rpc, visit.bookId, readTrailValues(visit.query));
    // Read before the reply begins, so that a failure has a page of its own.
    const first = await this.#page(visit, filter, readPositions(null));
    return csvFile(`trail-${dayInIsrael(this.clock.now())}.csv`, this.#rows(visit, filter, first));
  }

  async *#rows(visit: MemberVisit, filter: TrailFilter, first: TrailPage): AsyncGenerator<string> {
    yield csvRow(trailHeads(visit.language));
    let written = 0;
    for (let page = first; ; page = await this.#page(visit, filter, readPositions(page.next))) {
      yield* await this.#written(visit, page.entries);
      written += page.entries.length;
      if (page.next === null || written >= entriesMax) {
        return;
      }
    }
  }

  async #written(visit: MemberVisit, entries: readonly AuditEntry[]): Promise<string[]> {
    const names = await readTrailNames({ rpc: this.rpc, db: this.db }, visit, entries);
    return entries.map((entry) => csvRow(trailRow(entry, names, visit.language)));
  }

  /** A part of a trail would be taken for all of it. */
  async #page({ bookId }: MemberVisit, filter: TrailFilter, positions: Positions): Promise<TrailPage> {
    const page = await readTrail(this.rpc, bookId, filter, positions, pageSize);
    if (page.isPart) {
      throw new ApiError('engine_error');
    }
    return page;
  }
}
