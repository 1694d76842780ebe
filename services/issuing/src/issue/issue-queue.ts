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
  withContext,
} from '@pinkas/service-kit';
import { QueueFullError, Semaphore } from '@pinkas/service-kit/concurrency';
import type { IssuingConfig } from '../config.js';
import type { IssuingTables } from '../document/document.tables.js';
import { IssuingMetrics } from '../health/issuing-metrics.js';
import type { Draft } from './draft.js';
import { IssueTransaction, type Outcome, type Outcomes } from './issue-transaction.js';

/** Connections of the pool that no issuing transaction takes: reading and recording need them while documents are rendered. */
const reservedConnections = 4;
/** How many requests may wait for one series in this process. */
const queueMax = 200;
/** Left of the request's time, at least, when its turn comes: another replica may hold the series as well. */
const afterQueueMs = timeLimitsMs.afterQueue;

/** The drafts that wait for one series in this process, in the order of their arrival. */
type SeriesQueue = Set<QueuedDraft>;

/**
 * Runs issuing transactions, one at a time for a series. Requests wait in the queue of their series before they take a connection:
 * a busy series would otherwise fill the pool with transactions that wait for its row. The request at the front takes those behind
 * it along, so that one transaction issues for all of the queue (ADR 0038).
 */
@Injectable()
export class IssueQueue {
  /** By series; none is empty. */
  readonly #queues = new Map<string, SeriesQueue>();
  readonly #connections: Semaphore;

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
  run(draft: Draft): Promise<Outcome> {
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
      void this.#issueQueue(series, queue);
    }
    return queued.outcome;
  }

  /** Issues until the queue is empty. Never rejects. */
  async #issueQueue(series: string, queue: SeriesQueue): Promise<void> {
    for (let [front] = queue; front; [front] = queue) {
      const { draft, signal } = front;
      try {
        await withContext(draft.context, () =>
          this.#connections.run(signal, () => this.#issue(this.#group(queue))),
        );
      } catch (error) {
        front.end({ kind: 'refused', error });
      }
    }
    this.#queues.delete(series);
  }

  /** The request at the front, and those behind it that are issued with it: the renderings are shared by the lengths of the queues. */
  #group(queue: SeriesQueue): QueuedDraft[] {
    const inQueues = [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0);
    const share = Math.ceil((this.config.renderingsMax * queue.size) / inQueues);
    const drafts = [...queue];
    return drafts.slice(0, drafts[0]?.isAlone ? 1 : share);
  }

  /** Runs the transaction. A draft that it leaves without an outcome stays in the queue. */
  async #issue(group: readonly QueuedDraft[]): Promise<void> {
    for (const queued of group) {
      queued.take();
    }
    const { outcomes, error, isLocked } = await this.#transaction(group.map(({ draft }) => draft));
    if (!outcomes) {
      this.logger.warn({ err: error, documents: group.length }, 'issuing transaction failed');
    }
    for (const [index, queued] of group.entries()) {
      const outcome = outcomes?.get(queued.draft);
      if (outcome) {
        queued.end(outcome);
      }
      // One of several may be why it failed, and is not known. The rendering of the first may have been cut short, and has all
      // of its time in a transaction of its own.
      queued.isAlone ||= outcomes ? index === 0 : isLocked === true;
    }
    if (!outcomes && !isLocked) {
      // The locks were waited for until the nearest deadline allowed no more.
      nearestOf(group)?.end({ kind: 'refused', error });
    }
    for (const queued of group) {
      queued.putBack();
    }
  }

  /**
   * Never rejects.
   * @returns the outcomes after the commit, or why several drafts have none; `isLocked`: one of them may be why.
   */
  async #transaction(
    drafts: readonly Draft[],
  ): Promise<{ outcomes?: Outcomes; error?: unknown; isLocked?: boolean }> {
    const startedAtMs = performance.now();
    const [first] = drafts;
    let isLocked = false;
    // Apart from the transaction: where they are known and it has failed, it was rolled back on purpose, or its commit has failed.
    let outcomes: Outcomes | undefined;
    try {
      await this.relay.transaction(forTenant(this.db, first?.document.business_id ?? ''), async (trx) => {
        const locked = await this.transaction.lock(trx, drafts);
        isLocked = true;
        outcomes = await this.transaction.issue(trx, locked);
        if (!hasIssued(outcomes)) {
          throw new NothingIssuedError();
        }
      });
      return { outcomes: outcomes ?? new Map() };
    } catch (error) {
      if (!outcomes && first && drafts.length === 1) {
        return { outcomes: new Map([[first, { kind: 'refused', error }]]) };
      }
      if (!outcomes) {
        return { error, isLocked };
      }
      return { outcomes: hasIssued(outcomes) ? withoutCommit(outcomes, error) : outcomes };
    } finally {
      this.metrics.observeTransaction(startedAtMs);
    }
  }
}

/** A draft in the queue of its series. */
class QueuedDraft {
  readonly outcome: Promise<Outcome>;
  /** Whether it is issued in a transaction of its own: one with others has failed for one of them, or was too short for it. */
  isAlone = false;
  readonly #wait = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #resolve: (outcome: Outcome) => void = () => {};
  #isLate = false;
  #isTaken = false;

  /** @param waitMs how long it waits for its turn, or to be taken along. */
  constructor(
    readonly draft: Draft,
    private readonly queue: SeriesQueue,
    waitMs: number,
  ) {
    this.outcome = new Promise((resolve) => {
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

  /** The transaction has ended. Where that gave it no outcome, it waits again. */
  putBack(): void {
    this.#isTaken = false;
    this.#leaveIfLate();
  }

  /** Leaves the queue; only the first outcome counts. */
  end(outcome: Outcome): void {
    clearTimeout(this.#timer);
    this.queue.delete(this);
    this.#wait.abort();
    this.#resolve(outcome);
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

const hasIssued = (outcomes: Outcomes) => [...outcomes.values()].some(({ kind }) => kind === 'issued');

/** The outcomes of a transaction whose commit has failed, which the server may have completed. */
function withoutCommit(outcomes: Outcomes, error: unknown): Outcomes {
  return new Map(
    [...outcomes].map(([draft, outcome]) => {
      switch (outcome.kind) {
        case 'issued':
          return [draft, { kind: 'unknown', error }];
        case 'refused':
          // Its reason may be a document before it, which may not be in the book.
          return [draft, { kind: 'refused', error }];
        default:
          return [draft, outcome];
      }
    }),
  );
}

function queueWaitMs(): number {
  return Math.max(1, Math.floor(remainingMs(issueDocument.timeoutMs) - afterQueueMs));
}
