import { describe, expect, it } from '@jest/globals';
import type { DocumentType } from './document-types.js';
import { monthResults } from './month-results.js';
import { periodReport, type TypeSum, wholeShekels } from './period-report.js';

const row = (type: TypeSum['type'], vatRate: number, net: bigint, vat: bigint): TypeSum => ({
  type,
  vatRate,
  documents: 1,
  net,
  vat,
  total: net + vat,
});

describe('periodReport', () => {
  const types = [
    row('tax_invoice', 18, 100_050n, 18_009n),
    row('tax_invoice_receipt', 18, 10_000n, 1_800n),
    row('credit_note', 18, 5_000n, 900n),
    row('tax_invoice', 17, 1_000n, 170n),
    row('tax_invoice', 0, 7_050n, 0n),
    row('credit_note', 0, 50n, 0n),
    row('quote', 18, 999_999n, 179_999n),
    row('receipt', 18, 100_000n, 18_000n),
  ];

  it('periodReport subtracts credit notes at each rate, and counts neither quotes nor receipts as sales', () => {
    const report = periodReport('hevra_baam', types, [118_000n, 11_800n]);
    expect(report.rates).toEqual([
      { vatRate: 18, net: 105_050n, vat: 18_909n, total: 123_959n },
      { vatRate: 17, net: 1_000n, vat: 170n, total: 1_170n },
      { vatRate: 0, net: 7_000n, vat: 0n, total: 7_000n },
    ]);
    expect(report.sales).toEqual({ net: 113_050n, vat: 19_079n, total: 132_129n });
    expect(report.taxable).toEqual({ net: 106_050n, vat: 19_079n, total: 125_129n });
    expect(report).toMatchObject({ untaxed: 7_000n, received: 129_800n });
    expect(report.reported).toEqual({ taxable: 1_061n, vat: 191n, untaxed: 70n });
    expect(report.income).toEqual({ basis: 'invoices', amount: 113_050n });
  });

  it('periodReport takes what was received for the income of a business that issues no tax invoices', () => {
    const { income } = periodReport('osek_patur', [row('receipt', 0, 118_000n, 0n)], [100_000n, 18_001n]);
    expect(income).toEqual({ basis: 'receipts', amount: 118_001n });
  });

  it('periodReport of more credits than sales is negative', () => {
    expect(periodReport('osek_murshe', [row('credit_note', 18, 150n, 27n)], [])).toMatchObject({
      sales: { net: -150n, vat: -27n, total: -177n },
      reported: { taxable: -2n, vat: 0n },
    });
  });

  it.each([
    [49n, 0n],
    [50n, 1n],
    [149n, 1n],
    [-50n, -1n],
  ])('%s agorot are %s whole shekels', (agorot, shekels) => {
    expect(wholeShekels(agorot)).toBe(shekels);
  });
});

const monthRow = (type: DocumentType, net: bigint, vat: bigint, month = '2026-06') => ({
  month,
  type,
  net,
  vat,
  total: net + vat,
});

describe('monthResults', () => {
  it('monthResults subtracts credit notes from invoices, and takes quotes and receipts for no income', () => {
    const sums = [
      monthRow('tax_invoice', 100_000n, 18_000n),
      monthRow('tax_invoice_receipt', 10_000n, 1_800n),
      monthRow('credit_note', 5_000n, 900n),
      monthRow('quote', 900_000n, 162_000n),
      monthRow('receipt', 50_000n, 0n),
      monthRow('tax_invoice', 1n, 0n, '2026-05'),
    ];
    expect([...monthResults('hevra_baam', sums)]).toEqual([
      ['2026-06', { income: 105_000n, vat: 18_900n, received: 61_800n }],
      ['2026-05', { income: 1n, vat: 0n, received: 0n }],
    ]);
  });

  it('monthResults takes what was received for the income of a business that issues no tax invoices', () => {
    expect(
      monthResults('amuta', [monthRow('donation_receipt', 300n, 0n), monthRow('receipt', 20n, 0n)]),
    ).toEqual(new Map([['2026-06', { income: 320n, vat: 0n, received: 320n }]]));
  });
});
