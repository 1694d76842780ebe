import { AsyncResource } from 'node:async_hooks';
import PQueue from 'p-queue';
import { QueueFullError } from './queue-full-error.js';
import { type TurnOptions, TurnQueue } from './turn-queue.js';

/** A semaphore with a bounded queue, whose owners take turns; the work of one owner is in FIFO order. */
export class Semaphore {
  readonly #queue: PQueue<TurnQueue, TurnOptions>;

  /**
   * @param concurrency how many pieces of work run at once.
   * @param queueMax how many more may wait.
   */
  constructor(
    private readonly concurrency: number,
    private readonly queueMax: number,
  ) {
    this.#queue = new PQueue({ concurrency, queueClass: TurnQueue });
  }

  /** Whether nothing runs and nothing waits. */
  get isIdle(): boolean {
    return this.#queue.pending === 0 && this.#queue.size === 0;
  }

  /**
   * Runs `work` when it is its turn, in the context of its caller. The signal ends the wait only, never work that has started.
   * @param turnOf the owner of the work.
   * @throws QueueFullError at once, when the queue is full; the signal's reason, when it aborts during the wait.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>, turnOf = ''): Promise<T> {
    signal.throwIfAborted();
    if (this.#queue.pending >= this.concurrency && this.#queue.size >= this.queueMax) {
      throw new QueueFullError(`${this.queueMax} are queued already`);
    }
    // PQueue would free the place of running work when its signal aborts: its signal is cut off at the start.
    const wait = new AbortController();
    const leave = () => wait.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    // PQueue starts waiting work in the context of the work that ended before it: with another request's deadline and id.
    const start = AsyncResource.bind(() => {
      signal.removeEventListener('abort', leave);
      return work();
    });
    return this.#queue.add(start, { signal: wait.signal, turnOf });
  }
}
