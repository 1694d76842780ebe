import { setTimeout as delay } from 'node:timers/promises';
import { documentTypes } from '@pinkas/domain';
import { findBinary } from '@pinkas/local-stack/servers';
import { type BrowserContext, chromium } from 'playwright-core';
import { type Issuer, newIssuer } from './callers.js';
import { fillBook } from './filled-book.js';
import { timed } from './lanes.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const people = 20;
const measuredMs = 30_000;
const warmUpMs = 5_000;
/** How long a person looks at a page. */
const thinkMs = 1_000;
const pageTimeoutMs = 20_000;
const bytesPerKb = 1_024;
const documents = 10_000;
const types = documentTypes.filter((type) => type !== 'quote').slice(0, 8);
/** What the book has copies of. */
const quote = {
  type: 'quote',
  customer: { name: 'לקוח למדידה', tax_id: '777777723', city: 'ירושלים' },
  items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
};

/** What a page of the console weighs, and how long people wait for pages who use it at the same time. */
export async function measureConsole(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const issuer = await newIssuer(stack);
  progress(`writing ${documents} documents …`);
  const documentId = await fillBook(stack, issuer, { body: quote, types, documents }, progress);
  const email = 'measured-owner@pinkas.localhost';
  await stack.pinkas('person', 'invite', email, '--business', issuer.business.id, '--role', 'owner');
  progress(`signing ${people} browsers in …`);
  const sessions: Session[] = [];
  for (let person = 0; person < people; person += 1) {
    const { url } = await stack.pinkas('person', 'link', email);
    sessions.push(await Session.start(url));
  }
  const firstPageKb = await measureFirstPage(stack, issuer, email);

  const root = `/b/${issuer.business.id}`;
  const paths = [
    ...['', '/documents', `/documents/${documentId}`, '/documents?q=order-77', '/customers'],
    ...['/business', '/connection', '/people', '/exports', '/trail'],
  ].map((path) => `${root}${path}`);
  const use = async (durationMs: number): Promise<number[]> => {
    const until = performance.now() + durationMs;
    const waits = await Promise.all(
      sessions.map(async (session, index) => {
        // People do not begin at the same moment.
        await delay((index * thinkMs) / people);
        const own: number[] = [];
        for (let turn = index; performance.now() < until; turn += 1) {
          own.push(await timed(() => session.open(paths[turn % paths.length] ?? root)));
          await delay(thinkMs);
        }
        return own;
      }),
    );
    return waits.flat();
  };
  progress('warming up …');
  await use(warmUpMs);
  progress(`${people} people open a page a second …`);
  const waits = await use(measuredMs);
  return [
    figure(
      'console_first_page_kb',
      firstPageKb,
      'of the first page after signing in with style, script and typeface, as it comes over the wire, in KB',
    ),
    figure(
      'console_page_p50_ms',
      percentile(waits, 0.5),
      `a page of the console while ${people} people open one a second each, in a book of ${documents} documents: median`,
    ),
    figure('console_page_p99_ms', percentile(waits, 0.99), '99th percentile'),
  ];
}

/** A signed-in browser, without what a browser costs. */
class Session {
  readonly #cookies = new Map<string, string>();

  private constructor(readonly origin: string) {}

  static async start(link: string): Promise<Session> {
    const { origin, pathname } = new URL(link);
    const session = new Session(origin);
    const page = await (await session.#request(pathname)).text();
    const token = /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const answer = await session.#request(pathname, new URLSearchParams({ _csrf: token }));
    if (answer.status !== 303) {
      throw new Error(`signing in is answered with ${answer.status}`);
    }
    return session;
  }

  async open(path: string): Promise<void> {
    const response = await this.#request(path);
    const text = await response.text();
    if (response.status !== 200 || !text.includes('</main>')) {
      throw new Error(`${path} is answered with ${response.status}`);
    }
  }

  async #request(path: string, body?: URLSearchParams): Promise<Response> {
    const response = await fetch(`${this.origin}${path}`, {
      ...(body && { method: 'POST', body }),
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
      signal: AbortSignal.timeout(pageTimeoutMs),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

/** What a browser with an empty cache loads of the first page. */
async function measureFirstPage(stack: BenchStack, issuer: Issuer, email: string): Promise<number> {
  const executablePath = findBinary('chromium-headless-shell');
  if (executablePath === null) {
    throw new Error('Chromium is not on the PATH');
  }
  const { url } = await stack.pinkas('person', 'link', email);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ locale: 'he-IL' });
    const page = await context.newPage();
    page.setDefaultTimeout(pageTimeoutMs);
    await page.goto(url);
    await page.locator('main form button').click();
    await page.waitForURL(`**/b/${issuer.business.id}`);
    return await bytesOf(context, page.url());
  } finally {
    await browser.close();
  }
}

async function bytesOf(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  let bytes = 0;
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await cdp.send('Network.enable');
  await cdp.send('Network.clearBrowserCache');
  await page.goto(url, { waitUntil: 'networkidle', timeout: pageTimeoutMs });
  return bytes / bytesPerKb;
}
