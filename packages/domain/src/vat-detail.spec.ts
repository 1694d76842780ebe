import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  hasNegativeSum,
  VatDetail,
  type VatDetailDocument,
  type VatDetailPlace,
  vatDetailLayouts,
  vatReportMonth,
} from './vat-detail.js';

const parts = { taxId: '514713288', month: '2026-06', madeOn: '2026-07-03' };

function sale(change: Partial<VatDetailDocument> = {}): VatDetailDocument {
  return {
    type: 'tax_invoice',
    number: 17,
    date: '2026-06-15',
    customer: { tax_id: '777777715', legal_type: 'hevra_baam' },
    totals: { subtotal: 10_000.5, discount: 0, vat: 1800.09, vat_rate: 18 },
    allocation_number: '123456789',
    ...change,
  };
}

/** The amounts of a document at a rate. */
const net = (subtotal: number, vat: number, vat_rate = 18) => ({
  totals: { subtotal, discount: 0, vat, vat_rate },
});
const nameless = { customer: { tax_id: null, legal_type: null } } as const;

function written(of: typeof parts, ...documents: VatDetailDocument[]) {
  const detail = new VatDetail();
  const places = documents.map((document) => detail.add(document));
  const lines = [
    ...places.flatMap((place) => (place.kind === 'row' ? [place.line] : [])),
    ...detail.collectedLines(),
  ];
  return { detail, places, lines: [detail.header(of), ...lines, detail.end(of.taxId)] };
}

const fileOf = (...documents: VatDetailDocument[]): string[] => written(parts, ...documents).lines;

const arbitrarySale = fc
  .record({
    type: fc.constantFrom('tax_invoice' as const, 'credit_note' as const),
    isIdentified: fc.boolean(),
    agorot: fc.integer({ min: 1, max: 600_000 }),
    rate: fc.constantFrom(17, 18),
  })
  .map(({ type, isIdentified, agorot, rate }) =>
    sale({
      type,
      ...(!isIdentified && nameless),
      ...net(agorot / 100, Math.round((agorot * rate) / 100) / 100, rate),
    }),
  );

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

  it('a credit note is negative, with the last nine digits of its number', () => {
    const credit = sale({ type: 'credit_note', number: 12_345_678_901, allocation_number: null });
    expect(read('sale', fileOf(credit)[1])).toMatchObject({
      net: '-0000010001',
      vat: '000001800',
      reference: '345678901',
      allocation_number: '000000000',
    });
    const small = sale({ type: 'credit_note', ...net(0.6, 0.11) });
    expect(read('sale', fileOf(small)[1])).toMatchObject({ net: '-0000000001', vat: '000000000' });
  });

  it('a dealer is identified by a number of nine digits, and a private person is not', () => {
    const short = sale({ customer: { tax_id: '18', legal_type: null } });
    expect(read('sale', fileOf(short)[1])).toMatchObject({ record: 'S', customer_vat_number: '000000018' });
    const person = sale({ customer: { tax_id: '123456782', legal_type: 'private' } });
    expect(read('sale', fileOf(person)[1])).toMatchObject({
      ...{ record: 'L', customer_vat_number: '000000000', reference: '000000001' },
      ...{ net: '+0000010001', allocation_number: '000000000' },
    });
  });

  it('the file of a month is that of the example in the circular, character by character', () => {
    const dated = (number: number, day: string, change: Partial<VatDetailDocument>) =>
      sale({ number, date: `2026-06-${day}`, allocation_number: null, ...change });
    const buyer = (tax_id: string) => ({ customer: { tax_id, legal_type: null } });
    const { lines } = written(
      { taxId: '18', month: '2026-06', madeOn: '2026-07-10' },
      dated(101, '03', { ...buyer('26'), ...net(6_000, 1_080), allocation_number: '012345678' }),
      dated(102, '05', { ...buyer('34'), ...net(1_234.5, 222.21) }),
      dated(103, '09', { ...nameless, ...net(100, 18) }),
      dated(104, '28', { ...nameless, ...net(49.99, 9) }),
      dated(105, '12', { ...nameless, ...net(250.4, 45.07) }),
      dated(106, '15', { ...buyer('34'), ...net(2_000, 0, 0) }),
      dated(8, '22', { type: 'credit_note', ...nameless, ...net(50, 9) }),
      dated(7, '20', { type: 'credit_note', ...buyer('26'), ...net(1_000, 180) }),
    );
    expect(lines.join('')).toBe(
      [
        'O000000018202606120260710+00000006585+000001185+00000000000+000000000000000006' +
          '+00000002000+000000000+000000000000000000+00000001185',
        'S000000026202606030000000000101000001080+0000006000012345678',
        'S000000034202606050000000000102000000222+0000001235000000000',
        'S000000034202606150000000000106000000000+0000002000000000000',
        'S000000026202606200000000000007000000180-0000001000000000000',
        'L000000000202606280000000000003000000072+0000000400000000000',
        'L000000000202606220000000000001000000009-0000000050000000000',
        'X000000018',
        '',
      ].join('\r\n'),
    );
  });

  it('the rate decides what is taxed, and small unidentified sales are rounded together', () => {
    const coffees = Array.from({ length: 50 }, () => sale({ ...nameless, ...net(2, 0.36) }));
    const { lines, detail } = written(parts, ...coffees, sale({ ...nameless, ...net(30, 0, 0) }));
    expect(read('header', lines[0])).toMatchObject({
      ...{ taxable_sales: '+00000000100', taxable_sales_vat: '+000000018' },
      ...{ untaxed_sales: '+00000000030', sale_rows: '000000002' },
    });
    expect(detail.reported).toEqual({ taxable: 100n, vat: 18n, untaxed: 30n });
    const identified = written(parts, sale(net(2, 0.36)));
    expect(read('header', identified.lines[0])).toMatchObject({
      ...{ taxable_sales: '+00000000002', untaxed_sales: '+00000000000' },
    });
  });

  it('unidentified sales of another rate have a row of their own', () => {
    const rows = fileOf(
      sale({ ...nameless, ...net(100, 17, 17) }),
      sale({ ...nameless, ...net(100, 18) }),
      sale({ type: 'credit_note', ...nameless, ...net(50, 8.5, 17) }),
    ).slice(1, -1);
    expect(rows.map((row) => read('sale', row))).toMatchObject([
      { record: 'L', vat: '000000018', net: '+0000000100' },
      { record: 'L', vat: '000000017', net: '+0000000100' },
      { record: 'L', vat: '000000009', net: '-0000000050' },
    ]);
  });

  it('a sale above 5,000 without the number of its buyer has no row, and its sums are counted apart', () => {
    const kinds = (...documents: VatDetailDocument[]): VatDetailPlace['kind'][] =>
      written(parts, ...documents).places.map(({ kind }) => kind);
    expect(kinds(sale({ ...nameless, ...net(5_000, 900) }))).toEqual(['collected']);
    const large = sale({ ...nameless, ...net(5_000.01, 900) });
    const { places, detail, lines } = written(parts, large, sale(net(10, 1.8)), {
      ...large,
      customer: { tax_id: null, legal_type: 'private' },
    });
    expect(places.map(({ kind }) => kind)).toEqual(['left_out', 'row', 'left_out']);
    expect(detail.leftOut).toEqual({ taxable: 10_000n, vat: 1_800n, untaxed: 0n });
    expect(detail.reported).toEqual({ taxable: 10_010n, vat: 1_802n, untaxed: 0n });
    expect(detail.sums).toEqual({ taxable: 10n, vat: 2n, untaxed: 0n, rows: 1 });
    expect(lines).toHaveLength(3);
  });

  it('a row that would have zeros alone is left out, of one sale and of all unidentified ones', () => {
    const { lines, places, detail } = written(
      parts,
      sale(net(0.3, 0.05)),
      sale(net(0.49, 0, 0)),
      sale({ type: 'credit_note', ...net(0.49, 0.09) }),
      sale({ ...nameless, ...net(0.2, 0.04) }),
      sale(net(0.5, 0.09)),
    );
    expect(places.map(({ kind }) => kind)).toEqual(['none', 'none', 'none', 'collected', 'row']);
    expect(lines).toHaveLength(3);
    expect(read('header', lines[0])).toMatchObject({
      ...{ taxable_sales: '+00000000001', taxable_sales_vat: '+000000000', sale_rows: '000000001' },
    });
    expect(detail.sums).toEqual({ taxable: 1n, vat: 0n, untaxed: 0n, rows: 1 });
    // What has no row counts in the report of the period.
    expect(detail.reported).toEqual({ taxable: 1n, vat: 0n, untaxed: 0n });
  });

  it('unidentified sales that come to a shekel together have a row', () => {
    const rows = fileOf(sale({ ...nameless, ...net(0.3, 0.05) }), sale({ ...nameless, ...net(0.3, 0.05) }));
    expect(rows).toHaveLength(3);
    expect(read('sale', rows[1])).toMatchObject({ record: 'L', reference: '000000002', net: '+0000000001' });
  });

  it('the header sums the rows as they are written, sales without VAT apart', () => {
    const { lines, places, detail } = written(
      parts,
      sale(net(100.4, 18.07)),
      sale({ totals: { subtotal: 110.4, discount: 10, vat: 18.07, vat_rate: 18 } }),
      sale({ type: 'tax_invoice_receipt', ...net(50, 0, 0) }),
      sale({ type: 'credit_note', ...net(300, 54) }),
      sale({ type: 'quote' }),
      sale({ type: 'receipt' }),
      sale({ totals: { subtotal: 10, discount: 10, vat: 0, vat_rate: 18 } }),
    );
    expect(places.slice(4)).toEqual([{ kind: 'none' }, { kind: 'none' }, { kind: 'none' }]);
    expect(lines).toHaveLength(6);
    expect(read('header', lines[0])).toEqual({
      ...{ record: 'O', vat_number: '514713288', month: '202606', report_type: '1', made_on: '20260703' },
      ...{ taxable_sales: '-00000000100', taxable_sales_vat: '-000000018', sale_rows: '000000004' },
      ...{ other_rate_sales: '+00000000000', other_rate_sales_vat: '+000000000' },
      ...{ untaxed_sales: '+00000000050', vat_to_pay: '-00000000018', input_rows: '000000000' },
      ...{ other_inputs_vat: '+000000000', equipment_inputs_vat: '+000000000' },
    });
    expect(hasNegativeSum(detail.sums)).toBe(true);
    // Rounded once, the sales of 100.40 each are 201, and with the credit -99.
    expect(detail.reported).toEqual({ taxable: -99n, vat: -18n, untaxed: 50n });
    expect(read('end', lines.at(-1))).toEqual({ record: 'X', vat_number: '514713288' });
  });

  it('the header is the sum of the rows, and every line has its length', () => {
    fc.assert(
      fc.property(fc.array(arbitrarySale, { maxLength: 40 }), (documents) => {
        const { lines } = written(parts, ...documents);
        const sums = { taxable: 0, vat: 0, untaxed: 0 };
        for (const line of lines.slice(1, -1)) {
          expect(line).toHaveLength(62);
          const row = read('sale', line);
          const [sign, amount, vat] = [
            row.net?.[0] === '-' ? -1 : 1,
            Number(row.net?.slice(1)),
            Number(row.vat),
          ];
          // Every sale of the case is taxed: a row whose VAT is zero is none of the untaxed ones.
          sums.taxable += sign * amount;
          sums.vat += sign * vat;
        }
        const header = read('header', lines[0]);
        expect([lines[0]?.length, lines.at(-1)?.length]).toEqual([133, 12]);
        expect([header.taxable_sales, header.taxable_sales_vat, header.untaxed_sales].map(Number)).toEqual([
          sums.taxable,
          sums.vat,
          sums.untaxed,
        ]);
        expect(Number(header.sale_rows)).toBe(lines.length - 2);
      }),
    );
  });

  it('an amount that does not fit its field is refused', () => {
    const large = sale({ totals: { subtotal: 99_999_999_999, discount: 0, vat: 0, vat_rate: 0 } });
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
