import { Injectable } from '@nestjs/common';
import { issueDocument, timeLimitsMs } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import {
  type Database,
  forTenant,
  InjectConfig,
  InjectDatabase,
  OutboxRelay,
  type OutboxTransaction,
  remainingMs,
} from '@pinkas/service-kit';
import { KeyedQueue, Semaphore } from '@pinkas/service-kit/concurrency';
import type { IssuingConfig } from '../config.js';
import type { IssuingTables } from './document.tables.js';
import { IssuingMetrics } from './issuing-metrics.js';

/** Connections of the pool that no issuing transaction takes: reading and recording need them while documents are rendered. */
const reservedConnections = 4;
/** How many requests may wait for one series in this process. */
const queueMax = 200;
/** Left of the request's time, at least, when its locks are acquired: for the rendering and the commit. */
const afterLocksMs = timeLimitsMs.afterLocks;
/** Left of the request's time, at least, when its turn comes: another replica may hold the series as well. */
const afterQueueMs = timeLimitsMs.afterQueue;

/** How a transaction ended. `unknown`: all statements succeeded, and the commit failed, which the server may have completed. */
export type IssueRun<T> =
  | { committed: 'yes'; result: T }
  | { committed: 'no'; error: unknown }
  | { committed: 'unknown'; result: T; error: unknown };

/**
 * Runs issuing transactions, one at a time for a series. Requests wait for their series before they take a connection: a
 * busy series would otherwise fill the pool with transactions that wait for its row.
 */
@Injectable()
export class IssueQueue {
  readonly #turns = new KeyedQueue(queueMax);
  readonly #connections: Semaphore;

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    private readonly relay: OutboxRelay,
    private readonly metrics: IssuingMetrics,
    @InjectConfig() config: IssuingConfig,
  ) {
    this.#connections = new Semaphore(Math.max(1, config.databasePoolSize - reservedConnections), queueMax);
  }

  /** Waits for the turn of the series and for a connection, and runs `work` in a transaction. Never rejects. */
  async run<T>(
    series: { business_id: string; type: DocumentType },
    work: (trx: OutboxTransaction<IssuingTables>) => Promise<T>,
  ): Promise<IssueRun<T>> {
    try {
      return await this.#turns.run(
        `${series.business_id} ${series.type}`,
        AbortSignal.timeout(queueWaitMs()),
        () =>
          this.#connections.run(AbortSignal.timeout(queueWaitMs()), () =>
            this.#transaction(series.business_id, work),
          ),
      );
    } catch (error) {
      return { committed: 'no', error };
    }
  }

  async #transaction<T>(
    businessId: string,
    work: (trx: OutboxTransaction<IssuingTables>) => Promise<T>,
  ): Promise<IssueRun<T>> {
    const startedAtMs = performance.now();
    // `work` apart from its transaction: where it has succeeded and the transaction has failed, the commit has failed.
    const running: Promise<T>[] = [];
    try {
      const result = await this.relay.transaction(forTenant(this.db, businessId), (trx) => {
        const run = work(trx);
        running.push(run);
        return run;
      });
      return { committed: 'yes', result };
    } catch (error) {
      const [outcome] = await Promise.allSettled(running);
      return outcome?.status === 'fulfilled'
        ? { committed: 'unknown', result: outcome.value, error }
        : { committed: 'no', error };
    } finally {
      this.metrics.observeTransaction(startedAtMs);
    }
  }
}

/** How long each lock of an issuing transaction may be waited for, in whole milliseconds; zero would mean for ever. */
export function lockWaitMs(): number {
  return wholeMs(remainingMs(issueDocument.timeoutMs) - afterLocksMs);
}

function queueWaitMs(): number {
  return wholeMs(remainingMs(issueDocument.timeoutMs) - afterQueueMs);
}

const wholeMs = (ms: number): number => Math.max(1, Math.floor(ms));
