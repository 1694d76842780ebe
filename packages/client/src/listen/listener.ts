import { setTimeout as pass } from 'node:timers/promises';
import { PinkasClient } from '../pinkas-client.js';
import { PinkasConnectionError, PinkasError } from '../pinkas-error.js';
import type { CreatedDocument, EventPage, EventQuery, PinkasEvent } from '../types.js';
import type { ListenOptions } from './config.js';
import { type Forwarded, forward, printable } from './forward.js';

/** The largest page that the API has. */
const pageMax = 100;
/** Between two looks for new events. */
const pollMinMs = 1_000;
/** Of the requests that the key may make in a minute, what is left to the program that is tried. */
const shareOfLimit = 0.25;
const againAfterMs = 2_000;
/** With `--retry`: the waits double from the first to the last; after so many attempts a key press is needed. */
const retry = { firstMs: 1_000, lastMs: 30_000, attemptsMax: 10 };
/** The oldest of more are forgotten. */
const failedMax = 1_000;
/** Earlier events are skipped a page at a time; a long way shows where it is. */
const progressEvery = 2_000;

/** Where lines go, and whether they are in color. */
export interface Terminal {
  print(line: string): void;
  readonly failed: (text: string) => string;
}

interface Failed {
  readonly event: PinkasEvent;
  attempts: number;
  /** On the clock of `performance`; infinite: when a key is pressed. */
  dueMs: number;
}

/** Follows the events of a key and posts them, one at a time and in their order. */
export class Listener {
  readonly #client: PinkasClient;
  readonly #failed = new Map<string, Failed>();
  /** Ends a pause early. */
  #wake = () => {};
  #received = 0;
  /** Between two requests, so that they are a share of the limit; and when the next one may be sent, on the clock of `performance`. */
  #requestMs = 0;
  #nextMs = 0;
  /** Where to go on: null before the first page. */
  cursor: string | null = null;

  constructor(
    private readonly options: ListenOptions,
    private readonly secret: string,
    private readonly terminal: Terminal,
    private readonly signal: AbortSignal,
  ) {
    const { baseUrl, apiKey } = options;
    this.#client = new PinkasClient({ baseUrl, apiKey });
  }

  /** The business of the key, as the first line names it, and whether its events are those of customers. */
  async profile(): Promise<{ name: string; isLive: boolean }> {
    const { business, mode, limits } = await this.#client.getMe({ signal: this.signal });
    this.#requestMs = 60_000 / (limits.per_minute * shareOfLimit);
    this.#holdFor(this.#requestMs);
    return { name: printable(business.name), isLive: mode === 'live' };
  }

  /**
   * Posts events until the signal is aborted. A connection that is cut goes on where it stopped.
   * @throws PinkasError where a request is refused for good, for example since the key was revoked.
   */
  async follow(): Promise<void> {
    const { since } = this.options;
    const fromMs = since.kind === 'time' ? since.atMs : null;
    if (since.kind === 'cursor') {
      this.cursor = since.cursor;
    } else if (since.kind === 'time') {
      await this.#skip(fromMs);
    }
    this.terminal.print('waiting for events');
    while (!this.signal.aborted) {
      const page = await this.#page();
      if (page && (await this.#postAll(page.data, fromMs ?? 0))) {
        this.cursor = page.next_cursor;
        this.#holdFor(page.data.length < pageMax ? pollMinMs : 0);
      }
    }
  }

  /** @returns whether all of them were posted: otherwise they come again, from the cursor of the page before. */
  async #postAll(events: readonly PinkasEvent[], fromMs: number): Promise<boolean> {
    for (const event of events) {
      if (Date.parse(event.timestamp) >= fromMs) {
        await this.#post({ event, attempts: 0, dueMs: 0 });
      }
      if (this.signal.aborted) {
        return false;
      }
    }
    return true;
  }

  /** Posts what failed again, at once. */
  again(): void {
    if (this.#failed.size === 0) {
      this.terminal.print('nothing has failed');
    }
    for (const failed of this.#failed.values()) {
      failed.dueMs = 0;
    }
    this.#wake();
  }

  /** How it ended, in one line or two. */
  summary(): string {
    const counts = `${this.#received} received, ${this.#failed.size} failed`;
    return this.cursor === null ? counts : `${counts}\ngo on from here with --since ${this.cursor}`;
  }

  /** Goes behind the events before a time, or behind all. */
  async #skip(untilMs: number | null): Promise<void> {
    for (let skipped = 0; !this.signal.aborted; ) {
      const page = await this.#page();
      if (page === undefined) {
        continue;
      }
      const last = page.data.at(-1);
      if (untilMs !== null && last && Date.parse(last.timestamp) >= untilMs) {
        // It has the first of them, and perhaps others.
        return;
      }
      this.cursor = page.next_cursor;
      if (page.data.length < pageMax) {
        return;
      }
      skipped += page.data.length;
      if (skipped % progressEvery === 0) {
        this.terminal.print(`${skipped} earlier events skipped`);
      }
    }
  }

  /**
   * The next page, as soon as the share of the limit allows it; what failed is posted again. Undefined where there is none
   * yet, because the connection is cut or the signal aborted.
   */
  async #page(): Promise<EventPage | undefined> {
    do {
      await this.#postAgain();
      await this.#pause(this.#nextMs - performance.now());
    } while (this.#nextMs > performance.now() && !this.signal.aborted);
    this.#holdFor(this.#requestMs);
    const { types } = this.options;
    const query: EventQuery = {
      limit: pageMax,
      ...(types && { type: types as NonNullable<EventQuery['type']> }),
      ...(this.cursor !== null && { cursor: this.cursor }),
    };
    try {
      return await this.#client.listEvents(query, { signal: this.signal });
    } catch (error) {
      if (this.signal.aborted) {
        return undefined;
      }
      const isPassing =
        error instanceof PinkasConnectionError || (error instanceof PinkasError && error.retryable);
      if (!isPassing) {
        throw error;
      }
      this.terminal.print(this.terminal.failed(`${printable(error.message)}; goes on where it stopped`));
      this.#holdFor(againAfterMs);
      return undefined;
    }
  }

  async #post(one: Failed): Promise<void> {
    const { event } = one;
    one.attempts += 1;
    const outcome = await forward(this.options.target, event, this.secret, this.signal);
    if (this.signal.aborted) {
      return;
    }
    this.terminal.print(this.#line(one, outcome));
    if (this.options.print && one.attempts === 1) {
      this.terminal.print(JSON.stringify(event, null, 2));
    }
    if (outcome.reason === null) {
      this.#received += 1;
      this.#failed.delete(event.id);
      return;
    }
    const waitMs = Math.min(retry.lastMs, retry.firstMs * 2 ** Math.min(one.attempts - 1, 10));
    const isRepeated = this.options.retry && one.attempts < retry.attemptsMax;
    one.dueMs = isRepeated ? performance.now() + waitMs : Number.POSITIVE_INFINITY;
    this.#failed.set(event.id, one);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > failedMax && oldest !== undefined) {
      this.#failed.delete(oldest);
    }
  }

  async #postAgain(): Promise<void> {
    for (const failed of [...this.#failed.values()]) {
      if (failed.dueMs <= performance.now() && !this.signal.aborted) {
        await this.#post(failed);
      }
    }
  }

  #line({ event, attempts }: Failed, { status, ms, reason }: Forwarded): string {
    const time = new Date().toTimeString().slice(0, 8);
    const { document } = event.data as { document?: CreatedDocument };
    const subject = document ? `${document.type} ${document.number}` : '';
    const outcome = [status ?? 'no answer', `${ms} ms`, reason ?? '']
      .filter((part) => part !== '')
      .join('  ');
    const text = `${time}  ${event.type.padEnd(22)} ${subject.padEnd(24)} ${event.id}  ${attempts > 1 ? `attempt ${attempts}  ` : ''}→ ${outcome}`;
    return reason === null ? text : this.terminal.failed(text);
  }

  #holdFor(afterMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, performance.now() + afterMs);
  }

  async #pause(ms: number): Promise<void> {
    const due = Math.min(...[...this.#failed.values()].map(({ dueMs }) => dueMs - performance.now()));
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const forMs = Math.max(0, Math.min(ms, due));
    await pass(forMs, undefined, { signal: AbortSignal.any([this.signal, woken.signal]) }).catch(
      () => undefined,
    );
  }
}
