import { describe, expect, it } from '@jest/globals';
import { contentDisposition, knownHashes } from './pdf-response.js';

describe('contentDisposition', () => {
  it('a PDF is named in ASCII, and in the language of the business for readers of RFC 8187', () => {
    expect(contentDisposition({ type: 'tax_invoice_receipt', number: 12 }, 'en', 'inline')).toBe(
      `inline; filename="tax-invoice-receipt-12.pdf"; filename*=UTF-8''Tax%20invoice-receipt%2012.pdf`,
    );
    const hebrew =
      contentDisposition({ type: 'receipt', number: 3 }, 'he', 'attachment').split("UTF-8''")[1] ?? '';
    expect(decodeURIComponent(hebrew)).toBe('קבלה 3.pdf');
  });
});

describe('knownHashes', () => {
  it('the hashes of an If-None-Match header are its strong and weak tags that are one, ten at most', () => {
    const hash = (digit: string) => digit.repeat(64);
    expect(knownHashes(`"${hash('a')}", W/"${hash('b')}", "short", "${'A'.repeat(64)}"`)).toEqual([
      hash('a'),
      hash('b'),
    ]);
    expect(knownHashes('')).toEqual([]);
    expect(knownHashes(Array.from({ length: 20 }, () => `"${hash('c')}"`).join())).toHaveLength(10);
  });
});
