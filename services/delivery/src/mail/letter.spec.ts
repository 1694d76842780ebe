import { describe, expect, it } from '@jest/globals';
import type { DeliveryFacts } from '../delivery/delivery.tables.js';
import { writeLetter } from './letter.js';

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

describe('the mail of a document', () => {
  it('is in Hebrew and right to left for a Hebrew business', () => {
    const letter = writeLetter(facts({}), 'customer', base);
    expect(letter.subject).toBe('חשבונית מס 1042 מאת עסק לדוגמה');
    expect(letter.fileName).toBe('חשבונית-מס-1042.pdf');
    expect(letter.html).toContain('<html lang="he" dir="rtl">');
    expect(letter.text).toContain('15/06/2026');
  });

  it('is in English and left to right for an English business', () => {
    const letter = writeLetter(
      facts({ business: { language: 'en', name: 'Example Ltd' } }),
      'customer',
      base,
    );
    expect(letter.subject).toBe('Tax invoice 1042 from Example Ltd');
    expect(letter.fileName).toBe('tax-invoice-1042.pdf');
    expect(letter.html).toContain('<html lang="en" dir="ltr">');
    expect(letter.text).toContain('₪7,080.00');
  });

  it('leads to the page, in text and in HTML', () => {
    const letter = writeLetter(facts({}), 'customer', base);
    expect(letter.text).toContain('\nhttps://example.com/d/public-id\n');
    expect(letter.html).toContain('href="https://example.com/d/public-id"');
  });

  it('names a file without signs that file systems refuse', () => {
    const letter = writeLetter(
      facts({ document: { type: 'tax_invoice_receipt', number: 7 } }),
      'customer',
      base,
    );
    expect(letter.fileName).toBe('חשבונית-מס-קבלה-7.pdf');
  });

  it('says on the copy for the accountant that it is one, and for whom the document was', () => {
    const letter = writeLetter(facts({}), 'accountant', base);
    expect(letter.subject).toContain('העתק');
    expect(letter.text).toContain('לקוח לדוגמה');
    expect(letter.text).not.toContain('שלום');
  });

  it('lets no name become a header or markup', () => {
    const letter = writeLetter(
      facts({
        business: { name: 'Evil\r\nBcc: all@example.com\u2028<b>' },
        document: { customer_name: '"><script>alert(1)</script>' },
      }),
      'customer',
      base,
    );
    expect(letter.subject).not.toMatch(/[\r\n\u2028]/);
    expect(letter.html).not.toContain('<script>');
    expect(letter.html).not.toContain('<b>');
    expect(letter.text.split('\n')).not.toContain('Bcc: all@example.com');
  });

  it('isolates a name that runs the other way, and no other, so that its numbers stay on its right side', () => {
    const hebrew = writeLetter(
      facts({ business: { name: '2000 Example Ltd.' }, document: { customer_name: 'לקוח לדוגמה 2' } }),
      'customer',
      base,
    );
    expect(hebrew.subject).toBe('חשבונית מס 1042 מאת \u20682000 Example Ltd.\u2069');
    expect(hebrew.text).toContain('\u20682000 Example Ltd.\u2069.');
    expect(hebrew.text).toContain('שלום לקוח לדוגמה 2,');
    const english = writeLetter(
      facts({
        business: { name: 'Example Ltd', language: 'en' },
        document: { customer_name: 'לקוח לדוגמה 2' },
      }),
      'customer',
      base,
    );
    expect(english.subject).toBe('Tax invoice 1042 from Example Ltd');
    expect(english.text).toContain('Dear \u2068לקוח לדוגמה 2\u2069,');
  });

  it('lets no name turn the direction of what stands beside it', () => {
    const letter = writeLetter(
      facts({ business: { name: '\u202eltd\u2066' }, document: { customer_name: '\u2069\u200f' } }),
      'customer',
      base,
    );
    expect(letter.subject).toBe('חשבונית מס 1042 מאת \u2068ltd\u2069');
    expect(letter.text).not.toMatch(/[\u202a-\u202e\u2066\u2067]/);
  });
});
