import { describe, expect, it } from '@jest/globals';
import type { DeliveryFacts } from '../delivery/delivery.tables.js';
import { composeEmail } from './compose-email.js';

const facts = (change: {
  document?: Partial<DeliveryFacts['document']>;
  business?: Partial<DeliveryFacts['business']>;
}): DeliveryFacts => ({
  document: {
    type: 'tax_invoice',
    number: 1042,
    date: '2026-06-15',
    total: 7080,
    public_id: 'public-id',
    customer_name: 'לקוח לדוגמה',
    ...change.document,
  },
  business: {
    name: 'עסק לדוגמה',
    email: 'business@example.com',
    language: 'he',
    quiet_hours: null,
    ...change.business,
  },
});

const base = 'https://example.com/d';

describe('composeEmail', () => {
  it('composeEmail writes Hebrew from right to left for a Hebrew business', () => {
    const email = composeEmail(facts({}), 'customer', base);
    expect(email.subject).toBe('חשבונית מס 1042 מאת עסק לדוגמה');
    expect(email.fileName).toBe('חשבונית-מס-1042.pdf');
    expect(email.html).toContain('<html lang="he" dir="rtl">');
    expect(email.text).toContain('15/06/2026');
  });

  it('composeEmail writes English from left to right for an English business', () => {
    const email = composeEmail(
      facts({ business: { language: 'en', name: 'Example Ltd' } }),
      'customer',
      base,
    );
    expect(email.subject).toBe('Tax invoice 1042 from Example Ltd');
    expect(email.fileName).toBe('tax-invoice-1042.pdf');
    expect(email.html).toContain('<html lang="en" dir="ltr">');
    expect(email.text).toContain('₪7,080.00');
  });

  it('composeEmail links to the page in text and in HTML', () => {
    const email = composeEmail(facts({}), 'customer', base);
    expect(email.text).toContain('\nhttps://example.com/d/public-id\n');
    expect(email.html).toContain('href="https://example.com/d/public-id"');
  });

  it('composeEmail uses a file name that every file system accepts', () => {
    const email = composeEmail(
      facts({ document: { type: 'tax_invoice_receipt', number: 7 } }),
      'customer',
      base,
    );
    expect(email.fileName).toBe('חשבונית-מס-קבלה-7.pdf');
  });

  it("composeEmail marks the accountant's copy and names the customer", () => {
    const email = composeEmail(facts({}), 'accountant', base);
    expect(email.subject).toContain('העתק');
    expect(email.text).toContain('לקוח לדוגמה');
    expect(email.text).not.toContain('שלום');
  });

  it('composeEmail escapes names in headers and markup', () => {
    const email = composeEmail(
      facts({
        business: { name: 'Evil\r\nBcc: all@example.com\u2028<b>' },
        document: { customer_name: '"><script>alert(1)</script>' },
      }),
      'customer',
      base,
    );
    expect(email.subject).not.toMatch(/[\r\n\u2028]/);
    expect(email.html).not.toContain('<script>');
    expect(email.html).not.toContain('<b>');
    expect(email.text.split('\n')).not.toContain('Bcc: all@example.com');
  });

  it('composeEmail isolates only names of the opposite direction', () => {
    const hebrew = composeEmail(
      facts({ business: { name: '2000 Example Ltd.' }, document: { customer_name: 'לקוח לדוגמה 2' } }),
      'customer',
      base,
    );
    expect(hebrew.subject).toBe('חשבונית מס 1042 מאת \u20662000 Example Ltd.\u2069');
    expect(hebrew.text).toContain('\u20662000 Example Ltd.\u2069.');
    expect(hebrew.text).toContain('שלום לקוח לדוגמה 2,');
    const english = composeEmail(
      facts({
        business: { name: 'Example Ltd', language: 'en' },
        document: { customer_name: 'לקוח לדוגמה 2' },
      }),
      'customer',
      base,
    );
    expect(english.subject).toBe('Tax invoice 1042 from Example Ltd');
    expect(english.text).toContain('Dear \u2067לקוח לדוגמה 2\u2069,');
  });

  it('composeEmail removes direction controls from names', () => {
    const email = composeEmail(
      facts({ business: { name: '\u202eltd\u2066' }, document: { customer_name: '\u2069\u200f' } }),
      'customer',
      base,
    );
    expect(email.subject).toBe('חשבונית מס 1042 מאת \u2066ltd\u2069');
    expect(email.text).not.toMatch(/[\u202a-\u202e\u2067\u2068]/);
  });
});
