import { describe, expect, it } from '@jest/globals';
import { examplePayment, exampleRun, exampleUniformDocument } from '../../test/uniform-example.js';
import type { UniformDocument, UniformPayment } from './document-records.js';
import type { RecordLayout } from './record-layouts.js';
import { uniformDocumentCodes, uniformTypeNames } from './uniform-codes.js';
import { UniformFiles, type UniformRun } from './uniform-files.js';
import { writeRecord } from './write-record.js';

const run: UniformRun = {
  ...exampleRun,
  business: { taxId: '002233445', isCompany: false, name: 'עסק לדוגמה', address: null, city: null },
  software: { ...exampleRun.software, registration: null },
  from: '2003-01-01',
  to: '2004-12-31',
  began: { day: '2008-09-11', time: '1025' },
  path: 'F:\\OPENFRMT\\00223344.08\\09111025',
};

const payment = (change: Partial<UniformPayment>): UniformPayment => ({
  ...examplePayment,
  method: 'cash',
  amount: 0,
  date: '2004-06-01',
  ...change,
});

/** A receipt of a sum, in which an own line names what was sold. */
const receipt = (total: number, change: Partial<UniformDocument> = {}): UniformDocument =>
  exampleUniformDocument({
    type: 'receipt',
    number: 12,
    date: '2004-06-01',
    items: [{ description: 'תשלום', quantity: 1, unit_price: total, line_total: total, sku: 'A-1' }],
    prices_include_vat: true,
    payments: [payment({ amount: total })],
    totals: { subtotal: total, discount: 0, vat: 0, vat_rate: 18, total },
    produced: { day: '2004-06-01', time: '0907' },
    ...change,
  });

/** The records of a document, and where the fields of each are: their first and last columns as the paper has them. */
function recordsOf(document: UniformDocument): string[] {
  const files = new UniformFiles(run);
  files.open();
  return files.add(document).map((record) => new TextDecoder('iso-8859-8').decode(record));
}
const columns = (record: string | undefined, first: number, last: number): string =>
  record?.slice(first - 1, last) ?? '';

describe('the examples of the instructions 1.31', () => {
  it.each([
    [-1_234_565n, '-1234565'],
    [124_565n, '+0124565'],
    [124_500n, '+0124500'],
    [0n, '+0000000'],
  ])('§2.3 f: %s hundredths in x9(5)v99 are %s', (hundredths, written) => {
    const layout: RecordLayout = {
      code: 'C100',
      length: 8,
      fields: [{ number: 1, name: 'example', start: 1, length: 8, kind: 'amount' }],
    };
    const record = writeRecord(layout, { 1: hundredths }, 'iso-8859-8', () => {});
    expect(new TextDecoder().decode(record)).toBe(`${written}\r\n`);
  });

  it('§2.2: the path of a run on 11 September 2008 at 10:25 on drive F is in 1012', () => {
    const files = new UniformFiles(run);
    files.open();
    files.close();
    const [header] = files.ini().map((record) => new TextDecoder('iso-8859-8').decode(record));
    expect(columns(header, 135, 184).trimEnd()).toBe('F:\\OPENFRMT\\00223344.08\\09111025');
    // No certificate, and no number of the register of companies: a number without a value is zeros.
    expect(columns(header, 57, 64)).toBe('00000000');
    expect(columns(header, 187, 195)).toBe('000000000');
    expect(columns(header, 367, 382)).toBe('2003010120041231');
  });

  it('§5.5 note 4: of a debt of 1,250 the customer pays 1,000, and withholds 250', () => {
    const [header, ...others] = recordsOf(receipt(1_000, { withheld: 250 }));
    expect(columns(header, 288, 302)).toBe('+00000000100000');
    expect(columns(header, 303, 317)).toBe('+00000000000000');
    expect(columns(header, 318, 332)).toBe('+00000000100000');
    expect(columns(header, 333, 347)).toBe('+00000000000000');
    expect(columns(header, 348, 362)).toBe('+00000000100000');
    expect(columns(header, 363, 374)).toBe('+00000025000');
    // Nothing is subtracted again: the payments are what was received.
    expect(others.map((record) => columns(record, 1, 4))).toEqual(['D120']);
    expect(columns(others[0], 104, 118)).toBe('+00000000100000');
  });

  it('§4.5: a receipt of 5,000 by five checks of 1,000 has five D120, one for each month', () => {
    const months = ['06', '07', '08', '09', '10'];
    const payments = months.map((month, index) =>
      payment({
        method: 'check',
        amount: 1_000,
        check_date: `2004-${month}-01`,
        check_number: String(5_001 + index),
        bank_code: 12,
        branch: '600',
        account: '123456',
      }),
    );
    const [header, ...checks] = recordsOf(receipt(5_000, { payments }));
    expect(columns(header, 348, 362)).toBe('+00000000500000');
    // It is paid in full on the day of the last one.
    expect(columns(header, 262, 269)).toBe('20041001');
    expect(checks.map((record) => columns(record, 50, 95))).toEqual(
      months.map(
        (_, index) => `2000000001200000006000000000001234560000005${String(1 + index).padStart(3, '0')}`,
      ),
    );
    expect(checks.map((record) => columns(record, 96, 118))).toEqual(
      months.map((month) => `2004${month}01+00000000100000`),
    );
  });

  it('§5.5 note 6: a receipt that is based on an invoice names it in a D110 of its own', () => {
    const based = receipt(590, { based_on: { type: 'tax_invoice', number: 1 } });
    const [header, line, paid, ...others] = recordsOf(based);
    expect(others).toEqual([]);
    expect(columns(header, 288, 302)).toBe('+00000000059000');
    expect(columns(line, 1, 4)).toBe('D110');
    expect(columns(line, 46, 72)).toBe(`0001305${'1'.padEnd(20)}`);
    // No goods: no SKU, one unit, the sum, and no VAT.
    expect(columns(line, 74, 93).trim()).toBe('');
    expect(columns(line, 94, 123).trimEnd()).toBe('עבור חשבונית מס 1');
    expect(columns(line, 204, 285)).toBe(
      `${'יחידה'.padEnd(20)}+0000000000010000+00000000059000+00000000000000+00000000059000`,
    );
    expect(columns(line, 286, 289)).toBe('0000');
    expect(columns(line, 305, 311)).toBe(columns(header, 425, 431));
    expect(columns(paid, 104, 118)).toBe('+00000000059000');
  });

  it('§5.5 note 12: an invoice that is made on 5 June and dated 31 May has both days', () => {
    const [header] = recordsOf(
      receipt(100, {
        type: 'tax_invoice',
        payments: [],
        prices_include_vat: false,
        date: '2004-05-31',
        produced: { day: '2004-06-05', time: '1403' },
      }),
    );
    expect(columns(header, 46, 57)).toBe('200406051403');
    expect(columns(header, 401, 408)).toBe('20040531');
  });

  it('§2.4 d: a number is written in the same way in 1204, 1254 and 1304', () => {
    const records = recordsOf(receipt(10, { number: 1_234, based_on: { type: 'proforma', number: 77 } }));
    expect(records.map((record) => columns(record, 26, 45))).toEqual(Array(3).fill('1234'.padEnd(20)));
    expect(columns(records[1], 53, 72)).toBe('77'.padEnd(20));
  });

  it('§4.3: the donor abroad of a donation has the code of the country', () => {
    const [header] = recordsOf(receipt(50, { type: 'donation_receipt', foreign_donor: { country: 'US' } }));
    expect(columns(header, 236, 237)).toBe('US');
    expect(columns(recordsOf(receipt(50))[0], 236, 237)).toBe('  ');
  });

  it('§4.5: a check of which the book lacks the bank, the branch, the account and the number is counted with its document', () => {
    const files = new UniformFiles(run);
    files.open();
    files.add(receipt(100, { payments: [payment({ method: 'check', amount: 100, branch: '000' })] }));
    files.add(receipt(100));
    expect(
      files.deviations.map(({ field, deviation, count, documents }) => [
        field.number,
        deviation,
        count,
        documents,
      ]),
    ).toEqual([1307, 1308, 1309, 1310].map((field) => [field, 'missing', 1, ['400/12']]));
  });

  it('§5.1: there are 27 types, and ours are among them', () => {
    expect(uniformTypeNames.size).toBe(27);
    expect([...uniformTypeNames.keys()].sort((a, b) => a - b)).toEqual([...uniformTypeNames.keys()]);
    for (const code of Object.values(uniformDocumentCodes)) {
      expect(uniformTypeNames.get(code)).toMatch(/[א-ת]/);
    }
  });
});
