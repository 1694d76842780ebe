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

const none = { number: null, isPending: false };
const forCustomer = { purpose: 'customer', allocation: none, isFollowUp: false } as const;
const forAccountant = { ...forCustomer, purpose: 'accountant' } as const;
const base = 'https://example.com/d';

describe('composeEmail', () => {
  it('composeEmail writes Hebrew from right to left for a Hebrew business', () => {
    const email = composeEmail(facts({}), forCustomer, base);
    expect(email.subject).toBe('חשבונית מס 1042 מאת עסק לדוגמה');
    expect(email.fileName).toBe('חשבונית-מס-1042.pdf');
    expect(email.html).toContain('<html lang="he" dir="rtl">');
    expect(email.text).toContain('15/06/2026');
  });

  it('composeEmail writes English from left to right for an English business', () => {
    const email = composeEmail(
      facts({ business: { language: 'en', name: 'Example Ltd' } }),
      forCustomer,
      base,
    );
    expect(email.subject).toBe('Tax invoice 1042 from Example Ltd');
    expect(email.fileName).toBe('tax-invoice-1042.pdf');
    expect(email.html).toContain('<html lang="en" dir="ltr">');
    expect(email.text).toContain('₪7,080.00');
  });

  it('composeEmail links to the page in text and in HTML', () => {
    const email = composeEmail(facts({}), forCustomer, base);
    expect(email.text).toContain('\nhttps://example.com/d/public-id\n');
    expect(email.html).toContain('href="https://example.com/d/public-id"');
  });

  it('composeEmail uses a file name that every file system accepts', () => {
    const email = composeEmail(
      facts({ document: { type: 'tax_invoice_receipt', number: 7 } }),
      forCustomer,
      base,
    );
    expect(email.fileName).toBe('חשבונית-מס-קבלה-7.pdf');
  });

  it("composeEmail marks the accountant's copy and names the customer", () => {
    const email = composeEmail(facts({}), forAccountant, base);
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
      forCustomer,
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
      forCustomer,
      base,
    );
    expect(hebrew.subject).toBe('חשבונית מס 1042 מאת \u20662000 Example Ltd.\u2069');
    expect(hebrew.text).toContain('מאת \u20662000 Example Ltd.\u2069\n');
    expect(hebrew.text).toContain('שלום לקוח לדוגמה 2,');
    const english = composeEmail(
      facts({
        business: { name: 'Example Ltd', language: 'en' },
        document: { customer_name: 'לקוח לדוגמה 2' },
      }),
      forCustomer,
      base,
    );
    expect(english.subject).toBe('Tax invoice 1042 from Example Ltd');
    expect(english.text).toContain('Dear \u2067לקוח לדוגמה 2\u2069,');
  });

  it('a name that ends in a full stop gets no second one at the end of a sentence', () => {
    const inc = { name: 'Example Inc.', language: 'en' } as const;
    const toCustomer = composeEmail(facts({ business: inc }), forCustomer, base);
    expect(toCustomer.text).toContain('your tax invoice from Example Inc.\n');
    const customer_name = 'לקוח לדוגמה בע.מ.';
    const toAccountant = composeEmail(facts({ document: { customer_name } }), forAccountant, base);
    expect(toAccountant.text).toContain('עבור לקוח לדוגמה בע.מ.\n');
    expect(composeEmail(facts({}), forCustomer, base).text).toContain('מאת עסק לדוגמה.\n');
    expect(toCustomer.html).not.toContain('..');
  });

  it('composeEmail removes direction controls from names', () => {
    const email = composeEmail(
      facts({ business: { name: '\u202eltd\u2066' }, document: { customer_name: '\u2069\u200f' } }),
      forCustomer,
      base,
    );
    expect(email.subject).toBe('חשבונית מס 1042 מאת \u2066ltd\u2069');
    expect(email.text).not.toMatch(/[\u202a-\u202e\u2067\u2068]/);
  });

  it('composeEmail shows the allocation number where there is one', () => {
    const allocation = { number: '123456789', isPending: false };
    const email = composeEmail(facts({}), { ...forCustomer, allocation }, base);
    expect(email.subject).toBe('חשבונית מס 1042 מאת עסק לדוגמה');
    expect(email.text).toContain('\nמספר הקצאה: 123456789\n');
    expect(email.html).toContain('123456789');
    expect(composeEmail(facts({}), forCustomer, base).text).not.toContain('הקצאה');
  });

  it('composeEmail says that the allocation number is being obtained', () => {
    const occasion = { ...forCustomer, allocation: { number: null, isPending: true } };
    expect(composeEmail(facts({}), occasion, base).text).toContain('מספר ההקצאה בתהליך קבלה מרשות המסים.');
    expect(composeEmail(facts({ business: { language: 'en' } }), occasion, base).html).toContain(
      'The allocation number is being obtained from the tax authority.',
    );
  });

  it('composeEmail says in subject and text of a follow-up that the document now has its number', () => {
    const followUp = { allocation: { number: '123456789', isPending: false }, isFollowUp: true };
    const english = facts({ business: { language: 'en', name: 'Example Ltd' } });
    const customer = composeEmail(facts({}), { ...forCustomer, ...followUp }, base);
    expect(customer.subject).toBe('התקבל מספר הקצאה: חשבונית מס 1042 מאת עסק לדוגמה');
    expect(customer.text).toContain('שנשלחה אליך קודם לכן ללא המספר');
    expect(customer.text).toContain('אין זה מסמך נוסף');
    expect(customer.text).toContain('\nמספר הקצאה: 123456789\n');
    expect(composeEmail(english, { ...forCustomer, ...followUp }, base)).toMatchObject({
      subject: 'Allocation number for Tax invoice 1042 from Example Ltd',
      text: expect.stringContaining('The document now has an allocation number of the tax authority'),
    });
    expect(composeEmail(facts({}), { ...forAccountant, ...followUp }, base)).toMatchObject({
      subject: 'העתק להנהלת חשבונות: התקבל מספר הקצאה, חשבונית מס 1042, עסק לדוגמה',
      text: expect.stringContaining('שהעתק שלה נשלח אליך קודם לכן ללא המספר'),
    });
    expect(composeEmail(english, { ...forAccountant, ...followUp }, base).subject).toBe(
      'Copy for your books: allocation number for Tax invoice 1042, Example Ltd',
    );
  });
});
