import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DocumentState } from '@pinkas/contracts';
import { documentTypeRules } from '@pinkas/domain';
import { findBinary } from '@pinkas/local-stack/servers';
import { GotenbergClient, hostedPage, loadTypeface, renderSheet, type Typeface } from '@pinkas/rendering';
import { startTestPrinter } from '@pinkas/testkit';
import { type Browser, chromium } from 'playwright-core';
import { type Case, galleryCases } from './cases.js';

/*
 * Draws every kind of document, and writes a page with all of them to look at. Run it with `npm run gallery`, or with parts
 * of names to see a few: `npm run gallery -- receipt branded`.
 */

const run = promisify(execFile);
const folder = join(process.cwd(), '.pinkas/gallery');
const dotsPerInch = 110;
const viewUrl = 'https://pinkas.example.com/d/5f0c6c1d9a3b4e7f8a2d1c0b9e8f7a6b';

/** Screens that a page is looked at on. */
const screens = [
  { name: 'phone', width: 360, height: 780, colorScheme: 'light' },
  { name: 'phone-dark', width: 320, height: 640, colorScheme: 'dark' },
  { name: 'desktop', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1280, height: 900, colorScheme: 'dark' },
] as const;

/** Draws the pages of a PDF. */
async function drawPdf(
  { name, sheet }: Case,
  gotenberg: GotenbergClient,
  typeface: Typeface,
): Promise<string[]> {
  const nonce = 'gallery';
  const { standing: _, ...printed } = sheet;
  const { file: printedFile } = await renderSheet({ ...printed, viewUrl }, nonce, typeface, (page) =>
    gotenberg.render(page, nonce, performance.now() + 30_000),
  );
  const file = join(folder, `${name}.pdf`);
  await writeFile(file, printedFile.bytes);
  await run('pdftoppm', ['-r', String(dotsPerInch), '-png', file, join(folder, name)]);
  const { stdout } = await run('pdfinfo', [file]);
  const pages = Number(/Pages:\s+(\d+)/.exec(stdout)?.[1]);
  const digits = String(pages).length;
  return Array.from({ length: pages }, (_, page) => `${name}-${String(page + 1).padStart(digits, '0')}.png`);
}

/** Draws a hosted page on every screen. */
async function drawPage({ name, sheet }: Case, browser: Browser, typeface: Typeface): Promise<string[]> {
  const state: DocumentState = {
    status: sheet.cancelledAt === null ? documentTypeRules[sheet.document.type].issuedAs : 'cancelled',
    paid: sheet.document.payments.length > 0 ? sheet.document.totals.total : 0,
    allocation_number: sheet.allocationNumber,
    cancelled_at: sheet.cancelledAt,
  };
  const fingerprints = { revision: 1, file: 'ab'.repeat(32), certificate: 'cd'.repeat(32) };
  const facts = { state, pdfUrl: 'https://example.test/p/1', fingerprints };
  const shown = { ...facts, state: { ...state, ...sheet.standing } };
  const html = hostedPage({ ...sheet, output: 'copy' }, shown, typeface);
  const drawn: string[] = [];
  for (const { name: screen, width, height, colorScheme } of screens) {
    const page = await browser.newPage({
      viewport: { width, height },
      colorScheme,
      javaScriptEnabled: false,
    });
    await page.setContent(html);
    const file = `${name}-${screen}.png`;
    await page.screenshot({ path: join(folder, file), fullPage: true });
    await page.close();
    drawn.push(file);
  }
  return drawn;
}

const wanted = process.argv.slice(2);
const cases = galleryCases().filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);
/** On screens, those that differ there. */
const onScreen =
  /^(tax-invoice|receipt|quote|number-pending|branded|cancelled|test-book|paid|balance|without-prices|mixed-scripts|how-to-pay|a-hundred-long-lines)-(he|en)$/;

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const typeface = loadTypeface();
const renderer = await startTestPrinter({ PAGES: '2' });
const gotenberg = new GotenbergClient(renderer.url, 2);
const browser = await chromium.launch({
  executablePath: findBinary('chromium-headless-shell') ?? 'chromium',
  args: ['--no-sandbox'],
});
try {
  const sections: string[] = [];
  for (const item of cases) {
    const files = [
      ...(await drawPdf(item, gotenberg, typeface)),
      ...(onScreen.test(item.name) ? await drawPage(item, browser, typeface) : []),
    ];
    const pictures = files.map((file) => `<a href="${file}"><img src="${file}" alt="${file}"></a>`).join('');
    sections.push(
      `<section><h2>${item.name} <a href="${item.name}.pdf">PDF</a></h2><div>${pictures}</div></section>`,
    );
    process.stdout.write(`${item.name}\n`);
  }
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><html lang="en">
<meta charset="utf-8">
<title>Gallery · Pinkas</title>
<style>
body{font:16px system-ui,sans-serif;margin:2rem;background:#e9ecf0}
div{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}
img{max-width:26rem;max-height:40rem;box-shadow:0 1px 4px #0004;background:#fff}
</style>
<h1>Gallery</h1>
<p><a href="emails.html">Emails</a> · <a href="console.html">Console</a></p>
${sections.join('')}
</html>`,
  );
  process.stdout.write(`${join(folder, 'index.html')}\n`);
} finally {
  await browser.close();
  gotenberg.close();
  await renderer.stop();
}
