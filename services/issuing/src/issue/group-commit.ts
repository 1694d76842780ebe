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
  type OutboxTransaction,
  remainingMs,
  withContext,
} from '@pinkas/service-kit';
import { QueueFullError, Semaphore } from '@pinkas/service-kit/concurrency';
import type { IssuingConfig } from '../config.js';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { IssuingMetrics } from '../health/issuing-metrics.js';
import type { Draft } from './draft.js';
import type { Artifact } from './draft-rendering.js';

/** Connections of the pool that no issuing transaction takes: reading and recording need them while documents are rendered. */
const reservedConnections = 4;
/** How many requests may wait for one series in this process. */
const queueMax = 200;
/** Left of the request's time, at least, when its turn comes: another replica may hold the series as well. */
const afterQueueMs = timeLimitsMs.afterQueue;

/**
 * How a draft has ended: issued by this request, or earlier with the same idempotency key, or refused. `unknown`: all statements
 * succeeded, and the commit failed, which the server may have completed.
 */
export type IssueResult =
  | { kind: 'issued'; row: DocumentRow; artifact: Artifact }
  | { kind: 'existing'; row: DocumentRow }
  | { kind: 'refused' | 'unknown'; error: unknown };
/** A draft without a result is issued by a later transaction. */
export type IssueResults = Map<Draft, IssueResult>;

/**
 * The statements of one transaction, which issues drafts of one series. Where none is `issued`, it is rolled back.
 * @param holdsLocks to call once it holds the locks that all drafts need. What it throws before concerns all of them; what it throws
 * afterwards may be caused by one.
 * @returns the results, for after the commit.
 */
export type IssueTogether = (
  trx: OutboxTransaction<IssuingTables>,
  drafts: readonly Draft[],
  holdsLocks: () => void,
) => Promise<IssueResults>;

/** How a transaction has ended: the results of its drafts after the commit, or why several have none. */
type Ended =
  | { readonly results: IssueResults }
  | { readonly results?: never; readonly error: unknown; readonly heldLocks: boolean };

/** The drafts that wait for one series in this process, in the order of their arrival. */
type SeriesQueue = Set<QueuedDraft>;

/**
 * Runs issuing transactions, one at a time for a series. Requests wait in the queue of their series before they take a connection:
 * a busy series would otherwise fill the pool with transactions that wait for its row. The request at the front takes those behind
 * it along, so that one transaction issues for all of the queue (ADR 0038).
 */
@Injectable()
export class GroupCommit {
  /** By series; none is empty. */
  readonly #queues = new Map<string, SeriesQueue>();
  readonly #connections: Semaphore;

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    private readonly relay: OutboxRelay,
    private readonly metrics: IssuingMetrics,
    @InjectConfig() private readonly config: IssuingConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.#connections = new Semaphore(Math.max(1, config.databasePoolSize - reservedConnections), queueMax);
  }

  /** Issues a draft when its turn comes, or along with one before it. Never rejects. */
  commit(draft: Draft, issueTogether: IssueTogether): Promise<IssueResult> {
    const series = `${draft.document.business_id} ${draft.document.type}`;
    const known = this.#queues.get(series);
    if (known && known.size >= queueMax) {
      const error = new QueueFullError(`${queueMax} wait for the series already`);
      return Promise.resolve({ kind: 'refused', error });
    }
    const queue: SeriesQueue = known ?? new Set();
    const queued = new QueuedDraft(draft, queue, queueWaitMs());
    if (!known) {
      this.#queues.set(series, queue);
      void this.#issueQueue(series, queue, issueTogether);
    }
    return queued.result;
  }

  /** Issues until the queue is empty. Never rejects. */
  async #issueQueue(series: string, queue: SeriesQueue, issueTogether: IssueTogether): Promise<void> {
    for (let [front] = queue; front; [front] = queue) {
      const { draft, signal } = front;
      try {
        await withContext(draft.context, () =>
          this.#connections.run(signal, () => this.#issueGroup(this.#groupOf(queue), issueTogether)),
        );
      } catch (error) {
        front.end({ kind: 'refused', error });
      }
    }
    this.#queues.delete(series);
  }

  /** The request at the front, and those behind it that are issued with it: the renderings are shared by the lengths of the queues. */
  #groupOf(queue: SeriesQueue): QueuedDraft[] {
    const inQueues = [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0);
    const share = Math.ceil((this.config.renderingsMax * queue.size) / inQueues);
    const group = [...queue];
    return group.slice(0, group[0]?.isAlone ? 1 : share);
  }

  /** Runs a transaction. A draft that it leaves without a result stays in the queue. */
  async #issueGroup(group: readonly QueuedDraft[], issueTogether: IssueTogether): Promise<void> {
    for (const queued of group) {
      queued.take();
    }
    const drafts = group.map(({ draft }) => draft);
    const ended = await this.#transaction(drafts, issueTogether);
    if (!ended.results) {
      this.logger.warn({ err: ended.error, documents: group.length }, 'issuing transaction failed');
    }
    for (const [index, queued] of group.entries()) {
      const result = ended.results?.get(queued.draft);
      if (result) {
        queued.end(result);
      }
      queued.isAlone ||= needsItsOwn(index, ended);
    }
    if (!ended.results && !ended.heldLocks) {
      // The locks were waited for until the nearest deadline allowed no more.
      nearestOf(group)?.end({ kind: 'refused', error: ended.error });
    }
    for (const queued of group) {
      queued.putBack();
    }
  }

  /** Never rejects. */
  async #transaction(drafts: readonly Draft[], issueTogether: IssueTogether): Promise<Ended> {
    const startedAtMs = performance.now();
    const [first] = drafts;
    let heldLocks = false;
    // Apart from the transaction: where they are known and it has failed, it was rolled back on purpose, or its commit has failed.
    let results: IssueResults | undefined;
    try {
      await this.relay.transaction(forTenant(this.db, first?.document.business_id ?? ''), async (trx) => {
        results = await issueTogether(trx, drafts, () => {
          heldLocks = true;
        });
        if (!hasIssued(results)) {
          throw new NothingIssuedError();
        }
      });
      return { results: results ?? new Map() };
    } catch (error) {
      if (results) {
        return { results: hasIssued(results) ? withoutCommit(results, error) : results };
      }
      return first && drafts.length === 1
        ? { results: new Map([[first, { kind: 'refused', error }]]) }
        : { error, heldLocks };
    } finally {
      this.metrics.observeTransaction(startedAtMs);
    }
  }
}

/** Whether a draft without a result needs a transaction of its own. */
function needsItsOwn(index: number, ended: Ended): boolean {
  if (ended.results) {
    // The rendering of the first may have been cut short, and has all of its time there.
    return index === 0;
  }
  // One of several may be why the transaction has failed, and which one is not known.
  return ended.heldLocks;
}

/** A draft in the queue of its series. */
class QueuedDraft {
  readonly result: Promise<IssueResult>;
  /** Whether it is issued in a transaction of its own: one with others has failed for one of them, or was too short for it. */
  isAlone = false;
  readonly #wait = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #resolve: (result: IssueResult) => void = () => {};
  #isLate = false;
  #isTaken = false;

  /** @param waitMs how long it waits for its turn, or to be taken along. */
  constructor(
    readonly draft: Draft,
    private readonly queue: SeriesQueue,
    waitMs: number,
  ) {
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#leaveIfLate();
    }, waitMs);
    queue.add(this);
  }

  /** Aborts when it has left the queue. */
  get signal(): AbortSignal {
    return this.#wait.signal;
  }

  /** A transaction issues it from now on: its wait does not end. */
  take(): void {
    this.#isTaken = true;
  }

  /** The transaction has ended. Where that gave it no result, it waits again. */
  putBack(): void {
    this.#isTaken = false;
    this.#leaveIfLate();
  }

  /** Leaves the queue; only the first result counts. */
  end(result: IssueResult): void {
    clearTimeout(this.#timer);
    this.queue.delete(this);
    this.#wait.abort();
    this.#resolve(result);
  }

  #leaveIfLate(): void {
    if (this.#isLate && !this.#isTaken) {
      const error = new DOMException('the wait for the series is over', 'TimeoutError');
      this.end({ kind: 'refused', error });
    }
  }
}

/** Rolls back a transaction that has issued nothing: it may have inserted the row of a series without a document. */
class NothingIssuedError extends Error {
  override readonly name = 'NothingIssuedError';
}

const nearestOf = (group: readonly QueuedDraft[]): QueuedDraft | undefined =>
  [...group].sort((one, other) => one.draft.context.deadlineMs - other.draft.context.deadlineMs)[0];

const hasIssued = (results: IssueResults) => [...results.values()].some(({ kind }) => kind === 'issued');

/** The results of a transaction whose commit has failed, which the server may have completed. */
function withoutCommit(results: IssueResults, error: unknown): IssueResults {
  return new Map(
    [...results].map(([draft, result]) => {
      switch (result.kind) {
        case 'issued':
          return [draft, { kind: 'unknown', error }];
        case 'refused':
          // Its reason may be a document before it, which may not be in the book.
          return [draft, { kind: 'refused', error }];
        default:
          return [draft, result];
      }
    }),
  );
}

function queueWaitMs(): number {
  return Math.max(1, Math.floor(remainingMs(issueDocument.timeoutMs) - afterQueueMs));
}
