import { describe, expect, it } from '@jest/globals';
import { type DeliveryFacts } from '../db/delivery.tables.js';
import { composeEmail } from './compose-email.js';
import { mayConcernUs, sendFailure } from './send-failure.js';
import { serverAnswers } from './server-answers.vectors.js';

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
    artifact_sha256: 'ab'.repeat(32),
    customer_name: 'לקוח לדוגמה',
    due_date: null,
    figures: [],
    vat_rate: 18,
    discount_percent: null,
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
const forCustomer = { purpose: 'customer', allocation: none, isFollowUp: false, logo: null } as const;
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

  describe('how to pay', () => {
    const payment_instructions = {
      bank: 'הפועלים (12)',
      branch: '601',
      account: '345678',
      link: 'https://pay.example.com/me?a=1&b=2',
    };
    const asking = facts({ document: { due_date: '2026-07-15' }, business: { payment_instructions } });

    it('composeEmail states how to pay to a customer who has something left to pay', () => {
      for (const balance of [7080, 80, undefined]) {
        const email = composeEmail(asking, { ...forCustomer, balance }, base);
        expect(email.text).toContain(
          'איך משלמים:\nבנק: הפועלים (12)\nסניף: 601\nמספר חשבון: 345678\nתשלום מקוון:\nhttps://pay.example.com/me?a=1&b=2\n',
        );
        expect(email.html).toContain('href="https://pay.example.com/me?a=1&amp;b=2"');
      }
    });

    it.each([
      ['of a paid invoice', asking, { ...forCustomer, balance: 0 }],
      ['to the accountant', asking, { ...forAccountant, balance: 7080 }],
      ['of a document that asks for no payment', facts({ business: { payment_instructions } }), forCustomer],
    ])('composeEmail does not state how to pay in an email %s', (_, given, occasion) => {
      const email = composeEmail(given, occasion, base);
      expect(`${email.text}${email.html}`).not.toMatch(/איך משלמים|pay\.example/);
    });
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
    expect(email.subject).toContain('עותק');
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

  it('composeEmail states that the allocation number is being obtained', () => {
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
      subject: 'עותק לרואה החשבון: התקבל מספר הקצאה, חשבונית מס 1042, עסק לדוגמה',
      text: expect.stringContaining('שעותק שלה נשלח אליך קודם לכן ללא המספר'),
    });
    expect(composeEmail(english, { ...forAccountant, ...followUp }, base).subject).toBe(
      'Copy for your books: allocation number for Tax invoice 1042, Example Ltd',
    );
  });

  const figures = [
    { kind: 'gross_lines', amount: 3186 },
    { kind: 'lines', amount: 2700 },
    { kind: 'discount', amount: -150 },
    { kind: 'net', amount: 2550 },
    { kind: 'vat', amount: 459 },
  ] as const;
  const priced = { figures, vat_rate: 18, discount_percent: 12.5, total: 3009, due_date: '2026-07-15' };
  /** The facts of an email's text, without the marks of direction that figures have. */
  const factsIn = (text: string) =>
    text
      .replaceAll(/[\u200e\u200f\u00a0]/g, (sign) => (sign === '\u00a0' ? ' ' : ''))
      .split('\n\n')
      .find((part) => part.includes('1042\n') || part.endsWith('1042'))
      ?.split('\n');

  it('composeEmail shows the figures as the document does, what is to be paid and until when', () => {
    const allocation = { number: '123456789', isPending: false };
    const occasion = { ...forCustomer, allocation, balance: 3009 };
    expect(factsIn(composeEmail(facts({ document: priced }), occasion, base).text)).toEqual([
      'מספר: 1042',
      'תאריך: 15/06/2026',
      'סכום ביניים כולל מע"מ: 3,186.00 ₪',
      'סכום ביניים ללא מע"מ: 2,700.00 ₪',
      'הנחה 12.5%: -150.00 ₪',
      'סה"כ לפני מע"מ: 2,550.00 ₪',
      'מס ערך מוסף (מע"מ) 18%: 459.00 ₪',
      'סכום לתשלום: 3,009.00 ₪',
      'לתשלום עד: 15/07/2026',
      'מספר הקצאה: 123456789',
    ]);
    const english = facts({ document: priced, business: { language: 'en' } });
    expect(factsIn(composeEmail(english, occasion, base).text)).toEqual([
      'Number: 1042',
      'Date: 15 Jun 2026',
      'Subtotal incl. VAT: ₪3,186.00',
      'Subtotal excl. VAT: ₪2,700.00',
      'Discount 12.5%: -₪150.00',
      'Total before VAT: ₪2,550.00',
      'VAT 18%: ₪459.00',
      'Amount due: ₪3,009.00',
      'Due date: 15 Jul 2026',
      'Allocation number: 123456789',
    ]);
  });

  it.each([
    ['a part was paid', 1508.5, ['סה"כ: 3,009.00 ₪', 'יתרה לתשלום: 1,508.50 ₪', 'לתשלום עד: 15/07/2026']],
    ['all was paid', 0, ['סה"כ: 3,009.00 ₪', 'יתרה לתשלום: 0.00 ₪']],
    ['more was paid', -0.01, ['סה"כ: 3,009.00 ₪', 'יתרת זכות: 0.01 ₪']],
    ['another document asks for the payment', null, ['סה"כ: 3,009.00 ₪']],
    ['it is not known what was paid', undefined, ['סה"כ: 3,009.00 ₪', 'לתשלום עד: 15/07/2026']],
  ] as const)('composeEmail shows what is left to pay where %s', (_what, balance, rows) => {
    const { text } = composeEmail(facts({ document: priced }), { ...forCustomer, balance }, base);
    const shown = factsIn(text) ?? [];
    expect(shown.slice(shown.findIndex((row) => row.includes('18%')) + 1)).toEqual(rows);
  });

  it('composeEmail states of a receipt what was received, what its customer has withheld and what both settle', () => {
    const document = { type: 'receipt', total: 1140.1, withheld: 39.9 } as const;
    const occasion = { ...forCustomer, balance: null };
    expect(factsIn(composeEmail(facts({ document }), occasion, base).text)?.slice(2)).toEqual([
      'סה"כ התקבל: 1,140.10 ₪',
      'ניכוי מס במקור: 39.90 ₪',
      'סה"כ נפרע: 1,180.00 ₪',
    ]);
    const english = facts({ document, business: { language: 'en' } });
    expect(factsIn(composeEmail(english, occasion, base).text)?.slice(2)).toEqual([
      'Total received: ₪1,140.10',
      'Tax withheld at source: ₪39.90',
      'Total settled: ₪1,180.00',
    ]);
  });

  it('composeEmail shows only the total where there is neither discount nor VAT, and nothing of a note without prices', () => {
    const plain = { type: 'receipt', figures: [], due_date: null, total: 100 } as const;
    expect(factsIn(composeEmail(facts({ document: plain }), forCustomer, base).text)).toEqual([
      'מספר: 1042',
      'תאריך: 15/06/2026',
      'סה"כ: 100.00 ₪',
    ]);
    const note = { type: 'delivery_note', figures: null, due_date: null } as const;
    const email = composeEmail(facts({ document: note }), forCustomer, base);
    expect(email.text).not.toMatch(/₪|7,080/);
    expect(email.html).not.toMatch(/₪|7,080/);
  });

  it('composeEmail has the accent of the business, with letters that can be read on it', () => {
    const button = (accent_color: string) =>
      /background:(#[0-9a-f]{6});color:(#[0-9a-f]{6})/.exec(
        composeEmail(facts({ business: { accent_color } }), forCustomer, base).html,
      );
    expect(button('#0b6e4f')?.slice(1)).toEqual(['#0b6e4f', '#ffffff']);
    expect(button('#ffd700')?.slice(1)).toEqual(['#ffd700', '#000000']);
  });

  it('composeEmail shows a logo that travels with it, and nothing from elsewhere', () => {
    const logo = { bytes: Buffer.from('png'), width: 460, height: 230 };
    const { html } = composeEmail(facts({}), { ...forCustomer, logo }, base);
    expect(html).toContain('<img src="cid:logo@pinkas" alt="" width="128" height="64"');
    expect(html.match(/(?:src|background|url)\W{1,2}https?:/g)).toBeNull();
    expect(composeEmail(facts({}), forCustomer, base).html).not.toContain('<img');
  });
});

describe('sendFailure', () => {
  it.each([
    ['the recipient refused for good', { code: 'EENVELOPE', responseCode: 550 }, 'permanent'],
    ['the recipient refused for now', { code: 'EENVELOPE', responseCode: 451 }, 'temporary'],
    ['a content refused for good', { code: 'EMESSAGE', responseCode: 552 }, 'permanent'],
    ['a content refused for now', { code: 'EMESSAGE', responseCode: 452 }, 'temporary'],
    ['a server that shuts down', { code: 'EMESSAGE', responseCode: 421 }, 'temporary'],
    ['an address that is none', { code: 'EENVELOPE' }, 'permanent'],
    ['a server that wants a login', { code: 'EENVELOPE', responseCode: 530 }, 'temporary'],
    ['a wrong login', { code: 'EAUTH', responseCode: 535 }, 'temporary'],
    ['a greeting that refuses us', { code: 'EPROTOCOL', responseCode: 554 }, 'temporary'],
    ['no connection', { code: 'ESOCKET' }, 'temporary'],
  ])('sendFailure classifies %s', (_case, error, kind) => {
    expect(sendFailure({ ...error, message: 'x' }, false).kind).toBe(kind);
  });

  it('sendFailure reports an unknown outcome when the connection breaks after the last byte', () => {
    expect(sendFailure({ code: 'ETIMEDOUT', message: 'Timeout' }, true).kind).toBe('unknown');
    expect(sendFailure({ code: 'EMESSAGE', responseCode: 550, message: 'x' }, true).kind).toBe('permanent');
  });

  it.each([
    ['550 no such mailbox here', 550],
    ['550 5.1.1 The email account that you tried to reach does not exist', 550],
    ['551 5.1.6 User has moved', 551],
    ['553 5.1.3 Bad recipient address syntax', 553],
    ['556 5.1.10 Recipient address has null MX', 556],
    ['550 5.2.1 The account is disabled', 550],
    ['550 5.1.1 <access@relay.example.com>: no such user, see https://example.com/sender', 550],
  ])('sendFailure recognizes an unknown mailbox in %s', (response, responseCode) => {
    const error = { code: 'EENVELOPE', command: 'RCPT TO', response, responseCode, message: 'x' };
    expect(sendFailure(error, false)).toEqual({
      kind: 'permanent',
      reason: response,
      failure: 'unknown_address',
    });
  });

  it.each([
    ['RCPT TO', '552 5.2.2 Mailbox full', 552],
    ['RCPT TO', '550 The mailbox is full', 550],
    ['RCPT TO', '501 Syntax error', 501],
    ['MAIL FROM', '552 5.3.4 Message size exceeds fixed limit', 552],
    ['DATA', '550 5.1.1 The content is unwanted', 550],
    ['DATA', '554 5.7.1 The content looks like spam', 554],
  ])('sendFailure blames neither the address nor us for %s: %s', (command, response, responseCode) => {
    const error = { code: 'EENVELOPE', command, response, responseCode, message: 'x' };
    expect(sendFailure(error, false)).toEqual({ kind: 'permanent', reason: response });
  });

  it.each([
    ['RCPT TO', '550 5.7.1 Unauthenticated mail is not accepted', 550],
    ['RCPT TO', '554 5.7.1 Relay access denied', 554],
    ['RCPT TO', '550 relay not permitted', 550],
    ['RCPT TO', '550 Blocked by a block list', 550],
    ['RCPT TO', '550 5.1.8 Bad system address', 550],
    ['RCPT TO', '550 5.1.0 Address rejected', 550],
    ['MAIL FROM', '550 5.1.0 Address rejected', 550],
    ['MAIL FROM', '550 mailbox not found', 550],
    ['DATA', '550 5.7.60 Client does not have permissions to send as this sender', 550],
  ])('sendFailure reports that the server may refuse us for %s: %s', (command, response, responseCode) => {
    const error = { code: 'EENVELOPE', command, response, responseCode, message: 'x' };
    expect(sendFailure(error, false)).toEqual({
      kind: 'temporary',
      reason: response,
      failure: 'relay_denied',
    });
  });

  it.each(serverAnswers)('sendFailure judges what $server answers where $why', ({ answer, verdict }) => {
    const responseCode = Number(answer.slice(0, 3));
    const error = { code: 'EENVELOPE', command: 'RCPT TO', response: answer, responseCode, message: 'x' };
    expect(sendFailure(error, false).failure ?? 'neither').toBe(verdict);
    expect(mayConcernUs(answer)).toBe(verdict === 'relay_denied');
  });

  it.each([
    ['EAUTH', 535],
    ['EENVELOPE', 530],
  ])('sendFailure reports denied access for %s %s as temporary', (code, responseCode) => {
    expect(sendFailure({ code, responseCode, message: 'x' }, false)).toEqual({
      kind: 'temporary',
      reason: 'x',
      failure: 'access_denied',
    });
  });

  it('sendFailure truncates the response of the server to a single line', () => {
    const reason = sendFailure(
      { code: 'EENVELOPE', responseCode: 550, response: `550 no\r\n${'x'.repeat(1_000)}`, message: 'y' },
      false,
    ).reason;
    expect(reason).toMatch(/^550 no x+$/);
    expect(reason.length).toBe(300);
  });
});
