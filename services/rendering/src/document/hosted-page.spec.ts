import { describe, expect, it } from '@jest/globals';
import type { DocumentState } from '@pinkas/contracts';
import { sampleBusiness, sampleDocument } from '../../test/sample-documents.js';
import { hostedPage } from './hosted-page.js';

const open: DocumentState = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null };

function page(
  state: Partial<DocumentState> = {},
  language: 'he' | 'en' = 'he',
  pdfUrl = 'https://x.test/p/1',
) {
  const business = sampleBusiness({ language });
  const whole = { ...open, ...state };
  const sheet = {
    document: sampleDocument('tax_invoice', business),
    business,
    allocationNumber: whole.allocation_number,
    numberPending: false,
    cancelledAt: whole.cancelled_at,
    output: 'copy' as const,
    logo: null,
  };
  return hostedPage(sheet, { state: whole, pdfUrl, fingerprints: null }, { filesFor: () => [] });
}

describe('hostedPage', () => {
  it('the page links to the signed PDF and excludes search engines', () => {
    const html = page({}, 'he', 'https://x.test/p/1?a="b"&c');
    expect(html).toContain('<a href="https://x.test/p/1?a=&quot;b&quot;&amp;c">');
    expect(html).toContain('<meta name="robots" content="noindex,nofollow">');
  });

  it('the page loads nothing from elsewhere and has no scripts', () => {
    expect(page()).not.toMatch(/<script|<link|<img|@import|url\(|\son\w+=/i);
  });

  it('the page shows the present status, payments and allocation number', () => {
    const html = page({ paid: 500, allocation_number: '123456789' });
    expect(html).toContain('<p class="status open">פתוח</p>');
    expect(html).toContain('שולם <bdi dir="ltr">500.00</bdi> ₪');
    expect(html).toContain('<bdi dir="ltr">123456789</bdi>');
    expect(page({}, 'en')).toContain('<p class="status open">Open</p>');
  });

  it('the page of a cancelled document says that it is cancelled', () => {
    const html = page({ status: 'cancelled', cancelled_at: '2026-03-09T10:00:00Z' });
    expect(html).toContain('<p class="status cancelled">מבוטל</p>');
    expect(html).toContain(
      '<strong>מבוטל</strong> בוטל בתאריך <bdi dir="ltr">09/03/2026</bdi> בשעה <bdi dir="ltr">12:00</bdi>',
    );
    expect(html).toContain('<p class="stamp" aria-hidden="true"><span>מבוטל</span></p>');
    expect(page()).not.toContain('class="stamp"');
  });

  it('lines and payments keep the roles of tables in any layout', () => {
    const business = sampleBusiness();
    const facts = { document: sampleDocument('receipt', business), business, logo: null };
    const html = hostedPage(
      { ...facts, allocationNumber: null, numberPending: false, cancelledAt: null, output: 'copy' },
      { state: open, pdfUrl: 'https://x.test/p/1', fingerprints: null },
      { filesFor: () => [] },
    );
    const [payments = '', lines = ''] = html.match(/<table role="table"[\s\S]*?<\/table>/g) ?? [];
    for (const table of [lines, payments]) {
      const parts = table.match(/<(?:table|thead|tbody|tr|th|td)\b[^>]*>/g) ?? [];
      expect(parts.length).toBeGreaterThan(15);
      expect(parts.filter((part) => !part.includes(' role="'))).toEqual([]);
    }
    expect(lines).toContain('<th role="columnheader" scope="col">תיאור</th>');
    expect(payments).toContain('<th role="columnheader" scope="col">אמצעי תשלום</th>');
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

  it('the page links to the download and to the file to print', () => {
    const html = page({}, 'he', 'https://x.test/p/1?a=1');
    expect(html).toContain('href="https://x.test/p/1?a=1&amp;download=1"');
    expect(page()).toContain('href="https://x.test/p/1?download=1"');
  });
});
