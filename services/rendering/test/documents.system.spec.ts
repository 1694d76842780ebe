import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentTypeRules, isGoodsNote } from '@pinkas/domain';
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
import { formatMoney, formatQuantity } from '@pinkas/ui';
import fc from 'fast-check';
import { printablePage } from '../src/document/printable-page.js';
import { paymentsComeFirst, type Sheet } from '../src/document/sheet.js';
import { GotenbergClient } from '../src/print/gotenberg-client.js';
import { type PdfService } from '../src/print/pdf-service.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { galleryCases, lines, sheetIn } from './gallery/cases.js';
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

let pdfs: PdfService;
beforeAll(async () => {
  pdfs = await openPdfService(await sharedRendererUrl());
});
afterAll(() => pdfs?.stop());

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
