import { describe, expect, it } from '@jest/globals';
import type { DocumentType } from './document-types.js';
import { monthResults } from './month-results.js';

const row = (type: DocumentType, net: bigint, vat: bigint, month = '2026-06') => ({
  month,
  type,
  net,
  vat,
  total: net + vat,
});

describe('monthResults', () => {
  it('monthResults subtracts credit notes from invoices, and takes quotes and receipts for no income', () => {
    const sums = [
      row('tax_invoice', 100_000n, 18_000n),
      row('tax_invoice_receipt', 10_000n, 1_800n),
      row('credit_note', 5_000n, 900n),
      row('quote', 900_000n, 162_000n),
      row('receipt', 50_000n, 0n),
      row('tax_invoice', 1n, 0n, '2026-05'),
    ];
    expect([...monthResults('hevra_baam', sums)]).toEqual([
      ['2026-06', { income: 105_000n, vat: 18_900n, received: 61_800n }],
      ['2026-05', { income: 1n, vat: 0n, received: 0n }],
    ]);
  });

  it('monthResults takes what was received for the income of a business that issues no tax invoices', () => {
    expect(monthResults('amuta', [row('donation_receipt', 300n, 0n), row('receipt', 20n, 0n)])).toEqual(
      new Map([['2026-06', { income: 320n, vat: 0n, received: 320n }]]),
    );
  });
});
