import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { ConversionJob } from './conversion-form.js';
import { type DocumentParts, partsOf } from './document-parts.js';
import { type PageEnd, PageLostError, UnprintableError } from './print-errors.js';
import { type ProcessUsage, readUsage } from './process-usage.js';

/** The origin that documents believe they come from: reserved by RFC 2606, so that it never resolves. */
const origin = 'http://print.invalid';

/** The bounds of a page that prints. */
export interface PageBounds {
  readonly memoryBytesMax: number;
  /** How long it may use no processor time. */
  readonly stallMs: number;
}

/** One page of Chromium, in a context and a process of its own, that prints one document after the other. */
export class WarmPage {
  /** How many documents were printed here. */
  printed = 0;
  /** The hash of the assets that this page's address names. */
  assetsHash = '';
  /** The id of its process; undefined where it is not known. */
  pid: number | undefined;

  readonly #context: BrowserContext;
  readonly #cdp: CDPSession;
  readonly #frameId: string;
  readonly #lost: Promise<never>;
  #lose: (error: Error) => void = () => undefined;
  #job: ConversionJob | undefined;
  #missing: string[] = [];
  #navigatedAway = false;
  /** Whether the last document set what a new one in its place would keep. */
  #leavesState = false;
  /** Whether no document was written since the page navigated. */
  #isNew = false;
  #media = '';
  /** The head that the page has, where it may stay for the next document; else empty. */
  #head = '';
  #progress = { cpuTicks: -1, at: 0 };

  private constructor(context: BrowserContext, cdp: CDPSession, frameId: string) {
    this.#context = context;
    this.#cdp = cdp;
    this.#frameId = frameId;
    this.#lost = new Promise((_resolve, reject) => {
      this.#lose = reject;
    });
    this.#lost.catch(() => {});
    const crashed = () => this.#lose(new PageLostError('crashed', 'the page has crashed'));
    cdp.once('Inspector.targetCrashed', crashed);
    cdp.once('close', crashed);
    context.once('close', crashed);
    cdp.on('Fetch.requestPaused', ({ requestId, request, resourceType }) =>
      this.#answer(requestId, request.url, resourceType),
    );
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined && frame.url !== this.#address) {
        this.#navigatedAway = true;
      }
    });
  }

  /** @param devTools a session of the browser itself. */
  static async open(browser: Browser, devTools: CDPSession): Promise<WarmPage> {
    const known = await contextIds(devTools);
    const context = await browser.newContext({
      javaScriptEnabled: false,
      acceptDownloads: false,
      viewport: null,
    });
    try {
      const id = (await contextIds(devTools)).find((contextId) => !known.includes(contextId));
      if (id === undefined) {
        // In the browser's own context, pages would share what is stored.
        throw new Error('the new browser context is not listed');
      }
      const cdp = await context.newCDPSession(await openPage(context, devTools, id));
      await cdp.send('Page.enable');
      await cdp.send('Inspector.enable');
      const { frameTree } = await cdp.send('Page.getFrameTree');
      const page = new WarmPage(context, cdp, frameTree.frame.id);
      await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
      await cdp.send('Emulation.setDeviceMetricsOverride', {
        ...screen,
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
      this.#progress = { cpuTicks: -1, at: 0 };
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

  /** The usage of its process; undefined where it is not known. */
  usage(): ProcessUsage | undefined {
    return this.pid === undefined ? undefined : readUsage(this.pid);
  }

  /** Ends the print in progress where it is beyond its bounds. Called again and again while the page prints. */
  enforce({ memoryBytesMax, stallMs }: PageBounds): void {
    const usage = this.usage();
    if (!usage) {
      return;
    }
    if (usage.privateBytes > memoryBytesMax) {
      const megabytes = Math.round(memoryBytesMax / 1024 / 1024);
      this.#lose(
        new UnprintableError(
          400,
          `Chromium cannot print: the page needs more than ${megabytes} MB of memory`,
          'memory',
        ),
      );
    }
    const now = performance.now();
    if (usage.cpuTicks !== this.#progress.cpuTicks) {
      this.#progress = { cpuTicks: usage.cpuTicks, at: now };
    } else if (now - this.#progress.at >= stallMs) {
      this.#lose(new PageLostError('hung', `the page used no processor time for ${stallMs} ms`));
    }
  }

  /** Counts the time without progress from now on: this process itself did not run. */
  forgetProgress(): void {
    this.#progress = { cpuTicks: -1, at: 0 };
  }

  /** Closes the page. One that may hang is killed: closing alone would wait for it. */
  close(end: PageEnd): void {
    if (this.pid !== undefined && ['hung', 'memory', 'abandoned'].includes(end)) {
      try {
        process.kill(this.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
    this.#context.close().catch(() => {});
  }

  get #address(): string {
    return `${origin}/${this.assetsHash}/index.html`;
  }

  async #print(job: ConversionJob): Promise<Buffer> {
    this.#job = job;
    if (job.media !== this.#media) {
      await this.#send('Emulation.setEmulatedMedia', { media: job.media });
      this.#media = job.media;
    }
    if (job.assetsHash !== this.assetsHash || this.#leavesState) {
      await this.#navigate(job.assetsHash);
    }
    const parts = partsOf(job.html);
    if (parts?.head !== this.#head || !(await this.#replaceBody(parts))) {
      const isPlain = await this.#write(job.html);
      if (!isPlain && !this.#isNew) {
        // It would take over as well as leave: it gets a document object of its own.
        await this.#navigate(job.assetsHash);
        await this.#write(job.html);
      }
      this.#isNew = false;
      this.#leavesState = !isPlain;
      this.#head = parts?.head ?? '';
    }
    // A missing resource is not requested again by the same document object.
    this.#leavesState ||= this.#missing.length > 0;
    this.#expectToBeHere();
    if (job.failOnMissingAsset && this.#missing.length > 0) {
      throw new UnprintableError(409, `Chromium failed to load resources: ${this.#missing.join(', ')}`);
    }
    if (job.settings.printBackground !== true) {
      await this.#send('Runtime.evaluate', { expression: withoutBackground });
      this.#head = '';
    }
    const { data } = await this.#send('Page.printToPDF', { ...job.settings, transferMode: 'ReturnAsBase64' });
    this.#expectToBeHere();
    this.printed += 1;
    return Buffer.from(data, 'base64');
  }

  async #navigate(assetsHash: string): Promise<void> {
    this.assetsHash = assetsHash;
    this.#head = '';
    await this.#loaded(() => this.#send('Page.navigate', { url: this.#address }));
    this.#isNew = true;
  }

  /** Writes a document into the page, with its fonts. @returns whether it leaves nothing to the next one. */
  async #write(html: string): Promise<boolean> {
    this.#missing = [];
    await this.#loaded(() => this.#send('Page.setDocumentContent', { frameId: this.#frameId, html }));
    const { result } = await this.#send('Runtime.evaluate', { expression: waitForFonts, awaitPromise: true });
    return result.value === true;
  }

  /** Gives the page another title and body; fonts and style of the head stay. @returns whether it is as if it had been written. */
  async #replaceBody({ title, body }: DocumentParts): Promise<boolean> {
    this.#missing = [];
    const expression = `(${replaceBody})(${JSON.stringify(title)}, ${JSON.stringify(body)})`;
    const { result } = await this.#send('Runtime.evaluate', { expression, awaitPromise: true });
    return result.value === true;
  }

  #expectToBeHere(): void {
    if (this.#navigatedAway) {
      throw new PageLostError('navigated', 'the document has navigated the page away');
    }
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

  #answer(requestId: string, url: string, type: string): void {
    const prefix = `${origin}/${this.assetsHash}/`;
    const name = url.startsWith(prefix) ? nameIn(url.slice(prefix.length)) : undefined;
    const asset = name === 'index.html' ? blank : this.#job?.assets.get(name ?? '');
    // What a document only requests may arrive while the next one is printed.
    if (!asset && !['Prefetch', 'Ping'].includes(type) && !url.endsWith('/favicon.ico')) {
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
      // Chromium's own words for what no other page could print either; every other failure is the page's, `Printing failed`
      // included: a tab that crashes says so.
      const words =
        /(page range|invalid print parameters|content area is empty|paper (?:width|height)|margin)[^\n]*/i.exec(
          message,
        );
      if (method === 'Page.printToPDF' && words) {
        throw new UnprintableError(400, `Chromium cannot print: ${words[0]}`);
      }
      throw new PageLostError('failed', message, { cause });
    }
  };
}

/** In pixels of CSS. As wide as A4: a line of print breaks into no more lines on the screen. */
const screen = { width: 794, height: 8 };

async function contextIds(devTools: CDPSession): Promise<string[]> {
  return (await devTools.send('Target.getBrowserContexts')).browserContextIds;
}

/** Opens a page that draws a frame only when DevTools requests one, which nothing does: a print needs none. */
async function openPage(
  context: BrowserContext,
  devTools: CDPSession,
  browserContextId: string,
): Promise<Page> {
  const [page] = await Promise.all([
    context.waitForEvent('page'),
    devTools.send('Target.createTarget', {
      url: 'about:blank',
      ...screen,
      browserContextId,
      enableBeginFrameControl: true,
    }),
  ]);
  return page;
}

const blank = { contentType: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>') };

/**
 * Reading a size lays the document out, and only layout determines which fonts are needed. DevTools may evaluate this although
 * the document's own scripts are off. When all fonts are there already, nothing is waited for: the promise alone would
 * cost a frame. It is true for a plain document: what `<meta>` sets, and what Chromium parsed in quirks mode, is of the
 * document object, which the documents of a page share until it navigates.
 */
const waitForFonts = `(() => {
  void document.documentElement?.offsetHeight;
  const isPlain = document.compatMode === 'CSS1Compat' && !document.querySelector('meta[http-equiv], meta[name]');
  return document.fonts.status === 'loaded' ? isPlain : document.fonts.ready.then(() => isPlain);
})()`;

/** The root stays: where something moves, it may move from the style of the document before. */
const replaceBody = `async (title, body) => {
  document.title = title;
  document.body.innerHTML = body;
  const isPlain = await ${waitForFonts};
  return isPlain && [...document.images].every(({ complete }) => complete) && document.getAnimations().length === 0;
}`;

/** Without printBackground, Gotenberg leaves out the background of the page alone, and prints all colors as they are. */
const withoutBackground = `(() => {
  const style = document.createElement('style');
  style.textContent =
    'html { print-color-adjust: exact !important } html, body { background: none !important }';
  document.head.append(style);
})()`;

function nameIn(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replace(/[?#].*$/s, ''));
  } catch {
    return undefined;
  }
}
