import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentTypeRules, documentTypes } from '@pinkas/domain';
import { sharedRendererUrl } from '@pinkas/testkit';
import type { PdfService } from '../src/artifact/pdf-service.js';
import type { Sheet } from '../src/document/sheet.js';
import { lines, sampleLogo, sheetIn } from './gallery/cases.js';
import { openPdfService } from './pdf-service.js';
import { compact, pdfFonts, pdfInfo, pdfText, signatureReport } from './pdf-tools.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

/** Held against other people's programs: what they read from our PDFs is what a court's expert would read. */
describe('a signed PDF', () => {
  let press: PdfService;
  beforeAll(async () => {
    press = await openPdfService(await sharedRendererUrl());
  }, 60_000);
  afterAll(() => press?.stop());

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

  it('pdfsig finds the signature valid and covering the whole file', async () => {
    const { pdf } = await press.render(sheetOf());
    const report = await signatureReport(pdf);
    expect(report).toContain('Signature is Valid.');
    expect(report).toContain('Total document signed');
    expect(report).toContain('ETSI.CAdES.detached');
    expect(report).toContain('Signer Certificate Common Name: Test');
    expect(report.match(/Signature #/g)).toHaveLength(1);
  });

  it('the signature is invalid after one byte is changed', async () => {
    const { pdf } = await press.render(sheetOf());
    const forged = Buffer.from(pdf);
    const at = 1_000;
    forged[at] = (forged[at] ?? 0) ^ 1;
    expect(await signatureReport(forged)).not.toContain('Signature is Valid.');
  });

  it.each([false, true])('the text of the PDF has the right order (layout: %s)', async (layout) => {
    const { pdf } = await press.render(sheetOf());
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

  it.each(documentTypes)(
    'the PDF shows heading, number and total of the type: %s',
    async (type) => {
      for (const language of ['he', 'en'] as const) {
        const business = sampleBusiness({ language });
        const { pdf } = await press.render(
          sheetOf({ business, document: sampleDocument(type, business), allocationNumber: null }),
        );
        const text = await pdfText(pdf);
        const { name, nameHe } = documentTypeRules[type];
        // In an English line pdftotext keeps each Hebrew run whole, but says nothing of the order of two.
        for (const part of nameHe.split(' / ')) {
          expect(text).toContain(compact(part));
        }
        if (language === 'en') {
          expect(text).toContain(compact(name));
        }
        expect(text).toContain('1042');
        expect(text).toMatch(/3,(009|186)\.00/);
        expect((await pdfInfo(pdf)).Pages).toBe('1');
      }
    },
    60_000,
  );

  it.each(['he', 'en'] as const)(
    'a PDF of a cancelled document says so on every page and is valid (%s)',
    async (language) => {
      const business = sampleBusiness({ language });
      const [line] = sampleDocument('proforma', business).items;
      const document = sampleDocument('proforma', business, {
        items: Array.from({ length: 60 }, () => line as NonNullable<typeof line>),
      });
      const { pdf } = await press.render(
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

  it('the PDF embeds every font, and only Heebo', async () => {
    const business = sampleBusiness({ name: 'Łódź Café 3½ בע"מ' });
    const { pdf } = await press.render(sheetOf({ business }));
    const fonts = await pdfFonts(pdf);
    expect(fonts.length).toBeGreaterThan(0);
    for (const font of fonts) {
      expect(font.embedded).toBe(true);
      expect(font.name).toMatch(/\+Heebo-(Regular|Bold)$/);
    }
  });

  it('the PDF has title, author, language and A4 pages', async () => {
    const { pdf } = await press.render(sheetOf());
    expect(await pdfInfo(pdf)).toMatchObject({
      Title: 'חשבונית מס 1042',
      Author: 'עסק לדוגמה לעיצוב ותכנון',
      Creator: 'Pinkas',
      'Page size': expect.stringContaining('(A4)'),
    });
    expect(pdf.toString('latin1')).toContain('/Lang (he)');
  });

  it.each([
    ['he', 'tax_invoice'],
    ['en', 'tax_invoice'],
    ['he', 'receipt'],
  ] as const)(
    'further pages name the business, its number and the sum of the lines before them (%s, %s)',
    async (language, type) => {
      const sheet = sheetIn(language, type, { document: { items: lines(60) } });
      const { pdf } = await press.render(sheet);
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

  it('repeats the table heads and counts its pages when it is long', async () => {
    const business = sampleBusiness();
    const document = sampleDocument('tax_invoice', business, {
      items: Array.from({ length: 100 }, (_, index) => ({
        description: `שירות ${index + 1} ${'בתיאור ארוך '.repeat(15)}`.slice(0, 200),
        quantity: 1.2345,
        unit_price: 99_999_999.99,
        line_total: 123_456_789.12,
        sku: 'X'.repeat(64),
      })),
    });
    const { pdf } = await press.render(sheetOf({ business, document }));
    const pages = Number((await pdfInfo(pdf)).Pages);
    expect(pages).toBeGreaterThan(3);
    expect(pages).toBeLessThan(20);
    const text = await pdfText(pdf);
    expect(text).toContain(`עמוד${pages}מתוך${pages}`);
    expect(text.match(/מחיריחידה/g)?.length).toBeGreaterThanOrEqual(pages - 1);
    expect(text).toContain('שירות100בתיאור');
  });

  it.each(['he', 'en'] as const)(
    'a PDF of ten items is small, tags and signature included (%s)',
    async (language) => {
      const document = { items: lines(10, { sku: 'SKU-1' }) };
      const { pdf } = await press.render(
        sheetIn(language, 'tax_invoice', { document, allocationNumber: '123456789' }),
      );
      expect((await pdfInfo(pdf)).Pages).toBe('1');
      expect(pdf.length).toBeLessThan(45 * 1024);
    },
  );

  it('two renderings of a document are equal up to the signature', async () => {
    const sheet = sheetIn('he', 'tax_invoice_receipt', { document: { items: lines(40) }, logo: sampleLogo });
    const unsigned = async () => {
      const { pdf } = await press.render(sheet);
      return pdf.subarray(0, pdf.indexOf('/Type/Sig')).toString('latin1');
    };
    const first = await unsigned();
    // Something else in between: the printer counts whatever it shows.
    await press.render(sheetOf());
    expect(await unsigned()).toBe(first);
    expect(await unsigned()).toBe(first);
  });

  it('the PDF metadata has the issue date and the document id', async () => {
    const sheet = sheetOf();
    const info = await pdfInfo((await press.render(sheet)).pdf);
    expect(info.CreationDate).toContain('Mar  8 09:30:00 2026 UTC');
    expect(info.Keywords).toBe(sheet.document.id);
    expect(info.Tagged).toBe('yes');
  });

  it('the total stays with the last items at any page break', async () => {
    const printed = await Promise.all(
      Array.from({ length: 16 }, (_, index) => 4 + index).map(async (count) => {
        const sheet = sheetIn('he', 'tax_invoice_receipt', { document: { items: lines(count) } });
        const { pdf } = await press.render(sheet);
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
