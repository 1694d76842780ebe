import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedRendererUrl } from '@pinkas/testkit';
import type { PdfService } from '../src/artifact/pdf-service.js';
import type { Sheet } from '../src/document/sheet.js';
import { lines, sheetIn } from './gallery/cases.js';
import { openPdfService } from './pdf-service.js';
import { compact, pdfFonts, pdfInfo, pdfText, signatureReport } from './pdf-tools.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

/** Held against other people's programs: what they read from our PDFs is what a court's expert would read. */
describe('a signed PDF', () => {
  let pdfs: PdfService;
  beforeAll(async () => {
    pdfs = await openPdfService(await sharedRendererUrl());
  }, 60_000);
  afterAll(() => pdfs?.stop());

  const sheetOf = (change: Partial<Sheet> = {}): Sheet => {
    const business = change.business ?? sampleBusiness();
    return {
      document: sampleDocument('tax_invoice', business),
      business,
      allocationNumber: '123456789',
      numberPending: false,
      cancelledAt: null,
      output: 'original',
      logo: null,
      ...change,
    };
  };

  it.each([false, true])('the text of the PDF has the right order (layout: %s)', async (layout) => {
    const { pdf } = await pdfs.render(sheetOf());
    const text = await pdfText(pdf, { layout });
    for (const words of [
      'חשבונית מס',
      'מספר 1042',
      'עסק לדוגמה לעיצוב ותכנון',
      'עוסק מורשה 514327892',
      'מקור | מסמך ממוחשב',
      'לקוח לדוגמה בע"מ',
      '08/03/2026',
      'מספר הקצאה',
      '123456789',
      'עיצוב לוגו ושפה חזותית',
      'מס ערך מוסף (מע"מ)',
      '459.00',
      '2,700.00',
      '3,009.00',
      'סה"כ לתשלום',
      'פרויקט מיתוג – אביב 2026',
    ]) {
      expect(text).toContain(compact(words));
    }
  });

  it.each(['he', 'en'] as const)(
    'a PDF of a cancelled document says so on every page and is valid (%s)',
    async (language) => {
      const business = sampleBusiness({ language });
      const [line] = sampleDocument('proforma', business).items;
      const document = sampleDocument('proforma', business, {
        items: Array.from({ length: 60 }, () => line as NonNullable<typeof line>),
      });
      const { pdf } = await pdfs.render(
        sheetOf({
          business,
          document,
          allocationNumber: null,
          cancelledAt: '2026-03-09T22:30:00.000Z',
          output: 'copy',
        }),
      );
      expect(await signatureReport(pdf)).toContain('Signature is Valid.');
      const text = await pdfText(pdf);
      expect(text).toContain('מבוטל');
      const when =
        language === 'he' ? 'בוטל בתאריך 10/03/2026 בשעה 00:30' : 'Cancelled on 10 Mar 2026 at 00:30';
      expect(text).toContain(compact(when));
      const pages = Number((await pdfInfo(pdf)).Pages);
      expect(pages).toBeGreaterThan(2);
      // What lies across the page is read letter by letter, from left to right.
      const stamp = language === 'he' ? [...'מבוטל'].reverse().join('') : 'Cancelled';
      // Of a number between Hebrew words pdftotext does not know on which side the dot is.
      const foot = language === 'he' ? /חשבוןעסקה·?1042·?מבוטל/ : /Proformainvoice1042·Cancelled/;
      for (let page = 1; page <= pages; page += 1) {
        expect(await pdfText(pdf, { page })).toMatch(foot);
        const raw = await pdfText(pdf, { page, raw: true });
        expect(raw.split(stamp).length - 1).toBeGreaterThanOrEqual(language === 'he' ? 1 : 2);
      }
      for (const font of await pdfFonts(pdf)) {
        expect(font.embedded).toBe(true);
      }
    },
    60_000,
  );

  it.each([
    ['he', 'tax_invoice'],
    ['en', 'tax_invoice'],
    ['he', 'receipt'],
  ] as const)(
    'further pages name the business, its number and the sum of the lines before them (%s, %s)',
    async (language, type) => {
      const sheet = sheetIn(language, type, { document: { items: lines(60) } });
      const { pdf } = await pdfs.render(sheet);
      const pages = Number((await pdfInfo(pdf)).Pages);
      expect(pages).toBeGreaterThan(2);
      let linesBefore = 0;
      for (let page = 1; page <= pages; page += 1) {
        const text = await pdfText(pdf, { page, raw: true });
        const shown = /מועבר|רבעומ|Carriedforward/.test(text);
        const count = text.match(/שירות|תוריש/g)?.length ?? 0;
        expect({ page, shown }).toEqual({ page, shown: page > 1 && count > 0 });
        if (shown) {
          expect(text).toContain(`${(linesBefore * 100).toLocaleString('en-US')}.00`);
        }
        expect(text.includes('514327892')).toBe(true);
        linesBefore += count;
      }
      expect(linesBefore).toBe(60);
    },
    60_000,
  );

  it('the total stays with the last items at any page break', async () => {
    const printed = await Promise.all(
      Array.from({ length: 16 }, (_, index) => 4 + index).map(async (count) => {
        const sheet = sheetIn('he', 'tax_invoice_receipt', { document: { items: lines(count) } });
        const { pdf } = await pdfs.render(sheet);
        const pages = Number((await pdfInfo(pdf)).Pages);
        const texts = await Promise.all(
          Array.from({ length: pages }, (_, page) => pdfText(pdf, { page: page + 1 })),
        );
        return { count, texts };
      }),
    );
    for (const { count, texts } of printed) {
      const withTotal = texts.filter((text) => text.includes(compact('סה"כ התקבל')));
      expect(withTotal).toHaveLength(1);
      for (const line of [count - 1, count]) {
        expect(withTotal[0]).toContain(compact(`שירות לדוגמה ${line}`));
      }
    }
    expect(new Set(printed.map(({ texts }) => texts.length))).toEqual(new Set([1, 2]));
  }, 60_000);
});
