import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fields, loadTypeface, PdfService, type RenderedArtifact, Signers } from '@pinkas/rendering';
import { createLogger, Metrics, systemClock } from '@pinkas/service-kit';
import { readConfig } from '@pinkas/service-kit/config';
import { Diagnosis } from '@pinkas/service-kit/diagnosis';
import { createSelfSignedP12 } from '@pinkas/simulators';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../harness/console-visitor.js';
import type { RunningStack } from '../../harness/running-stack.js';
import { fillBook } from '../book-of-copies.js';
import { callersOf, closedLoop, invoice, perSecond, timed } from '../driver.js';
import { measuredSheet } from '../measured-invoice.js';
import { figure, latencies, median, progress, type Row } from '../report.js';
import type { ScenarioOptions, StartSystem } from '../scenarios.js';

const pageTimeoutMs = 20_000;
const bytesPerKb = 1_024;

const linesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    description: `שירות לדוגמה מספר ${index + 1}`,
    quantity: 2,
    unit_price: 100,
  }));

/** What printing and signing cost by the length of the document, and how large its PDF is. */
export async function measureDocuments(start: StartSystem): Promise<Row[]> {
  /** How many documents of so many lines are printed, one at a time. */
  const samples = [
    [1, 60],
    [10, 60],
    [100, 25],
  ] as const;
  const lanes = 8;
  const warmUpMs = 5_000;
  const laneMs = 7_000;
  const stack = await start();
  const { business } = await stack.newIssuer();
  const pdfs = await openPdfService(stack);
  const print = (lines: number) => {
    const items = linesOf(lines).map((item, index) => ({ ...item, sku: `SKU-${index + 1}` }));
    return pdfs.render(measuredSheet(business, items));
  };

  progress('printing documents …');
  await closedLoop({ lanes, forMs: warmUpMs }, () => print(10));
  const rows: Row[] = [];
  for (const [lines, times] of samples) {
    const printed: RenderedArtifact[] = [];
    await closedLoop({ times }, async () => printed.push(await print(lines)));
    const renderMs = printed.map((item) => item.renderMs);
    const signMs = printed.map((item) => item.signMs);
    const kb = (printed[0]?.pdf.length ?? Number.NaN) / bytesPerKb;
    // The usual length has the plain name.
    const suffix = lines === 10 ? '' : `_${lines}`;
    rows.push(
      ...latencies(`render_*_ms_${lines}`, renderMs, `printing a document of ${lines} lines, one at a time`),
      ...latencies(`sign_*_ms${suffix}`, signMs, 'writing and signing it'),
      figure(`pdf_kb_${lines}`, kb, 'its signed PDF, in KB'),
    );
  }
  const load = await closedLoop({ lanes, forMs: laneMs }, () => print(10));
  await pdfs.stop();
  const words = `documents of 10 lines printed and signed a second, ${lanes} at once`;
  return [...rows, figure('renders_per_s_10', perSecond(load), words)];
}

/** The PdfService of the rendering service, in this process, over the renderer of the measured system. */
async function openPdfService(stack: RunningStack): Promise<PdfService> {
  const { nats_url, postgres, simulators } = await stack.file();
  const password = randomUUID();
  const file = join(stack.home, 'measured.p12');
  await writeFile(file, await createSelfSignedP12({ commonName: 'Example Operator', password, years: 1 }));
  const config = readConfig(fields, {
    NATS_URL: nats_url,
    DATABASE_URL: postgres.rendering,
    HEALTH_PORT: '0',
    GOTENBERG_URL: simulators.gotenberg,
    SIGNING_P12_FILE: file,
    SIGNING_P12_PASSWORD: password,
    VIEW_URL_BASE: 'https://pinkas.example.com/d',
    RENDER_TIMEOUT_MS: '20000',
  });
  const logger = createLogger('bench', 'silent');
  const metrics = new Metrics();
  const signers = await Signers.open(config, { clock: systemClock, logger, metrics });
  return new PdfService(
    config,
    loadTypeface(),
    signers,
    systemClock,
    logger,
    metrics,
    new Diagnosis('bench'),
  );
}

/** What a visitor's browser loads of a document's page, and when it first shows something. */
export async function measurePage(start: StartSystem): Promise<Row[]> {
  const visits = 30;
  const caller = (await callersOf(await start(), 1))(0);
  const { view_url } = JSON.parse(await caller.post(201, { ...invoice, items: linesOf(10) }));
  progress(`${visits} visits of a page, each as a new visitor …`);
  const browser = await launchBrowser();
  try {
    const sizesKb: number[] = [];
    const paintedMs: number[] = [];
    for (let visit = 0; visit < visits; visit += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const received = await countBytes(page);
      await page.goto(view_url, { waitUntil: 'load', timeout: pageTimeoutMs });
      const painted = await page.waitForFunction(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
        undefined,
        { timeout: pageTimeoutMs },
      );
      paintedMs.push((await painted.jsonValue()) ?? Number.NaN);
      sizesKb.push(received.kb);
      await context.close();
    }
    return [
      figure('page_kb', median(sizesKb), 'of the page of a document of 10 lines with all that it loads, KB'),
      figure('page_fcp_ms', median(paintedMs), 'until a new visitor sees something of it, median'),
    ];
  } finally {
    await browser.close();
  }
}

/** Counts what a page loads, as it comes over the wire. */
async function countBytes(page: Page): Promise<{ kb: number }> {
  const received = { kb: 0 };
  const cdp = await page.context().newCDPSession(page);
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    received.kb += encodedDataLength / bytesPerKb;
  });
  await cdp.send('Network.enable');
  await cdp.send('Network.clearBrowserCache');
  return received;
}

/** Pages whose work could grow with the book. */
const pagesOfABook = {
  today: '',
  list: '/documents',
  list_by_total: '/documents?sort=total',
  search: '/documents?q=order-77',
  debts: '/debts',
  debts_by_document: '/debts/documents',
  report: '/reports',
};

/** What a page of the console weighs, and how long people wait for pages who use it at the same time. */
export async function measureConsole(
  start: StartSystem,
  { documents = 10_000 }: ScenarioOptions,
): Promise<Row[]> {
  const people = 20;
  const measuredMs = 30_000;
  const warmUpMs = 5_000;
  /** How long a person looks at a page. */
  const thinkMs = 1_000;
  /** How often each page that reads a book is opened alone. */
  const readings = 40;
  const stack = await start();
  progress(`writing ${documents} documents …`);
  const { issuer, documentId } = await fillBook(stack, documents);
  const root = `/b/${issuer.business.id}`;
  const email = 'measured-owner@pinkas.localhost';
  await stack.pinkas('person', 'invite', email, '--business', issuer.business.id, '--role', 'owner');
  const signInLink = async () => (await stack.pinkas<{ url: string }>('person', 'link', email)).url;
  progress(`signing ${people} browsers in …`);
  const sessions: Session[] = [];
  for (let person = 0; person < people; person += 1) {
    sessions.push(await Session.start(await signInLink()));
  }
  const firstPageKb = await firstPageKbOf(await signInLink(), root);

  const paths = [
    ...['', '/documents', `/documents/${documentId}`, '/documents?q=order-77', '/customers'],
    ...['/business', '/connection', '/people', '/exports', '/trail'],
  ];
  const use = async (durationMs: number): Promise<number[]> => {
    const until = performance.now() + durationMs;
    const waits = sessions.map(async (session, index) => {
      // People do not begin at the same moment.
      await delay((index * thinkMs) / people);
      const own: number[] = [];
      for (let turn = index; performance.now() < until; turn += 1) {
        own.push(await timed(() => session.open(`${root}${paths[turn % paths.length]}`)));
        await delay(thinkMs);
      }
      return own;
    });
    return (await Promise.all(waits)).flat();
  };
  progress('warming up …');
  await use(warmUpMs);
  progress(`${people} people open a page a second …`);
  const words = `a page of the console while ${people} people open one a second each, among ${documents} documents`;
  const rows = [
    figure('console_first_page_kb', firstPageKb, 'of the first page with all that it loads, KB'),
    ...latencies('console_page_*_ms', await use(measuredMs), words),
  ];
  for (const [name, path] of Object.entries(pagesOfABook)) {
    progress(`${name}, ${readings} times …`);
    const waits: number[] = [];
    await closedLoop({ times: readings }, async () => {
      waits.push(await timed(() => (sessions[0] as Session).open(`${root}${path}`)));
    });
    rows.push(...latencies(`console_${name}_*_ms`, waits, `${path || '/'} of the console, alone`));
  }
  return rows;
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

/** What a browser with an empty cache loads of the first page after signing in, with style, script and typeface. */
async function firstPageKbOf(link: string, root: string): Promise<number> {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ locale: 'he-IL' });
    context.setDefaultTimeout(pageTimeoutMs);
    const first = await context.newPage();
    await first.goto(link);
    await first.locator('main form button').click();
    await first.waitForURL(`**${root}`);
    const page = await context.newPage();
    const received = await countBytes(page);
    await page.goto(first.url(), { waitUntil: 'networkidle' });
    return received.kb;
  } finally {
    await browser.close();
  }
}
