import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedRendererUrl } from '@pinkas/testkit';
import fc from 'fast-check';
import { GotenbergClient } from '../src/artifact/gotenberg-client.js';
import type { PdfService } from '../src/artifact/pdf-service.js';
import { printablePage } from '../src/document/printable-page.js';
import type { Sheet } from '../src/document/sheet.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { lines, sheetIn } from './gallery/cases.js';
import { actualTexts, conformanceFindings } from './pdf-conformance.js';
import { openPdfService } from './pdf-service.js';
import { pdfText, pdfXmp, signatureReport, taggedElements } from './pdf-tools.js';

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

/** The PDF as the standards for archives and for screen readers want it. */
describe('conformance of a PDF', () => {
  let pdfs: PdfService;
  beforeAll(async () => {
    pdfs = await openPdfService(await sharedRendererUrl());
  }, 60_000);
  afterAll(() => pdfs?.stop());

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
    60_000,
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

/** pdfinfo gives the letters of a run as they are drawn: those of a right-to-left run from the last one to the first. */
function readOut(runs: readonly string[]): string {
  return runs.map((run) => (/[א-ת]/.test(run) ? [...run].reverse().join('') : run)).join('');
}
