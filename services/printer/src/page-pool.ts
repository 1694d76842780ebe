import { withTimeout } from '@pinkas/service-kit/concurrency';
import type { Logger } from '@pinkas/service-kit/process';
import { Chromium, type ChromiumOptions } from './chromium.js';
import type { ConversionJob } from './conversion-form.js';
import { type PageEnd, PageLostError, UnprintableError } from './print-errors.js';
import type { PageBounds, WarmPage } from './warm-page.js';

/** The longest wait for a page to open; a Chromium that takes longer is replaced. */
const openTimeoutMs = 10_000;
/** The longest pause before Chromium is started again after it failed to start. */
const restartPauseMaxMs = 5_000;
/** The longest wait for Chromium to end; what is left of it ends with this process. */
const closeTimeoutMs = 5_000;
/** How often the pages that print are held against their bounds. */
const watchEveryMs = 250;
/** How often the memory of all of Chromium is added up, in rounds of the watch. */
const roundsPerSum = 8;

/** What {@link PagePool.start} needs. */
interface PagePoolOptions {
  readonly chromium: ChromiumOptions;
  /** How many documents are printed at the same time. */
  readonly pages: number;
  /** How many documents one page prints, so that a leak in Chromium stays small. */
  readonly printsPerPageMax: number;
  readonly page: PageBounds;
  /** The memory of Chromium beyond which another one replaces it, in bytes. */
  readonly chromiumBytesMax: number;
  readonly logger: Logger;
  /** Counts what happens. */
  readonly observer: { pageClosed(end: PageEnd): void; chromiumStarted(): void };
}

interface OpenPage {
  readonly page: WarmPage;
  readonly chromium: Chromium;
}

/**
 * Warm Chromium pages that print documents. The caller bounds how many wait.
 *
 * A document is written into a page that is already there, because opening or even navigating a page costs several times
 * as much as printing a simple invoice. What keeps documents apart: scripts are off; each page has its own browser context
 * and process; assets are addressed by the hash of all of them, so a cached one can never be another document's; a page with
 * any irregularity is thrown away.
 */
export class PagePool {
  readonly #options: PagePoolOptions;
  readonly #idle: OpenPage[] = [];
  readonly #printing = new Set<OpenPage>();
  readonly #waiting: ((page: OpenPage) => void)[] = [];
  readonly #closing = new AbortController();
  readonly #watch: NodeJS.Timeout;
  #chromium: Chromium | undefined;
  #pages = 0;
  #refilling: Promise<void> | undefined;
  #memoryBytes = 0;
  #round = 0;
  #watchedAt = performance.now();

  private constructor(options: PagePoolOptions) {
    this.#options = options;
    this.#watch = setInterval(() => this.#enforceBounds(), watchEveryMs);
    this.#watch.unref();
  }

  /**
   * Starts Chromium and opens all pages; one that starts but is slow to open a page, as on a busy machine, is replaced
   * until they are open. Throws when Chromium cannot be started.
   */
  static async start(options: PagePoolOptions): Promise<PagePool> {
    const pool = new PagePool(options);
    try {
      pool.#chromium = await pool.#startChromium();
    } catch (cause) {
      clearInterval(pool.#watch);
      throw cause;
    }
    await pool.#refillNow();
    return pool;
  }

  /** Whether Chromium runs and at least one page is open. */
  get up(): boolean {
    return this.#pages > 0 && (this.#chromium?.isConnected ?? false);
  }

  /** Numbers for health and metrics. */
  get state(): {
    idle: number;
    printing: number;
    queued: number;
    memoryBytes: number;
    version: string | undefined;
    isSandboxed: boolean;
  } {
    return {
      idle: this.#idle.length,
      printing: this.#printing.size,
      queued: this.#waiting.length,
      memoryBytes: this.#memoryBytes,
      version: this.#chromium?.version,
      isSandboxed: this.#chromium?.isSandboxed ?? false,
    };
  }

  /**
   * Prints one document. When its page is lost, the document is printed once more on another page.
   *
   * @param signal ends the wait, and rejects with its reason; a page that still prints then is thrown away
   * @param started called when a page is free
   * @throws UnprintableError, PageLostError (twice in a row)
   */
  async print(job: ConversionJob, signal: AbortSignal, started: () => void = () => {}): Promise<Buffer> {
    for (let attempt = 1; ; attempt += 1) {
      const open =
        attempt === 1
          ? await this.#acquire(job.assetsHash, signal)
          : await this.#acquireProven(job.assetsHash, signal);
      started();
      try {
        const pdf = await open.page.print(job, signal);
        this.#release(open);
        return pdf;
      } catch (cause) {
        const end = endAfter(cause);
        this.#discard(open, end);
        if (!(cause instanceof PageLostError) || attempt === 2) {
          throw cause;
        }
        this.#options.logger.warn({ reason: end }, 'page lost');
      }
    }
  }

  /** Ends Chromium. Documents that are being printed are lost. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#closing.abort(new Error('the printer is shutting down'));
    await withTimeout(Promise.all([this.#chromium?.close(), this.#refilling]), closeTimeoutMs, () => {});
  }

  /** A page that just answered: when Chromium ends, not every page reports it at once. */
  async #acquireProven(assetsHash: string, signal: AbortSignal): Promise<OpenPage> {
    for (;;) {
      const open = await this.#acquire(assetsHash, signal);
      if (await open.page.answers(signal)) {
        return open;
      }
      this.#discard(open, signal.aborted ? 'abandoned' : 'crashed');
    }
  }

  #acquire(assetsHash: string, signal: AbortSignal): Promise<OpenPage> {
    signal.throwIfAborted();
    // A page that already holds the same fonts saves a navigation; the one used last is the warmest.
    const same = this.#idle.findLastIndex(({ page }) => page.assetsHash === assetsHash);
    const [open] = this.#idle.splice(same === -1 ? this.#idle.length - 1 : same, 1);
    if (open) {
      this.#printing.add(open);
      return Promise.resolve(open);
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal.reason);
      };
      const take = (free: OpenPage) => {
        signal.removeEventListener('abort', leave);
        this.#printing.add(free);
        resolve(free);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(take);
    });
  }

  /** Gives a page that printed to the next document, unless it is to be replaced. */
  #release(open: OpenPage): void {
    const { page, chromium } = open;
    const { page: bounds, printsPerPageMax } = this.#options;
    if (chromium !== this.#chromium) {
      this.#discard(open, 'replaced');
    } else if (page.printed >= printsPerPageMax) {
      this.#discard(open, 'prints');
    } else if ((page.usage()?.privateBytes ?? 0) > bounds.memoryBytesMax / 2) {
      this.#discard(open, 'memory');
    } else {
      this.#offer(open);
    }
  }

  #offer(open: OpenPage): void {
    this.#printing.delete(open);
    const next = this.#waiting.shift();
    if (next) {
      next(open);
    } else {
      this.#idle.push(open);
    }
  }

  #discard(open: OpenPage, end: PageEnd): void {
    const { page, chromium } = open;
    this.#printing.delete(open);
    this.#pages -= 1;
    chromium.pages -= 1;
    page.close(end);
    this.#options.observer.pageClosed(end);
    if (chromium !== this.#chromium && chromium.pages === 0) {
      chromium.close().catch(() => {});
    }
    this.#refill();
  }

  /** Lets another Chromium take the place of this one, which ends with its last print. */
  #replaceChromium(): void {
    this.#chromium = undefined;
    for (const open of this.#idle.splice(0)) {
      this.#discard(open, 'replaced');
    }
    this.#refill();
  }

  #enforceBounds(): void {
    const now = performance.now();
    const late = now - this.#watchedAt > 2 * watchEveryMs;
    this.#watchedAt = now;
    for (const { page } of this.#printing) {
      if (late) {
        page.forgetProgress();
      }
      page.enforce(this.#options.page);
    }
    this.#round += 1;
    if (this.#round % roundsPerSum === 0) {
      void this.#enforceSum();
    }
  }

  async #enforceSum(): Promise<void> {
    const chromium = this.#chromium;
    const bytes = await chromium?.memoryBytes().catch(() => undefined);
    if (bytes === undefined || chromium !== this.#chromium) {
      return;
    }
    this.#memoryBytes = bytes;
    if (bytes > this.#options.chromiumBytesMax) {
      this.#options.logger.warn({ memory_bytes: bytes }, 'chromium replaced');
      this.#replaceChromium();
    }
  }

  /** Brings the pool back to its size, in the background, however long Chromium takes to come back. */
  #refill(): void {
    if (this.#pages >= this.#options.pages || this.#closing.signal.aborted) {
      return;
    }
    this.#refilling ??= this.#refillNow().finally(() => {
      this.#refilling = undefined;
      // A page may have been thrown away just after the last look.
      this.#refill();
    });
  }

  async #refillNow(): Promise<void> {
    let pauseMs = 0;
    while (this.#pages < this.#options.pages && !this.#closing.signal.aborted) {
      try {
        if (!this.#chromium?.isConnected) {
          this.#chromium = await this.#startChromium();
        }
        await this.#open(this.#chromium);
        pauseMs = 0;
      } catch (cause) {
        if (this.#closing.signal.aborted) {
          return;
        }
        const [reason] = String(cause instanceof Error ? cause.message : cause).split('\n');
        this.#options.logger.warn({ reason }, 'chromium start failed');
        // A Chromium that cannot open a page is replaced at once; closing it may take long.
        this.#chromium?.close().catch(() => {});
        this.#chromium = undefined;
        await pause(pauseMs, this.#closing.signal);
        pauseMs = Math.min(Math.max(pauseMs * 2, 250), restartPauseMaxMs);
      }
    }
  }

  async #startChromium(): Promise<Chromium> {
    const chromium = await Chromium.start(this.#options.chromium);
    if (this.#closing.signal.aborted) {
      await chromium.close();
      throw this.#closing.signal.reason;
    }
    this.#options.observer.chromiumStarted();
    chromium.whenDisconnected(() => {
      // Pages that print find out by themselves; idle ones would only be found dead by the next document.
      for (const open of this.#idle.splice(0)) {
        if (open.chromium === chromium) {
          this.#discard(open, 'crashed');
        } else {
          this.#idle.push(open);
        }
      }
    });
    return chromium;
  }

  async #open(chromium: Chromium): Promise<void> {
    const page = await withTimeout(chromium.openPage(), openTimeoutMs, () => {
      throw new Error(`Chromium did not answer in ${openTimeoutMs} ms`);
    });
    if (page.pid === undefined) {
      this.#options.logger.warn('process of page unknown');
    }
    this.#pages += 1;
    chromium.pages += 1;
    this.#offer({ page, chromium });
  }
}

function endAfter(cause: unknown): PageEnd {
  return cause instanceof PageLostError || cause instanceof UnprintableError ? cause.end : 'abandoned';
}

/** Waits, but no longer than the signal lasts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
