import { describe, expect, it } from '@jest/globals';
import { type TotalledDocument, totalRows } from './total-rows.js';

const document = (change: Partial<TotalledDocument> = {}): TotalledDocument => ({
  type: 'tax_invoice',
  items: [{ line_total: 1770 }, { line_total: 1416 }],
  prices_include_vat: false,
  totals: { subtotal: 2700, discount: 150, vat: 459 },
  ...change,
});

describe('totalRows', () => {
  it('totalRows leads from the lines over the discount and the net to the VAT', () => {
    expect(totalRows(document(), 'osek_murshe')).toEqual([
      { kind: 'lines', amount: 270_000n },
      { kind: 'discount', amount: -15_000n },
      { kind: 'net', amount: 255_000n },
      { kind: 'vat', amount: 45_900n },
    ]);
  });

  it('totalRows begins with the sum of the lines where prices are gross', () => {
    const gross = document({ prices_include_vat: true });
    expect(totalRows(gross, 'osek_murshe')[0]).toEqual({ kind: 'gross_lines', amount: 318_600n });
  });

  it('totalRows shows a receipt and a business that is no dealer no net and no VAT', () => {
    const totals = { subtotal: 100, discount: 0, vat: 0 };
    expect(totalRows(document({ type: 'receipt' }), 'osek_murshe').map(({ kind }) => kind)).toEqual([
      'lines',
      'discount',
    ]);
    expect(totalRows(document({ totals }), 'osek_patur')).toEqual([]);
    // A dealer with a zero rate states the zero.
    expect(totalRows(document({ totals }), 'osek_murshe').at(-1)).toEqual({ kind: 'vat', amount: 0n });
  });
});
