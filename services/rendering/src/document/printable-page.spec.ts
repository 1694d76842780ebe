import { describe, expect, it } from '@jest/globals';
import { type IssuedDocument } from '@pinkas/contracts';
import { businessLegalTypes, documentTypeRules, documentTypes } from '@pinkas/domain';
import decodeQR from 'qr/decode.js';
import sharp from 'sharp';
import { sampleBusiness, sampleDocument } from '../../test/sample-documents.js';
import { noFonts, print, sheetOf, textOf, textOfSheet, textOfType } from '../../test/sheet-text.js';
import { printablePage } from './printable-page.js';
import type { Sheet } from './sheet.js';

/** The content of a QR code. @param png in base64. */
async function decoded(png = ''): Promise<string> {
  const picture = sharp(Buffer.from(png, 'base64')).toColourspace('srgb').removeAlpha().raw();
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  return decodeQR({ ...info, data });
}

describe('printablePage', () => {
  it.each(documentTypes)('the page has the heading of its type in both languages: %s', (type) => {
    const { name, nameHe } = documentTypeRules[type];
    const hebrew = sampleBusiness();
    const page = print(sheetOf({ business: hebrew, document: sampleDocument(type, hebrew) }));
    expect(page).toContain('<html lang="he" dir="rtl">');
    expect(page).toContain(`<h1>${nameHe}</h1>`);
    expect(textOf(page)).toContain('מספר 1042');
    expect(textOf(page)).toContain('מסמך ממוחשב');

    const english = sampleBusiness({ language: 'en' });
    const other = print(sheetOf({ business: english, document: sampleDocument(type, english) }));
    expect(other).toContain('<html lang="en" dir="ltr">');
    expect(other).toContain(`<h1>${name}</h1>`);
    // Books are kept in Hebrew: the statutory words are next to the English ones.
    for (const word of [nameHe, 'No. 1042', 'מסמך ממוחשב', 'Computerized document']) {
      expect(textOf(other)).toContain(word);
    }
  });

  it('an invoice states how to pay it, the address as text and as a QR code, whatever was paid of it since', async () => {
    const business = sampleBusiness({
      payment_instructions: {
        bank: '12',
        branch: '601',
        account: '345678',
        link: 'https://pay.example.com/me',
      },
    });
    for (const type of ['tax_invoice', 'proforma'] as const) {
      const page = print(sheetOf({ business, document: sampleDocument(type, business), output: 'copy' }));
      expect(textOf(page)).toContain(
        'איך משלמים בנק 12 סניף 601 מספר חשבון 345678 תשלום מקוון https://pay.example.com/me',
      );
      expect(page).not.toContain('href="https://pay.example.com');
      expect(
        await decoded(/alt="קוד QR לתשלום מקוון" src="data:image\/png;base64,([^"]*)"/.exec(page)?.[1]),
      ).toBe('https://pay.example.com/me');
    }
    for (const type of ['receipt', 'tax_invoice_receipt', 'credit_note', 'quote'] as const) {
      expect(print(sheetOf({ business, document: sampleDocument(type, business) }))).not.toContain(
        'class="pay"',
      );
    }
  });

  it('a tax invoice has everything that the law requires', () => {
    const text = textOfSheet({ allocationNumber: '123456789' });
    for (const words of [
      'עסק לדוגמה לעיצוב ותכנון',
      'עוסק מורשה 514327892',
      'רחוב הרצל 12 , תל אביב',
      'מקור',
      'תאריך 08/03/2026',
      'לתשלום עד 07/04/2026',
      'לקוח לדוגמה בע"מ',
      '515151512',
      'שדרות הנשיא 7 , חיפה',
      'מסמך מקור חשבון עסקה 77 מיום 01/02/2026',
      'מספר הקצאה 123456789',
      'מחיר יחידה ₪ ללא מע"מ',
      'עיצוב לוגו ושפה חזותית מק"ט LG-01 1 1,500.00 1,500.00',
      'שעות ייעוץ (Zoom) 4.8 250.00 1,200.00',
      'סכום ביניים ללא מע"מ 2,700.00 ₪',
      'הנחה -150.00 ₪',
      'סה"כ לפני מע"מ 2,550.00 ₪',
      'מס ערך מוסף (מע"מ) 18% 459.00 ₪',
      'סה"כ לתשלום 3,009.00 ₪',
      'פרויקט מיתוג – אביב 2026',
      'תודה שבחרתם בנו.',
    ]) {
      expect(text).toContain(words);
    }
  });

  it('every text of a caller is escaped and isolated', () => {
    const evil = '<img src=x onerror=1>"\'&';
    const business = sampleBusiness({
      name: evil,
      address: evil,
      city: evil,
      email: evil,
      phone: evil,
      tax_id: evil,
      wallet_labels: { ...sampleBusiness().wallet_labels, wallet_method_1: { he: evil, en: evil } },
    });
    const plain = sampleDocument('tax_invoice_receipt', business);
    const document: IssuedDocument = {
      ...plain,
      title: evil,
      notes: evil,
      customer: {
        ...plain.customer,
        name: evil,
        tax_id: evil,
        address: evil,
        city: evil,
        phone: evil,
        email: evil,
      },
      items: plain.items.map((item) => ({ ...item, description: evil, sku: evil })),
      payments: plain.payments.map((payment) => ({
        ...payment,
        check_number: evil,
        branch: evil,
        account: evil,
        card_type: evil,
        card_last_digits: evil,
        reference: evil,
      })),
    };
    const page = print(sheetOf({ business, document, allocationNumber: evil }));
    expect(page).not.toContain('<img');
    const escaped = '&lt;img src=x onerror=1&gt;&quot;&#39;&amp;';
    const all = page.split(escaped).length - 1;
    const isolated = page.split(new RegExp(`<bdi dir="ltr" lang="en">${escaped}</bdi>`)).length - 1;
    expect(isolated).toBe(all);
    expect(all).toBeGreaterThanOrEqual(36);
  });

  it('the page states that prices include VAT where they do', () => {
    expect(textOfType('tax_invoice', { prices_include_vat: true })).toContain('סכום ₪ כולל מע"מ');
  });

  it('gross prices are summed up before the net amounts, and what VAT is computed on is printed after a discount', () => {
    const totals = {
      subtotal: 2700,
      discount: 150,
      vat: 459,
      vat_rate: 18,
      total: 3009,
      currency: 'ILS',
    } as const;
    const items = sampleDocument('quote', sampleBusiness()).items.map((item, index) => ({
      ...item,
      line_total: index === 0 ? 1770 : 1416,
    }));
    const discount = { type: 'amount', value: 177 } as const;
    const text = textOfType('tax_invoice', { prices_include_vat: true, discount, totals, items });
    expect(text).toContain(
      'סכום ביניים כולל מע"מ 3,186.00 ₪ סכום ביניים ללא מע"מ 2,700.00 ₪ הנחה ( 177.00 ₪ כולל מע"מ) -150.00 ₪ סה"כ לפני מע"מ 2,550.00 ₪ מס ערך מוסף (מע"מ) 18% 459.00 ₪ סה"כ לתשלום 3,009.00 ₪',
    );
  });

  it('a percent discount is shown with its rate', () => {
    expect(textOfType('quote', { discount: { type: 'percent', value: 12.5 } })).toContain(
      'הנחה 12.5% -150.00 ₪',
    );
  });

  it('a receipt states what was received, what its customer has withheld and what both settle', () => {
    const text = textOfType('receipt', { withheld: 40.5 });
    expect(text).toMatch(/סה"כ התקבל [^₪]*[\d,.]+ ₪ ניכוי מס במקור 40\.50 ₪ סה"כ נפרע [\d,.]+ ₪/);
    expect(textOfType('receipt')).not.toContain('ניכוי מס');
    const business = sampleBusiness({ language: 'en' });
    const document = sampleDocument('receipt', business, { withheld: 40.5 });
    const settled = (document.totals.total + 40.5).toLocaleString('en-US', { minimumFractionDigits: 2 });
    expect(textOfSheet({ business, document })).toContain(
      `Tax withheld at source ₪40.50 Total settled ₪${settled}`,
    );
  });

  it('each payment is shown with what identifies it', () => {
    const text = textOfType('receipt');
    expect(text).toContain(
      'שיק מס׳ 5001 · בנק 12 · סניף 600 · חשבון 123456 · לפירעון 01/04/2026 08/03/2026 1,000.00 ₪',
    );
    expect(text).toContain('כרטיס אשראי Visa · מסתיים ב־ 4242 08/03/2026 1,500.00 ₪');
    expect(text).toContain('ביט אסמכתא BT-77120 08/03/2026 686.00 ₪');
    expect(text).toContain('סה"כ התקבל כולל מע"מ 3,186.00 ₪');
    // Net and VAT on a receipt invite to deduct the VAT twice.
    expect(text).not.toContain('מס ערך מוסף');
    expect(text.indexOf('פירוט תשלומים')).toBeLessThan(text.indexOf('מחיר יחידה'));
  });

  it('a credit note names the invoice that it credits', () => {
    expect(textOfType('credit_note')).toContain('זיכוי בגין חשבונית מס / קבלה 77 מיום 01/02/2026');
  });

  it('delivery and return notes have room for a signature', () => {
    expect(textOfType('delivery_note')).toContain('שם המקבל');
    expect(textOfType('tax_invoice')).not.toContain('שם המקבל');
  });

  it('a document of a business that is no dealer does not mention VAT', () => {
    const totals = {
      subtotal: 2700,
      discount: 0,
      vat: 0,
      vat_rate: 0,
      total: 2700,
      currency: 'ILS',
    } as const;
    const exempt = sampleBusiness({ legal_type: 'osek_patur', vat_rate: 0 });
    const text = textOfSheet({ business: exempt, document: sampleDocument('receipt', exempt, { totals }) });
    expect(text).toContain('עוסק פטור 514327892');
    expect(text).not.toContain('מע"מ');
    expect(text).not.toContain('ערך מוסף');
    // A licensed dealer with a zero rate states the zero.
    const eilat = sampleBusiness({ vat_rate: 0 });
    expect(
      textOfSheet({ business: eilat, document: sampleDocument('tax_invoice', eilat, { totals }) }),
    ).toContain('מס ערך מוסף (מע"מ) 0% 0.00 ₪');
  });

  it.each([false, true])(
    'a donation receipt does not mention VAT, and its figures add up: prices with VAT %s',
    (prices_include_vat) => {
      const business = sampleBusiness();
      const text = textOfSheet({
        business,
        document: sampleDocument('donation_receipt', business, {
          prices_include_vat,
          items: [{ description: 'תרומה לדוגמה', quantity: 1, unit_price: 100, line_total: 100, sku: null }],
          totals: prices_include_vat
            ? { subtotal: 84.75, discount: 0, vat: 15.25, vat_rate: 18, total: 100, currency: 'ILS' }
            : { subtotal: 100, discount: 0, vat: 18, vat_rate: 18, total: 118, currency: 'ILS' },
        }),
      });
      expect(text).not.toMatch(/מע"מ|ערך מוסף|VAT/);
      expect(text).toContain(`סה"כ תרומה ${prices_include_vat ? '100.00' : '118.00'} ₪`);
      expect(text.includes('100.00')).toBe(prices_include_vat);
    },
  );

  it.each(Object.keys(businessLegalTypes) as (keyof typeof businessLegalTypes)[])(
    'the page states the registration of each legal type: %s',
    (legal_type) => {
      const words = {
        osek_murshe: 'עוסק מורשה',
        hevra_baam: 'ח.פ. / עוסק מורשה',
        osek_patur: 'עוסק פטור',
        amuta: 'עמותה (ע.ר.)',
        public_institution: 'מוסד ציבורי',
      };
      expect(textOfSheet({ business: sampleBusiness({ legal_type }) })).toContain(
        `${words[legal_type]} 514327892`,
      );
    },
  );

  it.each([
    ['private', 'ת.ז.'],
    ['hevra_baam', 'ח.פ.'],
    ['osek_murshe', 'עוסק מורשה'],
    ['osek_patur', 'עוסק פטור'],
    ['amuta', 'ע.ר.'],
    // By the prefix of the number.
    [null, 'ח.פ.'],
  ] as const)('the number of a customer has the label of its kind: %s', (legal_type, word) => {
    const { customer } = sampleDocument('tax_invoice', sampleBusiness());
    const text = textOfType('tax_invoice', { customer: { ...customer, legal_type } });
    expect(text).toContain(`לקוח לדוגמה בע"מ ${word} 515151512`);
  });

  it('the page states that the allocation number is being obtained, until the number is there', () => {
    expect(textOfSheet({ numberPending: true })).toContain('מספר הקצאה בתהליך קבלה מרשות המסים');
    expect(textOfSheet({ numberPending: true, business: sampleBusiness({ language: 'en' }) })).toContain(
      'Allocation number · מספר הקצאה Being obtained',
    );
    expect(textOfSheet({ allocationNumber: '123456789' })).not.toContain('בתהליך');
    expect(textOfSheet()).not.toContain('הקצאה');
  });

  it('the page states original or copy, and never both', () => {
    const original = textOfSheet();
    expect(original).toContain('מקור | מסמך ממוחשב');
    expect(original).not.toContain('העתק');
    const copy = textOfSheet({ output: 'copy' });
    expect(copy).toContain('העתק | מסמך ממוחשב');
    expect(copy).not.toContain('מקור |');
  });

  it('a cancelled document states that it is cancelled, and when', () => {
    const cancelledAt = '2026-03-09T23:30:00Z';
    expect(textOfSheet({ cancelledAt })).toContain('מבוטל בוטל בתאריך 10/03/2026 בשעה 01:30');
    const english = sampleBusiness({ language: 'en' });
    expect(textOfSheet({ cancelledAt, business: english })).toContain(
      'Cancelled · מבוטל Cancelled on 10 Mar 2026 at 01:30',
    );
    expect(print(sheetOf())).not.toContain('מבוטל');
  });

  it('a cancelled document states why, where its caller said so', () => {
    const cancelledAt = '2026-03-09T23:30:00Z';
    expect(textOfSheet({ cancelledAt, cancelReason: 'הוזמן פעמיים <b>' })).toContain(
      'בשעה 01:30 סיבה: הוזמן פעמיים <b>',
    );
    expect(textOfSheet({ cancelledAt, cancelReason: null })).not.toContain('סיבה');
  });

  it('an invoice shows at its top what is to be paid and by when, a document without a due date does not', () => {
    const [top = ''] = textOfSheet().split('תיאור');
    expect(top).toContain('לתשלום עד 07/04/2026 סכום לתשלום 3,009.00 ₪');
    expect(textOfType('proforma')).toContain('סכום לתשלום 3,009.00 ₪');
    expect(textOfType('tax_invoice_receipt')).not.toContain('לתשלום');
    expect(textOfSheet({ cancelledAt: '2026-03-09T23:30:00Z' })).not.toContain('סכום לתשלום');
  });

  it.each(documentTypes)('the word original is only on a type of which the law demands one: %s', (type) => {
    const lawful = !['quote', 'order', 'return_note'].includes(type);
    const business = sampleBusiness();
    const document = sampleDocument(type, business);
    expect(textOfSheet({ business, document }).includes('מקור | מסמך ממוחשב')).toBe(lawful);
    expect(textOfSheet({ business, document, output: 'copy' }).includes('העתק')).toBe(lawful);
  });

  it('the lines are numbered', () => {
    expect(textOfSheet()).toMatch(/# תיאור .* 1 עיצוב לוגו .* 2 שעות ייעוץ/);
  });

  it('the time of production is on the document, in Israel time', () => {
    expect(textOfSheet()).toContain('הופק בתאריך 08/03/2026 בשעה 11:30 המסמך חתום בחתימה אלקטרונית.');
    const english = sampleBusiness({ language: 'en' });
    expect(textOfSheet({ business: english })).toContain('Produced on 8 Mar 2026 at 11:30');
  });

  it('a delivery note shows no prices where its business wants none, and an invoice of it does', () => {
    const business = sampleBusiness({ delivery_notes_without_prices: true });
    const shown = (type: IssuedDocument['type']) =>
      textOfSheet({ business, document: sampleDocument(type, business) });
    for (const type of ['delivery_note', 'return_note'] as const) {
      expect(shown(type)).toContain('2 שעות ייעוץ (Zoom) 4.8');
      expect(shown(type)).not.toMatch(/₪|מחיר|סה"כ|1,500/);
      expect(textOfType(type)).toContain('סה"כ 3,009.00 ₪');
    }
    expect(shown('tax_invoice')).toContain('סה"כ לתשלום 3,009.00 ₪');
  });

  it('a quote names the last day on which it holds, where its business set a term', () => {
    const business = sampleBusiness({ quote_valid_days: 30 });
    const shown = (type: IssuedDocument['type']) =>
      textOfSheet({ business, document: sampleDocument(type, business) });
    expect(shown('quote')).toContain('בתוקף עד 07/04/2026');
    expect(shown('order')).not.toContain('בתוקף');
    expect(textOfType('quote')).not.toContain('בתוקף');
  });

  it('further pages have the business, its number and the sum that is carried to them', () => {
    const business = sampleBusiness({ name: 'עסק "א" </style>;} & \\ בע"מ' });
    const sheet = sheetOf({ business, document: sampleDocument('tax_invoice', business) });
    const page = printablePage(sheet, 'nonce', noFonts, [null, 150000n, null]).html;
    expect(page.match(/<\/style>/g)).toHaveLength(2);
    expect(page).toContain('content:"עסק \\22 א\\22  \\3c \\2f style\\3e \\3b \\7d  \\26  \\5c  בע\\22 מ"');
    expect(page).toContain('content:"עוסק מורשה 514327892"');
    expect(page).toContain('symbols:" " "סכום מועבר 1\\2c 500\\2e 00 \\20aa " " "');
    expect(print(sheetOf())).not.toContain('@counter-style');
  });

  it('documents with the same letters have the same head but for the title', () => {
    const headOf = (nonce: string, sheet: Sheet) =>
      printablePage(sheet, nonce, noFonts, [null, 150000n]).html.split(nonce).join('').split('<body>')[0];
    const business = sampleBusiness({ name: 'עסק אחר', accent_color: '#7a0019' });
    const other = sheetOf({
      business,
      document: sampleDocument('receipt', business),
      cancelledAt: '2026-03-09T23:30:00Z',
    });
    expect(headOf('nonce-1', sheetOf())).toMatch(
      /^<!doctype html>\n<html lang="he" dir="rtl"><head><meta charset="utf-8"><title><\/title><style>[^<]*<\/style><\/head>$/,
    );
    expect(headOf('nonce-2', other)).toBe(headOf('nonce-1', sheetOf()));
  });

  it('the address of the page is on paper as a QR code that can be read', async () => {
    const viewUrl = 'https://pinkas.example.com/d/5f0c6c1d9a3b4e7f8a2d1c0b9e8f7a6b';
    const page = print(sheetOf({ viewUrl }));
    const [, alt, png = ''] =
      /class="code" alt="([^"]*)" src="data:image\/png;base64,([^"]*)"/.exec(page) ?? [];
    expect(await decoded(png)).toBe(viewUrl);
    expect(alt).toBe('קוד QR לדף המסמך');
    expect(print(sheetOf())).not.toContain('class="code"');
    const payment_instructions = { link: 'https://pay.example.com/1042' };
    const asking = sheetOf({ business: sampleBusiness({ payment_instructions }) });
    const codes = (sheet: Sheet) => print(sheet).match(/class="code"/g)?.length;
    // The page that the code of the paper leads to has the one to pay by.
    expect([codes(asking), codes({ ...asking, viewUrl })]).toEqual([1, 1]);
  });

  it('a cancelled document has the word across every page and in its foot', () => {
    const page = print(sheetOf({ cancelledAt: '2026-03-09T23:30:00Z' }));
    expect(page).toContain('<p class="stamp" aria-hidden="true"><span>מבוטל</span></p>');
    expect(page).toContain('content:"חשבונית מס 1042 · מבוטל"');
  });

  it('the page leaves out what a document does not have', () => {
    const business = sampleBusiness({ tax_id: null, address: null, city: null, email: null, phone: null });
    const document = sampleDocument('quote', business, { title: null, notes: null });
    const customer = {
      ...document.customer,
      tax_id: null,
      address: null,
      city: null,
      email: null,
      phone: null,
    };
    const page = print(sheetOf({ business, document: { ...document, customer } }));
    expect(page).not.toMatch(/<p>\s*<\/p>|null|undefined|class="title"|class="notes"/);
    expect(textOf(page)).not.toContain('הקצאה');
  });

  it('the foot counts the pages', () => {
    expect(print(sheetOf())).toContain('content:"עמוד " counter(page) " מתוך " counter(pages)');
  });
});
