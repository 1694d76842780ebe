import { createHash } from 'node:crypto';
import { findBinary } from '@pinkas/local-stack/servers';
import { eventually } from '@pinkas/testkit';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { RunningStack } from './running-stack.js';

/** How a person looks at the console. */
export interface View {
  readonly language: 'he' | 'en';
  readonly width: number;
  readonly height: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly withoutScripts?: boolean;
  /** For tools that add scripts of their own; the policy of the pages is not checked then. */
  readonly withoutPolicy?: boolean;
}

export const phone: View = { language: 'he', width: 360, height: 740 };
export const desktop: View = { language: 'en', width: 1280, height: 900 };

/** Longer than the slowest page, which waits for the tax authority. */
const pageTimeoutMs = 40_000;

/** The machine's Chromium, as the local stack finds it. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findBinary('chromium-headless-shell');
  if (executablePath === null) {
    throw new Error('Chromium is not on the PATH');
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A person in a browser of their own, who uses the console of a running stack. */
export class ConsoleVisitor {
  /** What the browser has reported: errors, warnings, and violations of the policy. */
  readonly problems: string[] = [];
  readonly #expectedFailures = new Set<string>();

  private constructor(
    readonly stack: RunningStack,
    readonly origin: string,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  /** Opens a browser in which no one is signed in. */
  static async open(stack: RunningStack, browser: Browser, view: View): Promise<ConsoleVisitor> {
    const { console_url: origin } = await stack.file();
    const context = await browser.newContext({
      locale: view.language === 'he' ? 'he-IL' : 'en-GB',
      viewport: { width: view.width, height: view.height },
      colorScheme: view.colorScheme ?? 'light',
      javaScriptEnabled: view.withoutScripts !== true,
      bypassCSP: view.withoutPolicy === true,
    });
    context.setDefaultTimeout(pageTimeoutMs);
    const visitor = new ConsoleVisitor(stack, origin, context, await context.newPage());
    context.on('weberror', (error) => visitor.problems.push(error.error().message));
    context.on('console', (line) => {
      const { url } = line.location();
      if (['error', 'warning'].includes(line.type()) && !visitor.#expectedFailures.has(url)) {
        visitor.problems.push(`${url}: ${line.text()}`);
      }
    });
    return visitor;
  }

  /** Signs a person in by a link that the operator prints. */
  async signIn(email: string): Promise<void> {
    this.stack.recordPersonalData({ email });
    const { url } = await this.stack.pinkas<{ url: string }>('person', 'link', email);
    await this.page.goto(url);
    await this.press('main form[action^="/sign-in/link/"]');
  }

  /** Loads a page. @throws when its status is another. */
  async visit(path: string, status = 200): Promise<void> {
    const url = new URL(path, this.origin).href;
    if (status >= 400) {
      this.#expectedFailures.add(url);
    }
    const response = await this.page.goto(url);
    if (response?.status() !== status) {
      throw new Error(`${path} has the status ${response?.status()}, not ${status}: ${await this.text()}`);
    }
  }

  /** Opens what an element is hidden in: the menu of a narrow page, or that of the acts of a document. */
  async #unfold(selector: string): Promise<void> {
    const menus = this.page
      .locator(selector)
      .first()
      .locator('xpath=ancestor::details[not(@open)]/summary >> visible=true');
    if ((await menus.count()) > 0) {
      await menus.first().click();
    }
  }

  /** Follows a link of the page, also one in a menu. */
  async follow(link: string): Promise<void> {
    await this.#unfold(link);
    await this.page.click(link);
  }

  /** Presses the button of a form, also one in a menu, and waits for the page that it leads to. */
  async press(form: string, button = 'button'): Promise<void> {
    await this.#unfold(`${form} ${button}`);
    await this.page.locator(`${form} ${button}`).first().click();
    await this.page.waitForLoadState('load');
  }

  /** Sends a form whose page is an answer with an error. */
  async pressForStatus(form: string, status: number, button = 'button'): Promise<void> {
    // A form may lead to a page that has the error.
    const answered = this.page.waitForResponse(
      (response) =>
        response.request().isNavigationRequest() &&
        response.frame() === this.page.mainFrame() &&
        Math.trunc(response.status() / 100) !== 3,
    );
    const action = await this.page.locator(form).first().getAttribute('action');
    this.#expectedFailures.add(new URL(action ?? '', this.origin).href);
    await this.press(form, button);
    const response = await answered;
    if (response.status() !== status) {
      throw new Error(`${action} has the status ${response.status()}, not ${status}`);
    }
    this.#expectedFailures.add(response.url());
    const others = this.problems.filter((problem) => !problem.startsWith(`${response.url()}: `));
    this.problems.splice(0, this.problems.length, ...others);
  }

  /** The words of the page. */
  text(): Promise<string> {
    return this.page.locator('main').innerText();
  }

  /** What the page tells that was done; empty: nothing. */
  async done(): Promise<string> {
    return (await this.page.locator('.notice.done').allInnerTexts()).join();
  }

  /** The path of the page, with its query. */
  path(): string {
    const { pathname, search } = new URL(this.page.url());
    return `${pathname}${search}`;
  }

  /** Loads the page again until it has an element. */
  async awaitElement(selector: string): Promise<void> {
    await eventually(`${this.path()} has ${selector}`, async () => {
      if ((await this.page.locator(selector).count()) > 0) {
        return true;
      }
      await this.page.reload();
      return false;
    });
  }

  /** The bytes behind an address of the console, with the cookies of this browser. */
  async download(path: string): Promise<{ status: number; sha256: string; mediaType: string }> {
    const response = await this.context.request.get(new URL(path, this.origin).href);
    const bytes = await response.body();
    return {
      status: response.status(),
      sha256: createHash('sha256').update(bytes).digest('hex'),
      mediaType: response.headers()['content-type'] ?? '',
    };
  }

  /** Sends a form of the page twice at once, as a person does who is impatient. @returns the two statuses. */
  sendTwice(form: string): Promise<number[]> {
    return this.page.evaluate(`(async () => {
      const form = document.querySelector(${JSON.stringify(form)});
      const send = async () =>
        (await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })).status;
      return Promise.all([send(), send()]);
    })()`) as Promise<number[]>;
  }

  /** How far the page is wider than the window, in pixels. */
  overflow(): Promise<number> {
    return this.page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    ) as Promise<number>;
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
