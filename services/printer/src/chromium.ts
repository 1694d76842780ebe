import { type Browser, type CDPSession, chromium } from 'playwright-core';
import type { SandboxMode } from './config.js';
import { readUsage } from './process-usage.js';
import { WarmPage } from './warm-page.js';

/** The longest wait for Chromium to start. */
const startTimeoutMs = 30_000;

/** What {@link Chromium.start} needs. */
export interface ChromiumOptions {
  /** Absolute path of the program. */
  readonly path: string;
  readonly sandbox: SandboxMode;
}

/**
 * `--enable-begin-frame-control` lets {@link WarmPage} draw nothing on a screen, which would be about a third of the work; what
 * is left of it is in one process by `--in-process-gpu`. The resolver rule is the second lock on the network, behind the interception of every request. Without its windows
 * Chromium aligns glyphs to whole pixels unless hinting is off, which would leave gaps within printed words.
 */
const flags = [
  '--disable-gpu',
  '--font-render-hinting=none',
  '--in-process-gpu',
  '--enable-begin-frame-control',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // The second lock on scripts, behind the context's own; DevTools may evaluate all the same.
  '--blink-settings=scriptEnabled=false',
];

/** Chromium's words where the kernel, or the user, allows no sandbox. */
const noSandbox = /sandboxing failed|no usable sandbox|running as root/i;

/** One running Chromium. */
export class Chromium {
  /** How many of its pages are open. */
  pages = 0;
  readonly #browser: Browser;
  readonly #renderers = new Set<number>();
  #session: Promise<CDPSession> | undefined;

  private constructor(
    browser: Browser,
    /** Whether its pages are isolated by its sandbox. */
    readonly isSandboxed: boolean,
  ) {
    this.#browser = browser;
  }

  /** @throws Error when it does not start, or cannot have the sandbox that is required. */
  static async start({ path, sandbox }: ChromiumOptions): Promise<Chromium> {
    if (sandbox !== 'off') {
      try {
        return new Chromium(await launch(path, true), true);
      } catch (cause) {
        if (sandbox === 'required' || !noSandbox.test(String(cause))) {
          throw cause;
        }
      }
    }
    return new Chromium(await launch(path, false), false);
  }

  get version(): string {
    return this.#browser.version();
  }

  get isConnected(): boolean {
    return this.#browser.isConnected();
  }

  whenDisconnected(then: () => void): void {
    this.#browser.once('disconnected', then);
  }

  /** Opens a page in a context, and so in a process, of its own. Pages must be opened one after the other. */
  async openPage(): Promise<WarmPage> {
    const page = await WarmPage.open(this.#browser, await this.#devTools());
    const unknown = (await this.#processIds('renderer')).filter((pid) => !this.#renderers.has(pid));
    for (const pid of unknown) {
      this.#renderers.add(pid);
    }
    page.pid = unknown.length === 1 ? unknown[0] : undefined;
    return page;
  }

  /** The memory of all of its processes, in bytes, without what they share. */
  async memoryBytes(): Promise<number> {
    const usages = (await this.#processIds()).map((pid) => readUsage(pid)?.privateBytes ?? 0);
    return usages.reduce((sum, bytes) => sum + bytes, 0);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  #devTools(): Promise<CDPSession> {
    this.#session ??= this.#browser.newBrowserCDPSession();
    return this.#session;
  }

  async #processIds(type?: string): Promise<number[]> {
    const { processInfo } = await (await this.#devTools()).send('SystemInfo.getProcessInfo');
    return processInfo.filter((info) => type === undefined || info.type === type).map(({ id }) => id);
  }
}

function launch(executablePath: string, chromiumSandbox: boolean): Promise<Browser> {
  return chromium.launch({
    executablePath,
    chromiumSandbox,
    args: flags,
    timeout: startTimeoutMs,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}
