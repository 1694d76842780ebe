import { withTimeout } from '@pinkas/service-kit/concurrency';
import { type Browser, type BrowserContext, type CDPSession, chromium } from 'playwright-core';
import { pause } from '../http.js';
import type { ConversionJob } from './conversion-form.js';

/** How many documents one page prints before a fresh page takes its place, so that a leak in Chromium stays small. */
const jobsPerPageMax = 1_000;
/** The longest wait for Chromium to start. */
const startTimeoutMs = 15_000;
/** The longest wait for a page to open; a browser that takes longer is replaced. */
const openTimeoutMs = 5_000;
/** The longest pause before Chromium is started again after it failed to start. */
const restartPauseMaxMs = 5_000;

/** What {@link PagePool.start} needs. */
export interface PagePoolOptions {
  /** Absolute path of the Chromium program. */
  readonly chromiumPath: string;
  /** How many documents are printed at the same time. */
  readonly pages: number;
  /** How many more documents may wait for a page. */
  readonly queueMax: number;
}

/** The queue is full: nothing was printed. */
export class QueueFullError extends Error {}

/** The document or its settings cannot be printed, on any attempt. The message is safe for the caller. */
export class UnprintableError extends Error {}

/** The page was lost while it printed: Chromium ended, or the document navigated the page away. Another page may succeed. */
export class PageLostError extends Error {}

/**
 * Warm Chromium pages that print documents.
 *
 * A document is written into a page that is already there, because opening or even navigating a page costs several times
 * as much as printing a simple invoice. What keeps documents apart: scripts are off; each page has its own browser context;
 * assets are addressed by the hash of all of them, so a cached one can never be another document's; a page with any
 * irregularity is thrown away.
 */
export class PagePool {
  readonly #options: PagePoolOptions;
  readonly #idle: WarmPage[] = [];
  readonly #waiting: ((page: WarmPage) => void)[] = [];
  readonly #closing = new AbortController();
  #browser: Browser | undefined;
  #pages = 0;
  #refilling: Promise<void> | undefined;

  private constructor(options: PagePoolOptions) {
    this.#options = options;
  }

  /**
   * Starts Chromium and opens all pages; a browser that starts but is slow to open a page, as on a busy machine, is replaced
   * until they are open. Throws when Chromium cannot be started.
   */
  static async start(options: PagePoolOptions): Promise<PagePool> {
    const pool = new PagePool(options);
    pool.#browser = await pool.#launch();
    await pool.#refillNow();
    return pool;
  }

  /** Whether Chromium runs and at least one page is open. */
  get up(): boolean {
    return this.#pages > 0 && (this.#browser?.isConnected() ?? false);
  }

  /**
   * Prints one document. When its page is lost, the document is printed once more on another page.
   *
   * @param signal ends the wait, and rejects with its reason; a page that still prints then is thrown away
   * @throws QueueFullError, UnprintableError, PageLostError (twice in a row)
   */
  async print(job: ConversionJob, signal: AbortSignal): Promise<Buffer> {
    for (let attempt = 1; ; attempt += 1) {
      const page =
        attempt === 1
          ? await this.#acquire(job.assetsHash, signal)
          : await this.#acquireProven(job.assetsHash, signal);
      try {
        const pdf = await page.print(job, signal);
        if (page.printed < jobsPerPageMax) {
          this.#release(page);
        } else {
          this.#discard(page);
        }
        return pdf;
      } catch (cause) {
        this.#discard(page);
        if (!(cause instanceof PageLostError) || attempt === 2) {
          throw cause;
        }
      }
    }
  }

  /** Ends Chromium. Documents that are being printed are lost. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the print pool is closing'));
    await this.#browser?.close();
    await this.#refilling;
  }

  /** A page that just answered: when Chromium ends, not every page reports it at once. */
  async #acquireProven(assetsHash: string, signal: AbortSignal): Promise<WarmPage> {
    for (;;) {
      const page = await this.#acquire(assetsHash, signal);
      if (await page.answers(signal)) {
        return page;
      }
      this.#discard(page);
    }
  }

  #acquire(assetsHash: string, signal: AbortSignal): Promise<WarmPage> {
    signal.throwIfAborted();
    // A page that already holds the same fonts saves a navigation; the one used last is the warmest.
    const same = this.#idle.findLastIndex((page) => page.assetsHash === assetsHash);
    const [page] = this.#idle.splice(same === -1 ? this.#idle.length - 1 : same, 1);
    if (page) {
      return Promise.resolve(page);
    }
    if (this.#waiting.length >= this.#options.queueMax) {
      return Promise.reject(new QueueFullError());
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal.reason);
      };
      const take = (free: WarmPage) => {
        signal.removeEventListener('abort', leave);
        resolve(free);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(take);
    });
  }

  #release(page: WarmPage): void {
    const next = this.#waiting.shift();
    if (next) {
      next(page);
    } else {
      this.#idle.push(page);
    }
  }

  #discard(page: WarmPage): void {
    this.#pages -= 1;
    page.close();
    this.#refill();
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
        if (!this.#browser?.isConnected()) {
          this.#browser = await this.#launch();
        }
        await this.#open();
        pauseMs = 0;
      } catch (cause) {
        if (this.#closing.signal.aborted) {
          return;
        }
        const [reason] = String(cause instanceof Error ? cause.message : cause).split('\n');
        console.error(`Chromium has to be started again: ${reason}`);
        // A browser that cannot open a page is replaced at once; closing it may take long.
        this.#browser?.close().catch(() => {});
        this.#browser = undefined;
        await pause(pauseMs, this.#closing.signal);
        pauseMs = Math.min(Math.max(pauseMs * 2, 250), restartPauseMaxMs);
      }
    }
  }

  async #launch(): Promise<Browser> {
    const browser = await chromium.launch({
      executablePath: this.#options.chromiumPath,
      args: chromiumFlags,
      timeout: startTimeoutMs,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    if (this.#closing.signal.aborted) {
      await browser.close();
      throw this.#closing.signal.reason;
    }
    browser.once('disconnected', () => {
      // Pages that print find out by themselves; idle ones would only be found dead by the next document.
      for (const page of this.#idle.splice(0)) {
        if (page.browser === browser) {
          this.#discard(page);
        } else {
          this.#idle.push(page);
        }
      }
    });
    return browser;
  }

  async #open(): Promise<void> {
    const browser = this.#browser;
    if (!browser) {
      throw new Error('Chromium does not run');
    }
    const page = await withTimeout(WarmPage.open(browser), openTimeoutMs, () => {
      throw new Error(`Chromium did not answer in ${openTimeoutMs} ms`);
    });
    this.#pages += 1;
    this.#release(page);
  }
}

/**
 * `--in-process-gpu` and the tiny window of {@link WarmPage} avoid painting to a screen, about a sixth of
 * the work. The resolver rule is the second lock on the network, behind the interception of every request. Without its windows
 * Chromium aligns glyphs to whole pixels unless hinting is off, which would leave gaps within printed words.
 */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND',
];

/** The origin that documents believe they come from: reserved by RFC 2606, so that it never resolves. */
const origin = 'http://print.invalid';

class WarmPage {
  /** How many documents were printed here. */
  printed = 0;
  /** The hash of the assets that this page's address names. */
  assetsHash = '';

  readonly browser: Browser;
  readonly #context: BrowserContext;
  readonly #cdp: CDPSession;
  readonly #frameId: string;
  readonly #lost: Promise<never>;
  #job: ConversionJob | undefined;
  #missing: string[] = [];
  #navigatedAway = false;
  #media = '';

  private constructor(browser: Browser, context: BrowserContext, cdp: CDPSession, frameId: string) {
    this.browser = browser;
    this.#context = context;
    this.#cdp = cdp;
    this.#frameId = frameId;
    this.#lost = new Promise((_resolve, reject) => {
      const lose = () => reject(new PageLostError());
      cdp.once('Inspector.targetCrashed', lose);
      cdp.once('close', lose);
      context.once('close', lose);
    });
    this.#lost.catch(() => {});
    cdp.on('Fetch.requestPaused', ({ requestId, request }) => this.#answer(requestId, request.url));
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined && frame.url !== this.#address) {
        this.#navigatedAway = true;
      }
    });
  }

  static async open(browser: Browser): Promise<WarmPage> {
    const context = await browser.newContext({ javaScriptEnabled: false, acceptDownloads: false });
    try {
      const cdp = await context.newCDPSession(await context.newPage());
      await cdp.send('Page.enable');
      await cdp.send('Inspector.enable');
      const { frameTree } = await cdp.send('Page.getFrameTree');
      const page = new WarmPage(browser, context, cdp, frameTree.frame.id);
      await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
      await cdp.send('Emulation.setDeviceMetricsOverride', {
        width: 8,
        height: 8,
        deviceScaleFactor: 1,
        mobile: false,
      });
      return page;
    } catch (cause) {
      context.close().catch(() => {});
      throw cause;
    }
  }

  /** Prints the document, or throws; after a throw the page must not be used again. */
  async print(job: ConversionJob, signal: AbortSignal): Promise<Buffer> {
    try {
      return await this.#unlessLost(this.#print(job), signal);
    } finally {
      this.#job = undefined;
    }
  }

  /** Whether the page still answers. */
  async answers(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#unlessLost(this.#send('Page.getFrameTree'), signal);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#context.close().catch(() => {});
  }

  get #address(): string {
    return `${origin}/${this.assetsHash}/index.html`;
  }

  async #print(job: ConversionJob): Promise<Buffer> {
    this.#job = job;
    this.#missing = [];
    if (job.media !== this.#media) {
      await this.#send('Emulation.setEmulatedMedia', { media: job.media });
      this.#media = job.media;
    }
    if (job.assetsHash !== this.assetsHash) {
      this.assetsHash = job.assetsHash;
      await this.#loaded(() => this.#send('Page.navigate', { url: this.#address }));
    }
    await this.#loaded(() =>
      this.#send('Page.setDocumentContent', { frameId: this.#frameId, html: job.html }),
    );
    await this.#send('Runtime.evaluate', { expression: waitForFonts, awaitPromise: true });
    if (this.#navigatedAway) {
      throw new PageLostError();
    }
    if (job.failOnMissingAsset && this.#missing.length > 0) {
      throw new UnprintableError(`Chromium failed to load resources: ${this.#missing.join(', ')}`);
    }
    const { data } = await this.#send('Page.printToPDF', { ...job.settings, transferMode: 'ReturnAsBase64' });
    if (this.#navigatedAway) {
      throw new PageLostError();
    }
    this.printed += 1;
    return Buffer.from(data, 'base64');
  }

  async #unlessLost<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted();
    let leave = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
    // The work may still fail after the race is lost.
    work.catch(() => {});
    try {
      return await Promise.race([work, aborted, this.#lost]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Starts something that loads a document, and waits for the load event: style sheets and pictures are there then. */
  async #loaded(start: () => Promise<unknown>): Promise<void> {
    const loaded = new Promise<void>((resolve) => this.#cdp.once('Page.loadEventFired', () => resolve()));
    await start();
    await loaded;
  }

  #answer(requestId: string, url: string): void {
    const prefix = `${origin}/${this.assetsHash}/`;
    const name = url.startsWith(prefix) ? nameIn(url.slice(prefix.length)) : undefined;
    const asset = name === 'index.html' ? blank : this.#job?.assets.get(name ?? '');
    if (!asset && !url.endsWith('/favicon.ico')) {
      this.#missing.push(url.slice(0, 200));
    }
    const answered = asset
      ? this.#cdp.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 200,
          responseHeaders: [
            { name: 'Content-Type', value: asset.contentType },
            // The address holds the hash of the content, so a copy in the cache is never stale.
            { name: 'Cache-Control', value: 'max-age=31536000, immutable' },
          ],
          body: asset.bytes.toString('base64'),
        })
      : this.#cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    // The request may be gone already, with the document that made it.
    answered.catch(() => {});
  }

  #send: CDPSession['send'] = async (method, parameters) => {
    try {
      return await this.#cdp.send(method, parameters);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      // Chromium's own words for what no other page could print either; every other failure is the page's.
      const words =
        /(page range|invalid print parameters|content area is empty|paper (?:width|height)|margin|printing failed)[^\n]*/i.exec(
          message,
        );
      if (method === 'Page.printToPDF' && words) {
        throw new UnprintableError(`Chromium cannot print: ${words[0]}`);
      }
      throw new PageLostError(message, { cause });
    }
  };
}

const blank = { contentType: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>') };

/**
 * Reading a size lays the document out, and only layout determines which fonts are needed. DevTools may evaluate this although
 * the document's own scripts are off. When all fonts are there already, nothing is waited for: the promise alone would
 * cost a frame.
 */
const waitForFonts = `(() => {
  void document.documentElement?.offsetHeight;
  return document.fonts.status === 'loaded' || document.fonts.ready.then(() => true);
})()`;

function nameIn(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replace(/[?#].*$/s, ''));
  } catch {
    return undefined;
  }
}
