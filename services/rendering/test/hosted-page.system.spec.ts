import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DocumentState } from '@pinkas/contracts';
import { compact, pdfInfo, pdfText } from '@pinkas/testkit/pdf';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { hostedPage } from '../src/document/hosted-page.js';
import { type Sheet } from '../src/document/sheet.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { lines, longLines, mixedText, sampleLogo, sheetIn } from './gallery/cases.js';
import { launchBrowser } from './page-browser.js';

/** Screenshots are left here, to be looked at. */
const shots = fileURLToPath(new URL('../../../.pinkas/screenshots/', import.meta.url));
const address = 'https://view.test/v/1';
const pdfUrl = 'https://view.test/p/1';
const phone = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const screens: Record<string, BrowserContextOptions> = {
  phone,
  'phone in the dark': { ...phone, colorScheme: 'dark' },
  desktop: { viewport: { width: 1280, height: 900 } },
  'desktop in the dark': { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
};
const sheets: Record<string, (language: 'he' | 'en') => Sheet> = {
  'an invoice with a logo': (language) =>
    sheetIn(language, 'tax_invoice', {
      logo: sampleLogo,
      allocationNumber: '123456789',
      business: { accent_color: '#767676' },
    }),
  'a receipt in every script': (language) =>
    sheetIn(language, 'receipt', { document: { title: mixedText, notes: mixedText } }),
  'a cancelled order': (language) => sheetIn(language, 'order', { cancelledAt: '2026-03-09T22:30:00.000Z' }),
  'long lines': (language) => sheetIn(language, 'quote', { document: { items: longLines().slice(0, 12) } }),
};

/** The policy that the page promises to need no more than; the gateway sends the same. */
function policyOf(html: string): string {
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; font-src data:; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
}

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe('the hosted page in a browser', () => {
  const typeface = loadTypeface();
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  const requested: string[] = [];
  const complaints: string[] = [];
  beforeAll(async () => {
    await mkdir(shots, { recursive: true });
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    requested.length = 0;
    complaints.length = 0;
  });

  /** Opens a sheet's page as the gateway serves it, in the language that its address asks for. */
  async function open(sheet: Sheet, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const state: DocumentState = {
      status: sheet.cancelledAt === null ? 'open' : 'cancelled',
      paid: 500,
      allocation_number: sheet.allocationNumber,
      cancelled_at: sheet.cancelledAt,
    };
    const fingerprints = { revision: 2, file: 'ab'.repeat(32), certificate: 'cd'.repeat(32) };
    await context.route('**/*', (route) => {
      const url = new URL(route.request().url());
      requested.push(url.href);
      if (`${url.origin}${url.pathname}` !== address) {
        return route.abort();
      }
      const language = url.searchParams.get('lang');
      const asking = language === 'he' || language === 'en' ? { language: language as 'he' | 'en' } : {};
      const shown = { ...sheet, output: 'copy', ...asking } as const;
      const body = hostedPage(shown, { state, pdfUrl, fingerprints }, typeface);
      return route.fulfill({
        contentType: 'text/html; charset=utf-8',
        headers: { 'content-security-policy': policyOf(body) },
        body,
      });
    });
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(address, { waitUntil: 'load' });
    return page;
  }

  /** What axe-core finds against WCAG 2.2 AA, as half sentences. */
  async function barriers(page: Page): Promise<string[]> {
    await page.evaluate(await readFile(axe, 'utf8'));
    const { violations } = await page.evaluate<{
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    }>(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary.slice(0, 200)}`),
    );
  }

  describe.each(['he', 'en'] as const)('in %s', (language) => {
    const looks = Object.keys(sheets).flatMap((what, index) =>
      Object.keys(screens)
        .filter((screen) => index === 0 || screen === 'phone')
        .map((screen) => ({ what, screen })),
    );
    it.each(looks)(
      'the page is accessible and needs no horizontal scrolling: $what on a $screen',
      async ({ what, screen }) => {
        const page = await open(sheets[what]?.(language) as Sheet, screens[screen]);
        const name = `${what} ${screen} ${language}`.replaceAll(' ', '-');
        await page.screenshot({ path: `${shots}${name}.png`, fullPage: true });
        expect(await barriers(page)).toEqual([]);
        const [content, width] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, window.innerWidth]',
        );
        expect(content).toBeLessThanOrEqual(width);
        if (what !== 'long lines') {
          const [sheet, paper] = await page.evaluate<[number, number]>(
            `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('main'))`,
          );
          expect(sheet).toBeLessThanOrEqual(paper);
        }
        // No letter is smaller than can be read at arm's length.
        const smallest = await page.evaluate<number>(
          `Math.min(...[...document.querySelectorAll('main *')].filter((element) => element.textContent.trim() && element.getClientRects().length).map((element) => parseFloat(getComputedStyle(element).fontSize)))`,
        );
        expect(smallest).toBeGreaterThanOrEqual(12);
      },
    );
  });

  it('the page requests nothing but itself, and violates no rule of its policy', async () => {
    await open(sheets['an invoice with a logo']?.('he') as Sheet);
    expect(requested.filter((url) => !url.endsWith('/favicon.ico'))).toEqual([address]);
    expect(complaints).toEqual([]);
  });

  it('the page shows its own fonts', async () => {
    const page = await open(sheetIn('he', 'receipt'));
    expect(
      await page.evaluate(
        `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family, weight }) => family + weight).sort()`,
      ),
    ).toEqual(['Heebo400', 'Heebo700']);
  });

  it('the language, the file and printing work without scripts', async () => {
    const page = await open(sheetIn('he', 'receipt'), { javaScriptEnabled: false });
    await expect(page.locator('html').getAttribute('dir')).resolves.toBe('rtl');
    const links = page.locator('nav a');
    expect(await Promise.all((await links.all()).map((link) => link.getAttribute('href')))).toEqual([
      `${pdfUrl}?download=1`,
      pdfUrl,
      '?lang=en',
    ]);
    await page.getByText('English', { exact: true }).click();
    await page.waitForURL(`${address}?lang=en`);
    await expect(page.locator('html').getAttribute('lang')).resolves.toBe('en');
    await expect(page.locator('h1').textContent()).resolves.toBe('Receipt');
    // What the law prescribes stays in Hebrew next to the English, and what a person wrote stays as it is.
    await expect(page.locator('.marks').textContent()).resolves.toContain('העתק');
    await expect(page.locator('.customer .name').textContent()).resolves.toBe('לקוח לדוגמה בע"מ');
    await page.getByText('עברית', { exact: true }).click();
    await page.waitForURL(`${address}?lang=he`);
  });

  it('every link is reached in order with the keyboard, and its focus is visible', async () => {
    const page = await open(sheetIn('en', 'receipt'));
    const reached: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate<string>(
          `document.activeElement.textContent + ' ' + getComputedStyle(document.activeElement).outlineStyle`,
        ),
      );
    }
    expect(reached).toEqual(['Download the signed PDF solid', 'Print solid', 'עברית solid']);
  });

  it('the page shows the whole fingerprints from left to right', async () => {
    const page = await open(sheetIn('he', 'receipt'), phone);
    const codes = page.locator('code');
    expect(await codes.allTextContents()).toEqual(['ab'.repeat(32), 'cd'.repeat(32)]);
    expect(await codes.first().getAttribute('dir')).toBe('ltr');
  });

  it.each([45.5, 98_765.43, 1_234_567.89, 88_888_888_888.88])(
    'figures are aligned for a total of %s',
    async (total) => {
      const totals = { subtotal: 1, discount: 0, vat: 0, vat_rate: 18, total, currency: 'ILS' } as const;
      const sheet = sheetIn('he', 'tax_invoice_receipt', { document: { totals } });
      const page = await open(sheet, { viewport: { width: 1280, height: 900 } });
      const ends = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.items td:last-child bdi, .totals td bdi, .payments td:last-child bdi')].map((figure) => Math.round(figure.getBoundingClientRect().right))`,
      );
      expect(ends.length).toBeGreaterThan(7);
      expect(new Set(ends).size).toBe(1);
    },
  );

  it.each(['he', 'en'] as const)(
    'the details of a line begin where the line begins, in any direction (%s)',
    async (language) => {
      const descriptions = ['תיאור ארוך '.repeat(6), 'A long description '.repeat(4), 'وصف طويل '.repeat(6)];
      const items = descriptions.flatMap((description) =>
        lines(1, { sku: 'X'.repeat(40) }).map((line) => ({ ...line, description })),
      );
      const page = await open(sheetIn(language, 'quote', { document: { items } }), phone);
      const begins = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.items td.what')].flatMap((cell) => ['span', 'small'].map((name) => cell.querySelector(name)).map((part) => {
          const { left, right } = part.getBoundingClientRect();
          return Math.round(document.dir === 'rtl' ? right : left);
        }))`,
      );
      expect(begins).toHaveLength(6);
      expect(new Set(begins).size).toBe(1);
    },
  );

  it('the page prints as the sheet alone on A4, light, with the word across it where it is cancelled', async () => {
    const page = await open(sheets['a cancelled order']?.('he') as Sheet, { colorScheme: 'dark' });
    const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
    const text = await pdfText(pdf);
    expect((await pdfInfo(pdf))['Page size']).toContain('(A4)');
    expect((await pdfInfo(pdf)).Pages).toBe('1');
    expect(text).toContain(compact('הזמנה'));
    expect(text).not.toContain(compact('הורדת'));
    expect(text).not.toContain('abab');
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(`getComputedStyle(document.querySelector('main')).backgroundColor`)).toBe(
      'rgb(255, 255, 255)',
    );
  });
});
