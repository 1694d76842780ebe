import { randomUUID } from 'node:crypto';
import { findBinary } from '@pinkas/local-stack/servers';
import { type Browser, chromium } from 'playwright-core';
import { Caller, newIssuer } from './callers.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const visits = 30;
const visitTimeoutMs = 20_000;
const bytesPerKb = 1_024;

/** What a visitor's browser loads of a document's page, and when it first shows something. */
export async function measurePage(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const { key } = await newIssuer(stack);
  const caller = new Caller(stack.file.base_url, key);
  const items = Array.from({ length: 10 }, (_, index) => ({
    description: `שירות לדוגמה מספר ${index + 1}`,
    quantity: 2,
    unit_price: 100,
  }));
  const body = { type: 'tax_invoice', customer: { name: 'לקוח למדידה' }, items };
  const answer = await caller.call(201, '/documents', { body, headers: { 'idempotency-key': randomUUID() } });
  caller.close();
  const url = (JSON.parse(answer) as { view_url: string }).view_url;

  progress(`${visits} visits of a page, each as a new visitor …`);
  const executablePath = findBinary('chromium-headless-shell');
  if (executablePath === null) {
    throw new Error('Chromium is not on the PATH');
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const seen: { bytes: number; paintedMs: number }[] = [];
    for (let visit = 0; visit < visits; visit += 1) {
      seen.push(await visitPage(browser, url));
    }
    return [
      figure(
        'page_kb',
        percentile(
          seen.map((item) => item.bytes / bytesPerKb),
          0.5,
        ),
        'of the page of a document of 10 lines with all that it loads, as it comes over the wire, in KB',
      ),
      figure(
        'page_fcp_ms',
        percentile(
          seen.map((item) => item.paintedMs),
          0.5,
        ),
        'until a new visitor sees something of it (first contentful paint), median',
      ),
    ];
  } finally {
    await browser.close();
  }
}

async function visitPage(browser: Browser, url: string): Promise<{ bytes: number; paintedMs: number }> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    let bytes = 0;
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await cdp.send('Network.enable');
    await page.goto(url, { waitUntil: 'load', timeout: visitTimeoutMs });
    const painted = await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      undefined,
      { timeout: visitTimeoutMs },
    );
    return { bytes, paintedMs: (await painted.jsonValue()) ?? Number.NaN };
  } finally {
    await context.close();
  }
}
