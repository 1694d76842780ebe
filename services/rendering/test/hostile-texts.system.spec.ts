import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type IssuedDocument } from '@pinkas/contracts';
import { directionRuns, fieldDirection } from '@pinkas/domain';
import { sharedRendererUrl } from '@pinkas/testkit';
import { compact, pdfActions, pdfText } from '@pinkas/testkit/pdf';
import { isolate } from '@pinkas/ui';
import bidiFactory, { type Bidi } from 'bidi-js';
import fc from 'fast-check';
import { type Browser } from 'playwright-core';
import { hostedPage } from '../src/document/hosted-page.js';
import { type Sheet } from '../src/document/sheet.js';
import { type PdfService } from '../src/print/pdf-service.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { sheetIn } from './gallery/cases.js';
import { launchBrowser } from './page-browser.js';
import { openPdfService } from './pdf-service.js';

/** What somebody might try. None of it may be more than a text. */
const hostile = {
  'markup with a picture': '<img src="http://192.0.2.1/a.png" onerror=alert(1)>',
  'a frame of a file': '<iframe src="file:///etc/passwd"></iframe>',
  'a frame of the cloud': '<iframe src="http://169.254.169.254/latest/meta-data/"></iframe>',
  'a script': '</style></title><script>document.title="taken"</script>',
  'a way out of an attribute': '" onmouseover="alert(1)" style="background:url(//192.0.2.1)',
  'a way out of the style': '}</style><style>@import "http://192.0.2.1/a.css";*{display:none}',
  'a style in itself': 'red;background:url(http://192.0.2.1/b)',
  'a drawing': '<svg onload=alert(1)><image href="http://192.0.2.1/c.svg"/></svg>',
  'delimiters of templates': '{{7*7}} \u0024{7*7} <%= 7*7 %> #{7*7} [[7*7]]',
  'an entity': '&lt;b&gt; &#x202e; &amp;amp; &nbsp;',
  'a comment': '<!-- --> --!> ]]> <![CDATA[ ]]>',
  'a new base': '<base href="http://192.0.2.1/"><meta http-equiv=refresh content="0;url=http://192.0.2.1/">',
  'an address of a file': 'file:///etc/passwd',
} as const;
/** Its types describe a default export; Node sees the function itself. */
const bidi = (bidiFactory as unknown as () => Bidi)();
const stringsOfEach = 500;
const pageDirections = { he: 'rtl', en: 'ltr' } as const;
/** What meets in the names, addresses and item lines of documents. */
const piece = fc.oneof(
  fc.constantFrom('ישראל', 'בע"מ', 'רחוב', 'הרצל', 'שירות', 'חודשי', 'מק״ט', 'ק״ג', 'ב', 'ה-'),
  fc.constantFrom('IBM', 'Ltd.', 'iPhone', 'USB-C', 'www.example.com', 'A4', 'x', 'C++'),
  fc.constantFrom('12', '3.5', '1,250.00', '12/4', '2026-03-08', '15:30', '5-10', '100%', '₪150', '$5'),
  fc.constantFrom('-5%', '+3.5', '-10°C', '-₪150', '−7', '+972-50-123-4567', '050 123 4567', '(02) 623-4567'),
  fc.constantFrom('(', ')', '[', ']', '"', "'", ',', '.', ':', '-', '–', '/', '&', '#', '*', '!'),
);
const field = fc
  .array(fc.tuple(piece, fc.constantFrom('', ' ', ' ')), { minLength: 1, maxLength: 9 })
  .map((pieces) =>
    pieces
      .map(([text, space]) => `${text}${space}`)
      .join('')
      .trim(),
  )
  .filter((text) => text !== '');
/** Runs in Chromium: the characters of each paragraph, from left to right as they are laid out. */
const orderOfParagraphs = `[...document.querySelectorAll('p')].map((paragraph) => {
  const placed = [];
  const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    for (let at = 0; at < node.length; at += 1) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      placed.push({ left: range.getBoundingClientRect().left, character: node.data[at] });
    }
  }
  return placed.sort((a, b) => a.left - b.left).map(({ character }) => character).join('');
})`;

/** A sheet with a text wherever a person may have written one. */
function sheetOf(text: string): Sheet {
  const business = {
    name: text,
    address: text,
    city: text,
    email: text,
    phone: text,
    tax_id: text,
    wallet_labels: Object.fromEntries(
      [1, 2, 3, 4, 5].map((index) => [`wallet_method_${index}`, { he: text, en: text }]),
    ) as Sheet['business']['wallet_labels'],
  };
  const sheet = sheetIn('he', 'receipt', { business, allocationNumber: text });
  const { customer, items, payments, ...facts } = sheet.document;
  const document: IssuedDocument = {
    ...facts,
    title: text,
    notes: text,
    customer: { ...customer, name: text, tax_id: text, address: text, city: text, phone: text, email: text },
    items: items.map((item) => ({ ...item, description: text, sku: text })),
    payments: payments.map((payment) => ({
      ...payment,
      check_number: text,
      branch: text,
      account: text,
      card_type: text,
      card_last_digits: text,
      reference: text,
    })),
  };
  return { ...sheet, document };
}

/** The characters of a field from left to right, as Unicode's algorithm orders them: its isolates replace our markup. */
function orderedByUnicode(text: string, language: 'he' | 'en'): string {
  const direction = fieldDirection(text, language);
  const inner =
    direction === 'ltr'
      ? text
      : directionRuns(text)
          .map((run) => (run.isolated ? `\u2066${run.text}\u2069` : run.text))
          .join('');
  const isolated = `${direction === 'rtl' ? '\u2067' : '\u2066'}${inner}\u2069`;
  const levels = bidi.getEmbeddingLevels(isolated, pageDirections[language]);
  return bidi
    .getReorderedIndices(isolated, levels)
    .map((index) => isolated[index])
    .filter((character) => !/[\u2066-\u2069]/.test(character ?? ''))
    .join('');
}

let pdfs: PdfService;
let browser: Browser;
beforeAll(async () => {
  pdfs = await openPdfService(await sharedRendererUrl());
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await pdfs?.stop();
});

describe('hostile texts', () => {
  const typeface = loadTypeface();
  /** Opens a page as a browser does that would run and fetch everything: without the policy that forbids it. */
  async function opened<T>(
    html: string,
    look: (page: Awaited<ReturnType<Browser['newPage']>>) => Promise<T>,
  ) {
    const page = await browser.newPage();
    const requested: string[] = [];
    const address = 'http://page.test/v/1';
    try {
      await page.route('**/*', (route) => {
        const url = route.request().url();
        if (url === address) {
          return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html });
        }
        requested.push(url);
        return route.abort();
      });
      page.on('dialog', (dialog) => {
        requested.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.goto(address, { waitUntil: 'load' });
      return { seen: await look(page), requested: requested.filter((url) => !url.endsWith('/favicon.ico')) };
    } finally {
      await page.close();
    }
  }
  const pageOf = (sheet: Sheet) =>
    hostedPage(
      { ...sheet, output: 'copy' },
      {
        state: { status: 'open', paid: 0, allocation_number: sheet.allocationNumber, cancelled_at: null },
        pdfUrl: 'http://page.test/p/1',
        fingerprints: null,
      },
      typeface,
    );

  it.each(Object.entries(hostile))(
    'a hostile text in every field is rendered as it is, and nothing is fetched: %s',
    async (_what, text) => {
      // Rendering fails where the page requests anything that did not come with it.
      const { pdf } = await pdfs.render(sheetOf(text));
      const read = await pdfText(pdf);
      // pdftotext turns brackets round in a line of Hebrew; every letter has to be there all the same.
      for (const word of text.match(/[A-Za-z0-9]{2,}/g) ?? []) {
        expect(read).toContain(word);
      }
      // No script, link, attached file or action of a viewer comes of a text.
      expect(await pdfActions(pdf)).toEqual([]);
    },
  );

  it.each(Object.entries(hostile))(
    'a hostile text in every field is text on the page, which requests nothing: %s',
    async (_what, text) => {
      const strange =
        'script,iframe,img,svg,image,base,link:not([rel=icon][href^="data:"]),object,[onerror],[onload],[onmouseover]';
      const { seen, requested } = await opened(pageOf(sheetOf(text)), async (page) => ({
        words: await page.locator('main bdi').allTextContents(),
        strangers: await page.locator(strange).count(),
        styles: await page.locator('style').count(),
        title: await page.title(),
      }));
      expect(requested).toEqual([]);
      expect(seen.strangers).toBe(0);
      expect(seen.styles).toBe(1);
      expect(seen.title).toContain('קבלה 1042');
      expect(seen.words.filter((words) => compact(words) === compact(text)).length).toBeGreaterThan(20);
    },
  );

  it('controls of direction in a text do not reorder the words beside it', async () => {
    const control = '\u202e\u2067\u202a\u2069\u2069\u202c\u2066';
    const calm = sheetOf('Example 123');
    const wild = sheetOf(`${control}Example${control} 123${control}`);
    // The position of every word and every figure.
    const places = (sheet: Sheet) =>
      opened(pageOf(sheet), (page) =>
        page.evaluate<unknown[]>(`
          [...document.querySelectorAll('main :is(h1,h2,dt,th,td,p,dd,bdi)')].map((element) => {
            const { x, y, width } = element.getBoundingClientRect();
            return [element.textContent, Math.round(x), Math.round(y), Math.round(width)];
          })`),
      );
    expect((await places(wild)).seen).toEqual((await places(calm)).seen);
    const [wildPdf, calmPdf] = await Promise.all([pdfs.render(wild), pdfs.render(calm)]);
    expect(await pdfText(wildPdf.pdf, { raw: true })).toBe(await pdfText(calmPdf.pdf, { raw: true }));
  });
});

describe('a field of mixed directions', () => {
  it.each(['he', 'en'] as const)(
    "Chromium lays out the fields of a document in '%s' in the order of Unicode's algorithm",
    async (language) => {
      const seed = Number(process.env.PINKAS_SEED ?? 20_260_615);
      const texts = fc.sample(field, { numRuns: stringsOfEach, seed });
      const paragraphs = texts.map((text) => `<p>${isolate(text, language).text}</p>`).join('');
      const page = await browser.newPage({ viewport: { width: 4_000, height: 1_000 } });
      await page.setContent(
        `<!doctype html><html dir="${pageDirections[language]}"><style>p{white-space:pre;font:16px monospace}</style>${paragraphs}</html>`,
      );
      const drawn = await page.evaluate<string[]>(orderOfParagraphs);
      await page.close();

      const expected = texts.map((text) => orderedByUnicode(text, language));
      const differing = texts.flatMap((text, index) =>
        drawn[index] === expected[index] ? [] : [{ text, drawn: drawn[index], expected: expected[index] }],
      );
      expect(differing).toEqual([]);
      // The sample does mix: most fields have letters of both directions or a run of their own.
      expect(
        texts.filter((text) => /\p{Script=Hebrew}/u.test(text) && /[A-Za-z0-9]/.test(text)).length,
      ).toBeGreaterThan(stringsOfEach / 3);
    },
  );
});
