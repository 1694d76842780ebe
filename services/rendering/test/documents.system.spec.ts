import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DocumentState, type IssuedDocument } from '@pinkas/contracts';
import { directionRuns, documentTypeRules, fieldDirection, isGoodsNote } from '@pinkas/domain';
import { findBinary } from '@pinkas/local-stack/servers';
import { verifySignature } from '@pinkas/pdf';
import { sharedRendererUrl } from '@pinkas/testkit';
import {
  compact,
  pdfActions,
  pdfFonts,
  pdfInfo,
  pdfText,
  pdfXmp,
  placedWords,
  qpdfCheck,
  signatureReport,
  taggedElements,
  taggedTexts,
} from '@pinkas/testkit/pdf';
import { formatMoney, formatQuantity, isolate } from '@pinkas/ui';
import bidiFactory, { type Bidi } from 'bidi-js';
import fc from 'fast-check';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { GotenbergClient } from '../src/artifact/gotenberg-client.js';
import { type PdfService } from '../src/artifact/pdf-service.js';
import { hostedPage } from '../src/document/hosted-page.js';
import { printablePage } from '../src/document/printable-page.js';
import { paymentsComeFirst, type Sheet } from '../src/document/sheet.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { galleryCases, lines, longLines, mixedText, sampleLogo, sheetIn } from './gallery/cases.js';
import { actualTexts, conformanceFindings } from './pdf-conformance.js';
import { openPdfService } from './pdf-service.js';

const words = ['שלום', 'ישראל', 'בע"מ', 'חשבונית', 'לדוגמה', 'Example', 'Zoom', 'USB-C', 'Ltd'];
const numbers = ['12', '3.5', '1,200', '2026', '5%', '50-70', '-5%', '+972-3-1234567', '#7'];
const brackets = ['()', '[]', '{}', '<>'];
const word = fc.constantFrom(...words, ...words, ...numbers);
const part = fc.oneof(
  word,
  word,
  fc
    .tuple(fc.constantFrom(...brackets), word, word)
    .map(([pair, one, two]) => `${pair[0]}${one} ${two}${pair[1]}`),
  fc.tuple(word, fc.constantFrom(...',.:!')).map((pair) => pair.join('')),
);
const mixed = fc
  .array(part, { minLength: 2, maxLength: 5 })
  .map((parts) => parts.join(' '))
  .filter((text) => /[א-ת]/.test(text) && /[A-Za-z\d]/.test(text) && text.length < 60);
const mixedTexts = [...new Set(fc.sample(mixed, { numRuns: 400, seed: 20_260_615 }))].slice(0, 200);
/** Where words may be, in points: 15 mm from the sides of the paper, and no nearer than 5 mm to its ends, where printers stop. */
const paper = { left: 42.5, right: 552.8, top: 14, bottom: 828 };
/** A note of goods is without prices where the business wants it so. */
const showsPrices = ({ document, business }: Sheet): boolean =>
  !(business.delivery_notes_without_prices && isGoodsNote(document.type));
/** The lines of a donation are without prices where VAT is added to them, of which its receipt must not speak. */
const showsLinePrices = (sheet: Sheet): boolean => {
  const { type, prices_include_vat, totals } = sheet.document;
  return showsPrices(sheet) && (type !== 'donation_receipt' || prices_include_vat || totals.vat === 0);
};
/** Cases of more than one page, each with how many it may have. */
const pageBounds: Readonly<Record<string, readonly [number, number]>> = {
  'a-hundred-long-lines': [11, 17],
  'page-break': [2, 2],
  'test-book': [3, 4],
};
/** The longest one in Hebrew alone: the time that pdfinfo takes grows with the square of the lines. */
const cases = galleryCases().filter(({ name }) => name !== 'a-hundred-long-lines-en');
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

/** pdfinfo gives the letters of a run as they are drawn: those of a right-to-left run from the last one to the first. */
function readOut(runs: readonly string[]): string {
  return runs.map((run) => (/[א-ת]/.test(run) ? [...run].reverse().join('') : run)).join('');
}

/**
 * How often a text has each character. What has no picture of its own is not counted, nor the hyphen: at the end of a
 * line pdftotext takes it for one of its own making.
 */
function census(text: string): Map<string, number> {
  const counted = new Map<string, number>();
  const visible = compact(text.normalize('NFKC')).replace(/[\p{Default_Ignorable_Code_Point}-]/gu, '');
  for (const character of visible) {
    counted.set(character, (counted.get(character) ?? 0) + 1);
  }
  return counted;
}

/** Everything that a document was given to show, as it was given. */
function givenTexts(sheet: Sheet): string {
  const { document, business } = sheet;
  const money = (amount: number) => (showsPrices(sheet) ? formatMoney(amount) : '');
  const linePrice = (amount: number) => (showsLinePrices(sheet) ? formatMoney(amount) : '');
  const { customer, items, payments, title, notes, totals } = document;
  return [
    [business.name, business.tax_id, business.address, business.city, business.email, business.phone],
    [customer.name, customer.tax_id, customer.address, customer.city, customer.email, customer.phone],
    [title, notes, String(document.number), money(totals.total)],
    ...items.map(({ description, sku, quantity, unit_price, line_total }) => [
      description,
      sku,
      formatQuantity(quantity),
      linePrice(unit_price),
      linePrice(line_total),
    ]),
    ...payments.map(({ check_number, branch, account, card_type, card_last_digits, reference, amount }) => [
      ...[check_number, branch, account, card_type, card_last_digits, reference],
      formatMoney(amount),
    ]),
  ]
    .flat()
    .join(' ');
}

/** Each figure is behind the one before it. */
function expectInOrder(read: readonly string[], figures: readonly string[]): void {
  let at = -1;
  for (const figure of figures) {
    const found = read.findIndex((words, index) => index > at && words.includes(figure));
    if (found < 0) {
      const before = read.slice(Math.max(0, at - 2), at + 1).join(' | ');
      throw new Error(`${figure} does not come behind ${before}`);
    }
    at = found;
  }
}

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

/** The policy that the page promises to need no more than; the gateway sends the same. */
function policyOf(html: string): string {
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; font-src data:; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
}

let pdfs: PdfService;
let browser: Browser;
beforeAll(async () => {
  pdfs = await openPdfService(await sharedRendererUrl());
  browser = await chromium.launch({
    executablePath: findBinary('chromium-headless-shell') ?? 'chromium',
    args: ['--no-sandbox'],
  });
});
afterAll(async () => {
  await browser?.close();
  await pdfs?.stop();
});

/** The PDF as the standards for archives and for screen readers want it. */
describe('conformance of a PDF', () => {
  it("the check finds what Chromium's file lacks", async () => {
    const gotenberg = new GotenbergClient(await sharedRendererUrl(), 1);
    const page = printablePage(sheetIn('en', 'donation_receipt'), 'nonce', loadTypeface());
    const { bytes } = await gotenberg.render(page, 'nonce', performance.now() + 25_000);
    gotenberg.close();
    const findings = new Set(await conformanceFindings(bytes));
    for (const finding of [
      'no RGB output intent',
      'no file identifier',
      'the metadata lack <pdfaid:part>2</pdfaid:part>',
      'the type Strong is not mapped',
      'TR is in Table',
      'Tj is neither tagged nor an artifact',
      // As it is drawn, from left to right.
      'Hebrew is marked as en: השרומ קסוע',
    ]) {
      expect([...findings]).toContain(finding);
    }
  });

  it.each([
    ['has a letter that no font has', '\u{10fffd}'],
    ['has a private letter', '\ue123'],
    ['has a vowel point on a letter that no font has', '\u{85dbd}\u05b8'],
  ])('a PDF that %s does not say that it follows them', async (_what, letter) => {
    const { pdf } = await pdfs.render(sheetIn('he', 'quote', { document: { title: `כותרת ${letter}` } }));
    const xmp = await pdfXmp(pdf);
    expect(xmp).toContain('<dc:title>');
    expect(xmp).not.toContain('pdfaid');
    expect(xmp).not.toContain('pdfuaid');
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
  });

  it.each(['he', 'en'] as const)(
    '200 texts of Hebrew, Latin, numbers and brackets are read in their order (%s)',
    async (language) => {
      expect(mixedTexts).toHaveLength(200);
      const read: string[] = [];
      // The time that pdfinfo takes grows with the square of the lines.
      for (let from = 0; from < mixedTexts.length; from += 14) {
        const items = mixedTexts.slice(from, from + 14).map((text) => lines(1, { description: text })[0]);
        const { pdf } = await pdfs.render(
          sheetIn(language, 'tax_invoice', { document: { items: items as Sheet['document']['items'] } }),
        );
        // Of each row of lines the cell beside its number.
        const rows = (await taggedElements(pdf)).filter(({ type }) => type === 'TR');
        read.push(...rows.map(({ children }) => readOut(children[1]?.texts ?? [])));
        // What pdf.js names the elements by: it reads the letters themselves by their place.
        const said = (await actualTexts(pdf)).join('');
        expect(items.filter((item) => !said.includes(item?.description ?? ''))).toEqual([]);
      }
      expect(mixedTexts.filter((text) => !read.includes(text))).toEqual([]);
    },
  );

  it('the letters stay where they were for programs that go by their place', async () => {
    const description = 'שעות ייעוץ (Zoom) 12';
    const { pdf } = await pdfs.render(
      sheetIn('he', 'quote', { document: { items: lines(1, { description }) } }),
    );
    const text = await pdfText(pdf);
    expect(text).toContain('שעותייעוץ');
    expect(text).toContain('Zoom');
  });

  it('the head of a table is read once, however many pages repeat it', async () => {
    const { pdf } = await pdfs.render(sheetIn('he', 'tax_invoice', { document: { items: lines(100) } }));
    const [, head] = (await taggedElements(pdf)).filter(({ type }) => type === 'TH');
    expect(head?.texts.map((text) => [...text].reverse().join(''))).toEqual(['תיאור']);
    expect((await pdfText(pdf)).split('מחיריחידה').length).toBeGreaterThan(3);
  });
});

/** Read with independent programs, as an accountant or a court would. */
describe('the PDF of every document', () => {
  it.each(cases)(
    'the PDF shows everything in order, follows PDF/UA-1 and PDF/A-2a and is signed: $name',
    async ({ name: caseName, sheet }) => {
      const { document, business } = sheet;
      const { language } = business;
      const { pdf, certificate } = await pdfs.render(sheet);
      const [text, info, words, tagged, findings, structure, signature, fonts, actions] = await Promise.all([
        pdfText(pdf),
        pdfInfo(pdf),
        placedWords(pdf),
        taggedTexts(pdf),
        conformanceFindings(pdf),
        qpdfCheck(pdf),
        signatureReport(pdf),
        pdfFonts(pdf),
        pdfActions(pdf),
      ]);

      // Nothing that was put in is missing.
      const drawn = census(text);
      const missing = [...census(givenTexts(sheet))].filter(
        ([character, count]) => (drawn.get(character) ?? 0) < count,
      );
      expect(missing).toEqual([]);
      const { name, nameHe } = documentTypeRules[document.type];
      // In an English line pdftotext keeps each Hebrew run whole, but says nothing of the order of two.
      for (const part of [...nameHe.split(' / '), ...(language === 'en' ? [name] : [])]) {
        expect(text).toContain(compact(part));
      }
      // And nothing is beyond the margins, where a printer would cut it off.
      const beyond = words.filter(
        ({ left, right, top, bottom }) =>
          left <= paper.left - 1 || right >= paper.right + 1 || top <= paper.top || bottom >= paper.bottom,
      );
      expect(words.length).toBeGreaterThan(0);
      expect(beyond).toEqual([]);

      // As many pages as there have to be, each with its number, the heads of the table on every one that has lines.
      const pages = Number(info.Pages);
      const [pagesMin, pagesMax] = pageBounds[caseName.replace(/-(he|en)$/, '')] ?? [1, 1];
      expect(pages).toBeGreaterThanOrEqual(pagesMin);
      expect(pages).toBeLessThanOrEqual(pagesMax);
      const head = language === 'he' ? 'תיאור' : 'Description';
      expect(text.split(head).length - 1).toBeGreaterThanOrEqual(pages - 1);
      // Of a page with little Hebrew pdftotext takes every line from left to right.
      const foot = [`עמוד${pages}מתוך${pages}`, `${pages}מתוך${pages}עמוד`, `Page${pages}of${pages}`];
      expect(foot.some((words) => text.includes(words))).toBe(true);

      // Read out, the figures come in the order in which the document is read.
      const payments = document.payments.map(({ amount }) => formatMoney(amount));
      const linePrices = showsLinePrices(sheet) ? [formatMoney(document.items[0]?.line_total ?? 0)] : [];
      const amounts = showsPrices(sheet) ? [...linePrices, formatMoney(document.totals.total)] : [];
      expectInOrder(tagged.map(compact), [
        business.tax_id ?? '',
        String(document.number),
        document.customer.tax_id ?? '',
        language === 'he' ? '08/03/2026' : '8Mar2026',
        ...(paymentsComeFirst(sheet) ? [...payments, ...amounts] : [...amounts, ...payments]),
      ]);

      expect(findings).toEqual([]);
      expect(structure).toContain('No syntax or stream encoding errors found');
      expect(actions).toEqual([]);
      expect(signature).toContain('Signature is Valid.');
      expect(signature).toContain('Total document signed');
      expect(verifySignature(pdf, certificate)).toBeNull();
      for (const font of fonts) {
        expect(font.embedded).toBe(true);
        expect(font.name).toMatch(/\+(Heebo|Rubik\w*|NotoEmoji)-/);
      }
      expect(info).toMatchObject({
        Title: `${language === 'he' ? nameHe : name} 1042`,
        Author: business.name,
        Keywords: document.id,
        Tagged: 'yes',
        'Page size': expect.stringContaining('(A4)'),
      });
    },
  );
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
    // What the law prescribes stays in Hebrew beside the English, and what a person wrote stays as it is.
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
