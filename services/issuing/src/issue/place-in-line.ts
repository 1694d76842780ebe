import type { Draft } from './draft.js';
import type { IssueRun } from './issue-run.js';

/** The place of a draft in the line of its series. Close it. */
export class Place {
  /** How issuing the draft has ended. */
  run: IssueRun | undefined;
  /** Whether it is issued in a transaction of its own: one with others has failed for one of them, or was too short for it. */
  isAlone = false;
  readonly #wait = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #isLate = false;
  #isTaken = false;

  /** @param waitMs how long it waits for its turn, or to be taken along. */
  constructor(
    readonly draft: Draft,
    waitMs: number,
  ) {
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#leaveIfLate();
    }, waitMs);
  }

  /** Aborts when the wait is over; not while a transaction issues the draft, nor afterwards. */
  get signal(): AbortSignal {
    return this.#wait.signal;
  }

  /** A transaction issues it from now on. */
  take(): void {
    this.#isTaken = true;
  }

  /** The transaction has ended. Where it has not set `run`, the draft waits again. */
  putBack(): void {
    this.#isTaken = false;
    this.#leaveIfLate();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #leaveIfLate(): void {
    if (this.#isLate && !this.#isTaken && !this.run) {
      this.#wait.abort(new DOMException('the wait for the series is over', 'TimeoutError'));
    }
  }
}
