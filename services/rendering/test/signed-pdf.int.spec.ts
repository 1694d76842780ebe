import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DocumentType } from '@pinkas/domain';
import { verifySignature } from '@pinkas/pdf';
import { sharedRendererUrl } from '@pinkas/testkit';
import { compact, pdfFonts, pdfInfo, pdfTags, pdfText, pdfXmp, signatureReport } from '@pinkas/testkit/pdf';
import { type Sheet } from '../src/document/sheet.js';
import { type PdfService } from '../src/print/pdf-service.js';
import { lines, sampleLogo, sheetIn } from './gallery/cases.js';
import { openPdfService } from './pdf-service.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const languages = ['he', 'en'] as const;
/** The file without its signature, of which ECDSA makes another each time. */
const unsigned = (pdf: Buffer): string =>
  pdf.toString('latin1').replace(/\/Contents <[0-9a-f]+>/, '/Contents <>');

let pdfs: PdfService;
let now = new Date();
beforeAll(async () => {
  pdfs = await openPdfService(await sharedRendererUrl(), { now: () => now });
});
afterAll(() => pdfs?.stop());

/** Held against other people's programs: what they read from our PDFs is what a court's expert would read. */
describe('a signed PDF', () => {
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
  });
});

/** The file itself, whatever is printed on it: held against qpdf and poppler, on a real Chromium. */
describe('signed PDF', () => {
  const sheetOf = (type: DocumentType, language: 'he' | 'en', lines = 2): Sheet => {
    const business = sampleBusiness({ language });
    const { items, ...document } = sampleDocument(type, business);
    const [line] = items;
    return {
      document: {
        ...document,
        items: Array.from({ length: lines }, () => ({ ...line }) as (typeof items)[0]),
      },
      business,
      allocationNumber: null,
      numberPending: false,
      cancelledAt: null,
      output: 'original',
      logo: null,
    };
  };

  it('a signature is invalid when any byte of the file is changed', async () => {
    const { pdf, certificate } = await pdfs.render(sheetOf('tax_invoice', 'he'));
    const step = Math.floor(pdf.length / 40);
    const everywhere = Array.from({ length: 40 }, (_, index) => index * step);
    // The signature does not cover itself, so every byte of it is changed, in one of its two digits.
    const signatureAt = pdf.indexOf('/Contents <') + '/Contents <'.length;
    const itself = Array.from(
      { length: (pdf.indexOf('>', signatureAt) - signatureAt) / 2 },
      (_, index) => signatureAt + 2 * index + (index % 2),
    );
    expect(itself.length).toBeGreaterThan(500);
    const missed = [...everywhere, ...itself].filter((at) => {
      const forged = Buffer.from(pdf);
      forged[at] = (forged[at] ?? 0) ^ 1;
      return verifySignature(forged, certificate) === null;
    });
    expect(missed.map((at) => at - signatureAt)).toEqual([]);
    // Another program agrees, at the beginning, in the text, and after the signature.
    for (const at of [6, 1_000, pdf.length - 2]) {
      const forged = Buffer.from(pdf);
      forged[at] = (forged[at] ?? 0) ^ 1;
      const report = await signatureReport(forged).catch(() => 'it is no PDF any more');
      expect(report).not.toContain('Signature is Valid.');
    }
  });

  it('a signature is invalid when bytes are appended', async () => {
    const { pdf, certificate } = await pdfs.render(sheetOf('tax_invoice', 'he'));
    const longer = Buffer.concat([pdf, Buffer.from('1 0 obj\n<<>>\nendobj\n')]);
    expect(verifySignature(longer, certificate)).toContain('does not cover the whole file');
    expect(await signatureReport(longer).catch(() => '')).not.toContain('Total document signed');
  });

  it('the same document at the same instant is the same file but for the random part of its signature', async () => {
    const sheet = { ...sheetOf('tax_invoice', 'he', 40), logo: sampleLogo };
    const first = await pdfs.render(sheet);
    // Something else in between, so that Chromium has counted on.
    await pdfs.render(sheetOf('receipt', 'en'));
    const second = await pdfs.render(sheet);
    expect(unsigned(second.pdf)).toBe(unsigned(first.pdf));
  });

  it('files of two instants differ only in the time of the signature and what depends on it', async () => {
    const sheet = sheetOf('tax_invoice', 'he');
    const before = now;
    const first = await pdfs.render(sheet);
    now = new Date(before.getTime() + 5_000);
    const second = await pdfs.render(sheet);
    now = before;
    const timeless = (pdf: Buffer) =>
      unsigned(pdf)
        .replace(/\/M \(D:\d{14}Z\)/, '')
        .replace(/\/ID\[<([0-9a-f]{32})><[0-9a-f]{32}>\]/, '$1');
    expect(timeless(second.pdf)).toBe(timeless(first.pdf));
    expect(second.pdf.equals(first.pdf)).toBe(false);
  });

  it.each(languages)('a PDF has metadata and tags for screen readers (%s)', async (language) => {
    const sheet = sheetOf('tax_invoice', language);
    const { pdf } = await pdfs.render(sheet);
    const title = language === 'he' ? 'חשבונית מס 1042' : 'Tax invoice 1042';
    const info = await pdfInfo(pdf);
    // Nothing of the machine that printed it.
    expect(JSON.stringify(info)).not.toMatch(/Mozilla|Linux|Headless/);
    expect(info).toMatchObject({
      Title: title,
      Author: sheet.business.name,
      Keywords: sheet.document.id,
      Creator: 'Pinkas',
      // The instant of issue, whenever it was printed.
      CreationDate: 'Sun Mar  8 09:30:00 2026 UTC',
      Tagged: 'yes',
      'Metadata Stream': 'yes',
      JavaScript: 'no',
    });
    const xmp = await pdfXmp(pdf);
    for (const words of [
      title,
      `<rdf:li>${language}</rdf:li>`,
      `uuid:${sheet.document.id}`,
      '2026-03-08T09:30:00Z',
    ]) {
      expect(xmp).toContain(words);
    }
    expect(pdf.toString('latin1')).toContain(`/Lang (${language})`);
    const tags = await pdfTags(pdf);
    for (const tag of ['H1', 'Table', 'TR', 'TH', 'TD']) {
      expect(tags).toContain(tag);
    }
  });

  it('a PDF of ten lines is under 45 KB, tags and signature included, and has the reason of the signature in its language', async () => {
    for (const language of languages) {
      const { pdf } = await pdfs.render(sheetOf('tax_invoice_receipt', language, 10));
      expect(pdf.length).toBeLessThan(45 * 1024);
      const reason = language === 'he' ? 'מסמך ממוחשב' : 'Computerized document';
      const written = /\/Reason (\([^)]*\)|<[0-9a-f]*>)/.exec(pdf.toString('latin1'))?.[1] ?? '';
      const read = written.startsWith('(')
        ? written.slice(1, -1)
        : Buffer.from(written.slice(5, -1), 'hex').swap16().toString('utf16le');
      expect(read).toContain(reason);
    }
  });
});
