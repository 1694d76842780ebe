import { Injectable } from '@nestjs/common';
import { issueDocument, timeLimitsMs } from '@pinkas/contracts';
import {
  type Database,
  forTenant,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  OutboxRelay,
  remainingMs,
} from '@pinkas/service-kit';
import { KeyedQueue, Semaphore } from '@pinkas/service-kit/concurrency';
import type { IssuingConfig } from '../config.js';
import type { IssuingTables } from '../document/document.tables.js';
import { IssuingMetrics } from '../health/issuing-metrics.js';
import type { Draft } from './draft.js';
import { type IssueRun, runOf, type TransactionRun } from './issue-run.js';
import { IssueTransaction, type LockedDrafts, type Outcomes } from './issue-transaction.js';
import { Place } from './place-in-line.js';

/** Connections of the pool that no issuing transaction takes: reading and recording need them while documents are rendered. */
const reservedConnections = 4;
/** How many requests may wait for one series in this process. */
const queueMax = 200;
/** Left of the request's time, at least, when its turn comes: another replica may hold the series as well. */
const afterQueueMs = timeLimitsMs.afterQueue;

/**
 * Runs issuing transactions, one at a time for a series. Requests wait in line for their series before they take a connection: a
 * busy series would otherwise fill the pool with transactions that wait for its row. The request at the front takes those behind
 * it along, so that one transaction issues for everybody in line.
 */
@Injectable()
export class IssueQueue {
  readonly #turns = new KeyedQueue(queueMax);
  /** The requests in line, by series, in the order of their turns. */
  readonly #lines = new Map<string, Set<Place>>();
  readonly #connections: Semaphore;
  /** How many requests are in all lines. */
  #inLine = 0;

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    private readonly relay: OutboxRelay,
    private readonly transaction: IssueTransaction,
    private readonly metrics: IssuingMetrics,
    @InjectConfig() private readonly config: IssuingConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.#connections = new Semaphore(Math.max(1, config.databasePoolSize - reservedConnections), queueMax);
  }

  /** Issues a draft when its turn comes, or along with one before it. Never rejects. */
  async run(draft: Draft): Promise<IssueRun> {
    const series = `${draft.document.business_id} ${draft.document.type}`;
    const place = new Place(draft, queueWaitMs());
    const line = this.#lines.get(series) ?? new Set();
    this.#lines.set(series, line.add(place));
    this.#inLine += 1;
    try {
      return await this.#turns.run(series, place.signal, () => this.#turn(place, line));
    } catch (error) {
      return { committed: 'no', error };
    } finally {
      place.close();
      line.delete(place);
      this.#inLine -= 1;
      if (line.size === 0) {
        this.#lines.delete(series);
      }
    }
  }

  async #turn(place: Place, line: ReadonlySet<Place>): Promise<IssueRun> {
    while (!place.run) {
      await this.#connections.run(place.signal, () => this.#issue(this.#group(place, line)));
    }
    return place.run;
  }

  /** The request at the front, and those behind it that are issued with it: the renderings are shared by the lengths of the lines. */
  #group(front: Place, line: ReadonlySet<Place>): [Place, ...Place[]] {
    const share = Math.ceil((this.config.renderingsMax * line.size) / this.#inLine);
    const others = [...line].filter((place) => place !== front && !place.run);
    return [front, ...(front.isAlone ? [] : others.slice(0, share - 1))];
  }

  /** Runs the transaction. A draft that it leaves without an end goes back to the line. */
  async #issue(places: readonly [Place, ...Place[]]): Promise<void> {
    for (const place of places) {
      place.take();
    }
    const run = await this.#transaction(places[0].draft.document.business_id, places);
    if (run.committed !== 'no' || places.length === 1) {
      for (const place of places) {
        place.run = runOf(place.draft, run);
      }
      // Its rendering was cut short, though it was the first: it has the whole of its time by itself.
      places[0].isAlone = !places[0].run;
    } else {
      this.logger.warn({ err: run.error, documents: places.length }, 'issuing transaction failed');
      if (run.locked) {
        // One of them may be why, and is not known.
        for (const place of places) {
          place.isAlone = true;
        }
      } else {
        // The locks were waited for until the nearest deadline allowed no more.
        nearestOf(places).run = { committed: 'no', error: run.error };
      }
    }
    for (const place of places) {
      place.putBack();
    }
  }

  /** Never rejects. */
  async #transaction(businessId: string, places: readonly Place[]): Promise<TransactionRun> {
    const startedAtMs = performance.now();
    let locked: LockedDrafts | undefined;
    // Apart from the transaction: where they are known and it has failed, it was rolled back on purpose, or its commit has failed.
    let outcomes: Outcomes | undefined;
    try {
      outcomes = await this.relay.transaction(forTenant(this.db, businessId), async (trx) => {
        locked = await this.transaction.lock(
          trx,
          places.map(({ draft }) => draft),
        );
        outcomes = await this.transaction.issue(trx, locked);
        if (!hasIssued(outcomes)) {
          throw new NothingIssuedError();
        }
        return outcomes;
      });
      return { committed: 'yes', outcomes };
    } catch (error) {
      if (!outcomes) {
        return { committed: 'no', error, locked: locked !== undefined };
      }
      return hasIssued(outcomes) ? { committed: 'unknown', outcomes, error } : { committed: 'yes', outcomes };
    } finally {
      this.metrics.observeTransaction(startedAtMs);
    }
  }
}

/** Rolls back a transaction that has issued nothing: it may have inserted the row of a series without a document. */
class NothingIssuedError extends Error {
  override readonly name = 'NothingIssuedError';
}

const nearestOf = (places: readonly [Place, ...Place[]]) =>
  places.reduce((nearest, place) =>
    place.draft.context.deadlineMs < nearest.draft.context.deadlineMs ? place : nearest,
  );

const hasIssued = (outcomes: Outcomes) => [...outcomes.values()].some(({ kind }) => kind === 'issued');

function queueWaitMs(): number {
  return Math.max(1, Math.floor(remainingMs(issueDocument.timeoutMs) - afterQueueMs));
}
