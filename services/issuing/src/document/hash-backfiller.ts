import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type BackgroundTask,
  type Database,
  forTenant,
  InjectDatabase,
  InjectLogger,
  type Logger,
  type Transaction,
} from '@pinkas/service-kit';
import { Poller, type TickResult } from '@pinkas/service-kit/concurrency';
import type { IssuingTables, SeriesTable } from './document.tables.js';
import { documentHash, stateOf } from './document-hash.js';
import { chainedAfter, lockForHashing, storeHashes, unhashedSeries } from './hash.repository.js';

const idleMs = 10_000;
const seriesMax = 100;
/** Few enough that a document which waits for its series hardly notices. */
const documentsMax = 100;
const lowestId = '00000000-0000-0000-0000-000000000000';

/**
 * Hashes the documents that a release without hashes has issued, before an upgrade or during it, in the order of their numbers. Until
 * then the series is issued without hashes.
 */
@Injectable()
export class HashBackfiller implements BackgroundTask {
  readonly #poller: Poller;

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectLogger() logger: Logger,
  ) {
    this.#poller = new Poller({ name: 'hash-backfiller', idleMs, tick: () => this.#tick(), logger });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
  }

  async #tick(): Promise<TickResult> {
    const found = await unhashedSeries(acrossTenants(this.db), seriesMax);
    let hashed = 0;
    for (const series of found) {
      hashed += await forTenant(this.db, series.business_id)
        .transaction()
        .execute((trx) => hashBatch(trx, series));
    }
    return hashed > 0 ? 'more' : 'idle';
  }
}

/** @returns how many documents it has hashed. */
async function hashBatch(
  trx: Transaction<IssuingTables>,
  series: Pick<SeriesTable, 'business_id' | 'type'>,
): Promise<number> {
  const { number, hash } = await lockForHashing(trx, series);
  const rows = await chainedAfter(trx, series, { number: number + 1, id: lowestId }, documentsMax);
  let last = { number, hash };
  const hashed: { id: string; hash: Buffer }[] = [];
  for (const row of rows) {
    const own = row.hash ?? documentHash(row, row.changes[0]?.before ?? stateOf(row), last.hash);
    last = { number: row.number, hash: own };
    hashed.push({ id: row.id, hash: own });
  }
  if (last.hash && hashed.length > 0) {
    await storeHashes(trx, series, hashed, { number: last.number, hash: last.hash });
  }
  return hashed.length;
}
