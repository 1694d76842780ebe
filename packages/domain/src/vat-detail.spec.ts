import { describe, expect, it } from '@jest/globals';
import { VatDetail, type VatDetailDocument, vatDetailLayouts, vatReportMonth } from './vat-detail.js';

const parts = { taxId: '514713288', month: '2026-06', madeOn: '2026-07-03' };

function sale(change: Partial<VatDetailDocument> = {}): VatDetailDocument {
  return {
    type: 'tax_invoice',
    number: 17,
    date: '2026-06-15',
    customer: { tax_id: '777777715', legal_type: 'hevra_baam' },
    totals: { subtotal: 10_000.5, discount: 0, vat: 1800.09 },
    allocation_number: '123456789',
    ...change,
  };
}

function fileOf(...documents: VatDetailDocument[]): string[] {
  const detail = new VatDetail();
  for (const document of documents) {
    detail.add(document);
  }
  return [...detail.lines(parts)];
}

/** Reads a line back by the columns of the authority's description, which the writer does not use. */
const columns = {
  header: [
    ['record', 1, 1],
    ['vat_number', 2, 10],
    ['month', 11, 16],
    ['report_type', 17, 17],
    ['made_on', 18, 25],
    ['taxable_sales', 26, 37],
    ['taxable_sales_vat', 38, 47],
    ['other_rate_sales', 48, 59],
    ['other_rate_sales_vat', 60, 69],
    ['sale_rows', 70, 78],
    ['untaxed_sales', 79, 90],
    ['other_inputs_vat', 91, 100],
    ['equipment_inputs_vat', 101, 110],
    ['input_rows', 111, 119],
    ['vat_to_pay', 120, 131],
  ],
  sale: [
    ['record', 1, 1],
    ['customer_vat_number', 2, 10],
    ['date', 11, 18],
    ['reference_group', 19, 22],
    ['reference', 23, 31],
    ['vat', 32, 40],
    ['net', 41, 51],
    ['allocation_number', 52, 60],
  ],
  end: [
    ['record', 1, 1],
    ['vat_number', 2, 10],
  ],
} as const;

const read = (record: keyof typeof columns, line = '') =>
  Object.fromEntries(columns[record].map(([name, first, last]) => [name, line.slice(first - 1, last)]));

describe('the detailed VAT report', () => {
  it.each([
    ['header', 131],
    ['sale', 60],
    ['end', 10],
  ] as const)('every field of the %s has its width, %s characters together', (record, length) => {
    const widths: Record<string, number> = {};
    for (const { name, length: width } of vatDetailLayouts[record]) {
      const column = name.replace(/_sign$/, '');
      widths[column] = (widths[column] ?? 0) + width;
    }
    expect(widths).toEqual(
      Object.fromEntries(columns[record].map(([name, first, last]) => [name, last - first + 1])),
    );
    const lines = fileOf(sale());
    const line = { header: lines[0], sale: lines[1], end: lines[2] }[record];
    expect(line).toHaveLength(length + 2);
    expect(line?.endsWith('\r\n')).toBe(true);
  });

  it('a row has whole shekels, the customer, the number and the allocation number', () => {
    expect(read('sale', fileOf(sale())[1])).toEqual({
      record: 'S',
      customer_vat_number: '777777715',
      date: '20260615',
      reference_group: '0000',
      reference: '000000017',
      vat: '000001800',
      net: '+0000010001',
      allocation_number: '123456789',
    });
  });

  it('a credit note is negative, and a customer without a number of a dealer is not identified', () => {
    const credit = sale({ type: 'credit_note', number: 12_345_678_901, allocation_number: null });
    expect(read('sale', fileOf(credit)[1])).toMatchObject({
      net: '-0000010001',
      vat: '000001800',
      reference: '345678901',
      allocation_number: '000000000',
    });
    const nameless = { record: 'L', customer_vat_number: '000000000' };
    for (const customer of [
      { tax_id: null, legal_type: null },
      { tax_id: '123456782', legal_type: 'private' },
    ] as const) {
      expect(read('sale', fileOf(sale({ customer }))[1])).toMatchObject(nameless);
    }
    const short = sale({ customer: { tax_id: '18', legal_type: null } });
    expect(read('sale', fileOf(short)[1])).toMatchObject({ record: 'S', customer_vat_number: '000000018' });
  });

  it('the header sums the rows as they are written, sales without VAT apart', () => {
    const lines = fileOf(
      sale({ totals: { subtotal: 100.4, discount: 0, vat: 18.07 } }),
      sale({ totals: { subtotal: 110.4, discount: 10, vat: 18.07 } }),
      sale({ type: 'tax_invoice_receipt', totals: { subtotal: 50, discount: 0, vat: 0 } }),
      sale({ type: 'credit_note', totals: { subtotal: 300, discount: 0, vat: 54 } }),
      sale({ type: 'quote' }),
      sale({ type: 'receipt' }),
      sale({ totals: { subtotal: 10, discount: 10, vat: 0 } }),
    );
    expect(lines).toHaveLength(6);
    expect(read('header', lines[0])).toEqual({
      ...{ record: 'O', vat_number: '514713288', month: '202606', report_type: '1', made_on: '20260703' },
      ...{ taxable_sales: '-00000000100', taxable_sales_vat: '-000000018', sale_rows: '000000004' },
      ...{ other_rate_sales: '+00000000000', other_rate_sales_vat: '+000000000' },
      ...{ untaxed_sales: '+00000000050', vat_to_pay: '-00000000018', input_rows: '000000000' },
      ...{ other_inputs_vat: '+000000000', equipment_inputs_vat: '+000000000' },
    });
    expect(read('end', lines.at(-1))).toEqual({ record: 'X', vat_number: '514713288' });
  });

  it('an amount that does not fit its field is refused', () => {
    const large = sale({ totals: { subtotal: 99_999_999_999, discount: 0, vat: 0 } });
    expect(() => fileOf(large)).toThrow('net does not fit into 10 characters');
  });

  it.each([
    ['2026-06-01', '2026-06-30', '2026-06'],
    ['2026-05-01', '2026-06-30', '2026-06'],
    ['2025-12-01', '2026-01-31', '2026-01'],
    ['2028-02-01', '2028-02-29', '2028-02'],
    ['2026-02-01', '2026-02-27', null],
    ['2026-06-02', '2026-06-30', null],
    ['2026-04-01', '2026-06-30', null],
    ['2026-06-01', '2026-05-31', null],
  ])('a report from %s to %s is of the month %s', (from, to, month) => {
    expect(vatReportMonth(from, to)).toBe(month);
  });
});
