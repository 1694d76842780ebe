import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentTypeRules, documentTypes } from '@pinkas/domain';
import { sharedRendererUrl } from '@pinkas/testkit';
import type { PdfService } from '../src/artifact/pdf-service.js';
import { formatMoney, formatQuantity } from '../src/document/figures.js';
import { paymentsComeFirst, type Sheet } from '../src/document/sheet.js';
import { lines, longLines, mixedText, sheetIn } from './gallery/cases.js';
import { openPdfService } from './pdf-service.js';
import {
  compact,
  pdfFonts,
  pdfInfo,
  pdfText,
  placedWords,
  qpdfReport,
  signatureReport,
  taggedTexts,
} from './pdf-tools.js';

const languages = ['he', 'en'] as const;
const manyLines = 'a hundred lines with words of 200 letters' as const;
const contents = {
  'one line': { items: lines(1) },
  [manyLines]: { items: longLines() },
  'every script that meets on a document': {
    title: mixedText,
    notes: `${mixedText}\n${mixedText}`,
    items: [...lines(1), ...lines(1).map((line) => ({ ...line, description: mixedText }))],
  },
};
type Content = keyof typeof contents;

/** Where words may be, in points: 15 mm from the sides of the paper, and no nearer than 5 mm to its ends, where printers stop. */
const paper = { left: 42.5, right: 552.8, top: 14, bottom: 828 };

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
function givenTexts({ document, business }: Sheet): string {
  const { customer, items, payments, title, notes, totals } = document;
  return [
    [business.name, business.tax_id, business.address, business.city, business.email, business.phone],
    [customer.name, customer.tax_id, customer.address, customer.city, customer.email, customer.phone],
    [title, notes, String(document.number), formatMoney(totals.total)],
    ...items.map(({ description, sku, quantity, unit_price, line_total }) => [
      description,
      sku,
      formatQuantity(quantity),
      formatMoney(unit_price),
      formatMoney(line_total),
    ]),
    ...payments.map(({ check_number, branch, account, card_type, card_last_digits, reference, amount }) => [
      ...[check_number, branch, account, card_type, card_last_digits, reference],
      formatMoney(amount),
    ]),
  ]
    .flat()
    .join(' ');
}

/** Read with independent programs, as an accountant or a court would. */
describe('the PDF of every document type', () => {
  let pdfs: PdfService;
  beforeAll(async () => {
    pdfs = await openPdfService(await sharedRendererUrl());
  }, 60_000);
  afterAll(() => pdfs?.stop());

  const all = documentTypes.flatMap((type) =>
    languages.flatMap((language) =>
      (Object.keys(contents) as Content[]).map((content) => ({ type, language, content })),
    ),
  );
  it.each(all)(
    'the PDF shows everything in order: $type in $language with $content',
    async ({ type, language, content }) => {
      const sheet = sheetIn(language, type, { document: contents[content] });
      const { document, business } = sheet;
      const { pdf } = await pdfs.render(sheet);
      const [text, info, words, tagged, structure, signature, fonts] = await Promise.all([
        pdfText(pdf),
        pdfInfo(pdf),
        placedWords(pdf),
        taggedTexts(pdf),
        qpdfReport(pdf),
        signatureReport(pdf),
        pdfFonts(pdf),
      ]);

      // Nothing that was put in is missing.
      const drawn = census(text);
      const missing = [...census(givenTexts(sheet))].filter(
        ([character, count]) => (drawn.get(character) ?? 0) < count,
      );
      expect(missing).toEqual([]);
      // And nothing is beyond the margins, where a printer would cut it off.
      for (const { left, right, top, bottom } of words) {
        expect(left).toBeGreaterThan(paper.left - 1);
        expect(right).toBeLessThan(paper.right + 1);
        expect(top).toBeGreaterThan(paper.top);
        expect(bottom).toBeLessThan(paper.bottom);
      }

      // As many pages as there have to be, each with its number, the heads of the table on every one that has lines.
      const pages = Number(info.Pages);
      if (content === manyLines) {
        expect(pages).toBeGreaterThan(10);
        expect(pages).toBeLessThan(18);
        const head = language === 'he' ? 'מחיריחידה' : 'Unitprice';
        expect(text.split(head).length - 1).toBeGreaterThanOrEqual(pages - 1);
      } else {
        expect(pages).toBe(1);
      }
      // Of a page with little Hebrew pdftotext takes every line from left to right.
      const foot = [`עמוד${pages}מתוך${pages}`, `${pages}מתוך${pages}עמוד`, `Page${pages}of${pages}`];
      expect(foot.some((words) => text.includes(words))).toBe(true);

      // Read out, the figures come in the order in which the document is read.
      const read = tagged.map(compact);
      const payments = document.payments.map(({ amount }) => formatMoney(amount));
      const amounts = [formatMoney(document.items[0]?.line_total ?? 0), formatMoney(document.totals.total)];
      const inOrder = [
        business.tax_id ?? '',
        String(document.number),
        document.customer.tax_id ?? '',
        language === 'he' ? '08/03/2026' : '8Mar2026',
        ...(paymentsComeFirst(sheet) ? [...payments, ...amounts] : [...amounts, ...payments]),
      ];
      let at = -1;
      for (const figure of inOrder) {
        const found = read.findIndex((one, index) => index > at && one.includes(figure));
        if (found < 0) {
          throw new Error(
            `${figure} does not come behind ${read
              .slice(0, at + 1)
              .slice(-3)
              .join(' | ')}`,
          );
        }
        at = found;
      }

      expect(structure).toContain('No syntax or stream encoding errors found');
      expect(signature).toContain('Signature is Valid.');
      for (const font of fonts) {
        expect(font.embedded).toBe(true);
        expect(font.name).toMatch(/\+(Heebo|Rubik\w*|NotoEmoji)-/);
      }
      const { name, nameHe } = documentTypeRules[type];
      expect(info).toMatchObject({
        Title: `${language === 'he' ? nameHe : name} 1042`,
        Author: business.name,
        Keywords: document.id,
        Tagged: 'yes',
        'Page size': expect.stringContaining('(A4)'),
      });
    },
    120_000,
  );
});
