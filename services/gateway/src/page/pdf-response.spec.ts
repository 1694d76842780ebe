import { describe, expect, it } from '@jest/globals';
import { contentDisposition, matchesEntityTag } from './pdf-response.js';

describe('the name of a PDF file', () => {
  it('is plain for old readers and in the language of the business for all others', () => {
    expect(contentDisposition({ type: 'tax_invoice_receipt', number: 12 }, 'en', 'inline')).toBe(
      `inline; filename="tax-invoice-receipt-12.pdf"; filename*=UTF-8''Tax%20invoice-receipt%2012.pdf`,
    );
    const hebrew =
      contentDisposition({ type: 'receipt', number: 3 }, 'he', 'attachment').split("UTF-8''")[1] ?? '';
    expect(decodeURIComponent(hebrew)).toBe('קבלה 3.pdf');
  });
});

describe('If-None-Match', () => {
  it.each(['"a"', 'W/"a"', '"b", "a"', '*'])('%p matches', (header) =>
    expect(matchesEntityTag(header, '"a"')).toBe(true),
  );
  it.each(['', '"b"', 'a', '"a'])('%p does not match', (header) =>
    expect(matchesEntityTag(header, '"a"')).toBe(false),
  );
});
