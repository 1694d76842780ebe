import { describe, expect, it } from '@jest/globals';
import type { Business, DocumentState } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { sampleBusiness, sampleDocument } from '../../test/sample-documents.js';
import { hostedPage } from './hosted-page.js';

const open: DocumentState = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null };

function pageOf(
  type: DocumentType,
  state: Partial<DocumentState> = {},
  change: Partial<Business> = {},
  pdfUrl = 'https://x.test/p/1',
) {
  const business = sampleBusiness(change);
  const whole = { ...open, ...state };
  const sheet = {
    document: sampleDocument(type, business),
    business,
    allocationNumber: whole.allocation_number,
    numberPending: false,
    cancelledAt: whole.cancelled_at,
    cancelReason: whole.cancel_reason ?? null,
    output: 'copy' as const,
    logo: null,
  };
  return hostedPage(sheet, { state: whole, pdfUrl, fingerprints: null }, { filesFor: () => [] });
}

const page = (state: Partial<DocumentState> = {}, language: 'he' | 'en' = 'he', pdfUrl?: string) =>
  pageOf('tax_invoice', state, { language }, pdfUrl);

describe('hostedPage', () => {
  it('the page links to the signed PDF and excludes search engines', () => {
    const html = page({}, 'he', 'https://x.test/p/1?a="b"&c');
    expect(html).toContain('<a href="https://x.test/p/1?a=&quot;b&quot;&amp;c">');
    expect(html).toContain('<meta name="robots" content="noindex,nofollow">');
  });

  it('the page loads nothing from elsewhere and has no scripts', () => {
    expect(page()).not.toMatch(/<script|<link (?!rel="icon" href="data:)|<img|@import|url\(|\son\w+=/i);
  });

  it('the page of an invoice states until when it is to be paid, in either language', () => {
    const html = page({ allocation_number: '123456789' });
    expect(html).toContain('<p class="status open">לתשלום עד <bdi dir="ltr">07/04/2026</bdi></p>');
    expect(html).toContain('<bdi dir="ltr">123456789</bdi>');
    expect(html).toContain('<dt>סכום לתשלום</dt><dd><bdi dir="ltr">3,009.00</bdi> ₪</dd>');
    expect(page({}, 'en')).toContain(
      '<p class="status open">To be paid by <bdi dir="ltr" lang="en">7 Apr 2026</bdi></p>',
    );
  });

  it('the page of an invoice shows what was paid and credited, and the balance instead of the total to pay', () => {
    const html = page({ status: 'closed', paid: 1000, credited: 500.5 });
    expect(html).toContain('<p class="status closed">יתרה לתשלום <bdi dir="ltr">1,508.50</bdi> ₪</p>');
    expect(html).toContain('<dt>יתרה לתשלום</dt><dd><bdi dir="ltr">1,508.50</bdi> ₪</dd>');
    const totals = html.slice(html.indexOf('<table class="totals">'));
    expect(totals).toContain(
      [
        '<tr><th scope="row">סה&quot;כ</th><td><bdi dir="ltr">3,009.00</bdi> ₪</td></tr>',
        '<tr><th scope="row">זוכה</th><td><bdi dir="ltr">-500.50</bdi> ₪</td></tr>',
        '<tr><th scope="row">שולם</th><td><bdi dir="ltr">-1,000.00</bdi> ₪</td></tr>',
        '<tr class="total"><th scope="row">יתרה לתשלום</th><td><bdi dir="ltr">1,508.50</bdi> ₪</td></tr>',
      ].join(''),
    );
    expect(totals).not.toContain('סה&quot;כ לתשלום');
  });

  it('tax that was withheld of an invoice stands apart from what was set off, and nothing more is asked for', () => {
    const html = page({ status: 'closed', paid: 2000, set_off: 1009, withheld: 90 });
    const totals = html.slice(html.indexOf('<table class="totals">'));
    expect(totals).toContain(
      [
        '<tr><th scope="row">שולם</th><td><bdi dir="ltr">-2,000.00</bdi> ₪</td></tr>',
        '<tr><th scope="row">קוזז מזכות בחשבון</th><td><bdi dir="ltr">-919.00</bdi> ₪</td></tr>',
        '<tr><th scope="row">ניכוי מס במקור</th><td><bdi dir="ltr">-90.00</bdi> ₪</td></tr>',
        '<tr class="total"><th scope="row">יתרה לתשלום</th><td><bdi dir="ltr">0.00</bdi> ₪</td></tr>',
      ].join(''),
    );
    expect(html).toContain('<p class="status closed">שולם</p>');
    expect(html).not.toMatch(/<dt>(?:סכום|יתרה) לתשלום/);
    expect(page({ paid: 2000, set_off: 90, withheld: 90 }, 'en')).not.toContain('From credit on account');
  });

  it('the page of a paid invoice states that it is paid, and asks for nothing', () => {
    const html = page({ status: 'closed', paid: 3009 });
    expect(html).toContain('<p class="status closed">שולם</p>');
    expect(html).not.toMatch(/<dt>(?:סכום|יתרה) לתשלום/);
    expect(html).toContain('<th scope="row">יתרה לתשלום</th><td><bdi dir="ltr">0.00</bdi> ₪</td>');
    expect(page({ status: 'closed', paid: 3009 }, 'en')).toContain('<p class="status closed">Paid</p>');
    // Credited in full: nothing was paid, and nothing is asked for.
    expect(page({ status: 'closed', credited: 3009 })).toContain('<p class="status closed">זוכה</p>');
    // An agora that a receipt leaves is paid.
    expect(page({ status: 'closed', paid: 3008.99 })).toContain('<p class="status closed">שולם</p>');
  });

  it('the page of an invoice that was paid beyond its total shows what is in credit', () => {
    const html = page({ status: 'closed', paid: 3009, credited: 0.02 });
    expect(html).toContain('<th scope="row">יתרת זכות</th><td><bdi dir="ltr">0.02</bdi> ₪</td>');
    expect(html).not.toContain('יתרה לתשלום');
    // An agora beyond it is nothing.
    expect(page({ status: 'closed', paid: 3009.01 })).not.toContain('יתרת זכות');
  });

  it('the page of a proforma shows what is left of it, though a receipt has closed it', () => {
    const html = pageOf('proforma', { status: 'closed', paid: 9 });
    expect(html).toContain('<p class="status closed">יתרה לתשלום <bdi dir="ltr">3,000.00</bdi> ₪</p>');
    // Its invoice asks for the payment now.
    const invoiced = pageOf('proforma', { status: 'closed', paid: 9, invoices: 1 });
    expect(invoiced).not.toContain('<dt>יתרה לתשלום</dt>');
    expect(invoiced).toContain('<p class="status closed">הופקה חשבונית</p>');
  });

  it('the page of a quote says until when it holds, and of a proforma that an invoice followed asks for nothing', () => {
    expect(pageOf('quote', {}, { quote_valid_days: 30 })).toContain(
      '<p class="status open">בתוקף עד <bdi dir="ltr">07/04/2026</bdi></p>',
    );
    expect(pageOf('quote')).toContain('<p class="status open">בתוקף</p>');
    const proforma = pageOf('proforma', { status: 'closed', invoices: 1 });
    expect(proforma).toContain('<p class="status closed">הופקה חשבונית</p>');
    expect(proforma).not.toContain('<dt>סכום לתשלום');
  });

  it('the page of a cancelled document states that it is cancelled', () => {
    const html = page({ status: 'cancelled', cancelled_at: '2026-03-09T10:00:00Z' });
    expect(html).toContain('<p class="status cancelled">מבוטל</p>');
    expect(html).toContain(
      '<strong>מבוטל</strong> בוטל בתאריך <bdi dir="ltr">09/03/2026</bdi> בשעה <bdi dir="ltr">12:00</bdi>',
    );
    expect(html).toContain('<svg class="stamp" role="img" aria-label="מבוטל"');
    expect(
      page({ status: 'cancelled', cancelled_at: '2026-03-09T10:00:00Z', cancel_reason: 'הוזמן פעמיים' }),
    ).toContain('סיבה: <bdi dir="rtl">הוזמן פעמיים</bdi>');
    expect(page()).not.toContain('class="stamp"');
  });

  it('lines and payments are tables in any layout: none of their elements is laid out as something else', () => {
    const html = pageOf('receipt', { status: 'closed', paid: 3186 });
    expect(html).not.toMatch(/<(?:table|thead|tbody|tr|th|td)\b[^>]* role=/);
    const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? '';
    const rules = [...style.matchAll(/([^{}]+)\{([^{}]*)\}/g)];
    const laidOut = rules.filter(([, , body = '']) => /display:(?:block|grid|flex)/.test(body));
    expect(laidOut.length).toBeGreaterThan(5);
    const subjects = laidOut.flatMap(([, selector = '']) =>
      selector.split(',').map((part) => part.trim().split(/[\s>]/).at(-1) ?? ''),
    );
    const tableParts = /^(?:table|thead|tbody|tr|th|td)(?![\w-])|\.(?:items|line|what|figure|wide)(?![\w-])/;
    expect(subjects.filter((subject) => tableParts.test(subject))).toEqual([]);
    // What a phone has no column for is in the first cell there, and on no other screen.
    expect(html).toContain('<span class="narrow"><bdi dir="ltr">4.8 × 250.00</bdi></span>');
    expect(html).toContain('<span class="narrow"><bdi dir="ltr">08/03/2026</bdi></span>');
  });

  it('the page is a copy and never a second original', () => {
    expect(page()).toContain('העתק<span> | </span>');
    expect(page()).not.toContain('מקור<span> | </span>');
  });

  it('the page uses the requested language and keeps the statutory Hebrew words', () => {
    const business = sampleBusiness();
    const document = sampleDocument('receipt', business);
    const facts = {
      document,
      business,
      logo: null,
      allocationNumber: null,
      numberPending: false,
      cancelledAt: null,
    };
    const html = hostedPage(
      { ...facts, output: 'copy', language: 'en' },
      { state: open, pdfUrl: 'https://x.test/p/1', fingerprints: null },
      { filesFor: () => [] },
    );
    expect(html).toContain('<html lang="en" dir="ltr">');
    expect(html).toContain('<h1>Receipt</h1>');
    expect(html).toContain('<p lang="he" dir="rtl" class="second">קבלה</p>');
    expect(html).toContain('Computerized document · <bdi lang="he">מסמך ממוחשב</bdi>');
    expect(html).toContain('<a href="?lang=he" hreflang="he" lang="he" dir="rtl">עברית</a>');
  });

  describe('how to pay', () => {
    const payment_instructions = {
      bank: 'הפועלים (12)',
      branch: '601',
      account: '12-345678',
      account_holder: '<b>עסק לדוגמה</b>',
      iban: 'IL620108000000099999999',
      link: 'https://pay.example.com/me?a=1&b="2"',
    };

    it('the page of an open invoice states how to pay it, with a link and its QR code, and fetches nothing', () => {
      const html = pageOf('tax_invoice', {}, { payment_instructions });
      expect(html).toContain('<h2>איך משלמים</h2>');
      expect(html).toMatch(/מספר חשבון<\/bdi><\/dt><dd><bdi dir="ltr" class="whole">12-345678<\/bdi><\/dd>/);
      expect(html).toContain('<bdi dir="ltr" lang="en">IL62 0108 0000 0009 9999 999</bdi>');
      expect(html).toContain('&lt;<span lang="en">b</span>&gt;עסק לדוגמה');
      const href =
        'href="https://pay.example.com/me?a=1&amp;b=&quot;2&quot;" rel="noopener noreferrer nofollow"';
      expect(html.split(href)).toHaveLength(3);
      expect(html).toContain('alt="קוד QR לתשלום מקוון" src="data:image/png;base64,');
      expect(html).not.toMatch(/<script|<img[^>]* src="(?!data:)|\bon\w+=/i);
    });

    it.each([
      ['a paid invoice', pageOf('tax_invoice', { status: 'closed', paid: 3009 }, { payment_instructions })],
      [
        'a proforma that was invoiced',
        pageOf('proforma', { status: 'closed', invoices: 1 }, { payment_instructions }),
      ],
      ['a receipt', pageOf('receipt', { status: 'closed', paid: 3186 }, { payment_instructions })],
      ['an invoice / receipt', pageOf('tax_invoice_receipt', { paid: 3009 }, { payment_instructions })],
      ['a credit note', pageOf('credit_note', {}, { payment_instructions })],
      ['a quote', pageOf('quote', {}, { payment_instructions })],
      ['a business that states nothing', pageOf('tax_invoice')],
    ])('the page of %s does not state how to pay', (_, html) => {
      expect(html).not.toContain('class="pay"');
      expect(html).not.toContain('pay.example.com');
    });
  });

  it('the page links to the download and to the file to print', () => {
    const html = page({}, 'he', 'https://x.test/p/1?a=1');
    expect(html).toContain('href="https://x.test/p/1?a=1&amp;download=1"');
    expect(page()).toContain('href="https://x.test/p/1?download=1"');
  });
});
