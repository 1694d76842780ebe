import { describe, expect, it } from '@jest/globals';
import {
  exampleUniformDocument as document,
  examplePayment as payment,
  exampleRun as run,
} from '../../test/uniform-example.js';
import { type DocumentType } from '../document-types.js';
import { encodeText, encodeTrimmed, type UniformCharset } from './charset.js';
import { type UniformDocument } from './document-records.js';
import { recordLayouts } from './record-layouts.js';
import { UniformFiles } from './uniform-files.js';

/** A record of pieces by hand: each is a field, or several, with all its spaces and zeros. */
const record = (...pieces: string[]): string => `${pieces.join('')}\r\n`;
const spaces = (count: number): string => ' '.repeat(count);
const noAmount = '+00000000000000';
/** A C100 of the example, from the table of the structure; what differs between types is given. */
const header = (parts: {
  number: string;
  type: string;
  due?: string;
  amounts: readonly [before: string, discount: string, net: string, vat: string, total: string];
  cancelled?: string;
}): string =>
  record(
    ...['C100', parts.number, '514293711', parts.type, `1042${spaces(16)}`],
    ...['20260615', '1403', `לקוח לדוגמה${spaces(39)}`, `דרך השלום 7${spaces(39)}`, spaces(10)],
    ...[`חיפה${spaces(26)}`, spaces(8), spaces(30), spaces(2), '0501234567     ', '777777715'],
    ...[parts.due ?? '00000000', noAmount, spaces(3), ...parts.amounts, '+00000000000'],
    ...['000123456789abc', spaces(10), parts.cancelled ?? ' ', '20260615', spaces(7), spaces(9), '0000001'],
    spaces(13),
  );
/** A D110 of the example: 1.5 units at 100.00. */
const line = (parts: {
  number: string;
  type: string;
  base?: string;
  price?: string;
  total?: string;
}): string =>
  record(
    ...['D110', parts.number, '514293711', parts.type, `1042${spaces(16)}`, '0001'],
    ...[parts.base ?? `000${spaces(20)}`, '0', spaces(20), `שירות${spaces(25)}`, spaces(50), spaces(30)],
    ...[`יחידה${spaces(15)}`, '+0000000000015000', parts.price ?? '+00000000010000', noAmount],
    ...[parts.total ?? '+00000000015000', '1800', spaces(7), '20260615', '0000001', spaces(7), spaces(21)],
  );
/** A D120 of the example. */
const paid = (parts: {
  number: string;
  type: string;
  line?: string;
  means: string;
  amount: string;
}): string =>
  record(
    ...[
      'D120',
      parts.number,
      '514293711',
      parts.type,
      `1042${spaces(16)}`,
      parts.line ?? '0001',
      parts.means,
    ],
    ...[parts.amount, '0', parts.means === '3' ? `ויזה${spaces(16)}` : spaces(20), '0', spaces(7)],
    ...['20260615', '0000001', spaces(60)],
  );
const noCheck = '0000000000'.repeat(2) + '0'.repeat(15) + '0'.repeat(10);
const net150: readonly [string, string, string, string, string] = [
  '+00000000015000',
  noAmount,
  '+00000000015000',
  '+00000000002700',
  '+00000000017700',
];
const received: readonly [string, string, string, string, string] = [
  '+00000000017700',
  noAmount,
  '+00000000017700',
  noAmount,
  '+00000000017700',
];
const opening = record('A100', '000000001', '514293711', '123456789012345', '&OF1.31&', spaces(50));
const closing = (count: string): string =>
  record('Z900', count, '514293711', '123456789012345', '&OF1.31&', `000000${count}`, spaces(50));

/** BKMVDATA.TXT of some documents, as lines of Unicode text. */
function dataOf(documents: readonly UniformDocument[], charset: UniformCharset = 'iso-8859-8') {
  const files = new UniformFiles({ ...run, charset });
  const records = [files.open(), ...documents.flatMap((each) => files.add(each)), files.close()];
  return { files, records, lines: records.map((record) => new TextDecoder('iso-8859-8').decode(record)) };
}

describe('encodeText', () => {
  it('every character of ISO-8859-8 has its own byte', () => {
    // Bytes without a character, and those of marks of direction, have none.
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => {
      const character = new TextDecoder('iso-8859-8').decode(Uint8Array.of(byte));
      return !/[\p{Cc}\p{Cf}\ufffd\u00a0\u2017]/u.test(character);
    });
    const text = new TextDecoder('iso-8859-8').decode(Uint8Array.from(bytes));
    expect(encodeText(text, 'iso-8859-8')).toEqual({ bytes, rewritten: false, replaced: false });
  });

  it('CP-862 has Hebrew at 0x80, accented letters at 0xA0, frames at 0xB3 and Greek at 0xE0', () => {
    const { bytes } = encodeText('את¢áñ»│┐└▀αßµπ≈■', 'cp862');
    expect(bytes).toEqual([
      ...[0x80, 0x9a, 0x9b, 0xa0, 0xa4, 0xaf, 0xb3, 0xbf, 0xc0, 0xdf, 0xe0, 0xe1, 0xe6, 0xe3, 0xf7, 0xfe],
    ]);
  });

  it.each([
    ['שָׁלוֹם', 'שלום', true, false],
    ['מע״מ 5׳ – €', 'מע"מ 5\' - EUR', true, false],
    ['Café №1\u200f\tב', 'Cafe No1 ב', true, false],
    ['Ж😀', '??', false, true],
  ])('%s is written as %s', (text, written, rewritten, replaced) => {
    const encoded = encodeText(text, 'iso-8859-8');
    expect(new TextDecoder('iso-8859-8').decode(Uint8Array.from(encoded.bytes))).toBe(written);
    expect(encoded).toMatchObject({ rewritten, replaced });
  });
});

describe('encodeTrimmed', () => {
  it('a text of which nothing is left is a question mark, and an empty one is empty', () => {
    expect(encodeTrimmed(' \u200f\t', 'cp862')).toEqual({ bytes: [0x3f], rewritten: false, replaced: true });
    expect(encodeTrimmed(' ', 'cp862')).toEqual({ bytes: [], rewritten: false, replaced: false });
  });
});

describe('the uniform structure', () => {
  it.each(Object.values(recordLayouts))(
    'the fields of $code fill its $length characters',
    ({ length, fields }) => {
      const ends = fields.map((field) => field.start + field.length);
      expect(fields.map(({ start }) => start)).toEqual([1, ...ends.slice(0, -1)]);
      expect(ends.at(-1)).toBe(length + 1);
    },
  );

  it.each<[DocumentType, string, Partial<UniformDocument>, string[]]>([
    [
      'order',
      '100',
      { cancelled: true },
      [
        header({ number: '000000002', type: '100', amounts: net150, cancelled: '1' }),
        line({ number: '000000003', type: '100' }),
      ],
    ],
    [
      'delivery_note',
      '200',
      { based_on: { type: 'order', number: 7 } },
      [
        header({ number: '000000002', type: '200', amounts: net150 }),
        line({ number: '000000003', type: '200', base: `1007${spaces(19)}` }),
      ],
    ],
    [
      'return_note',
      '210',
      { based_on: { type: 'delivery_note', number: 12 } },
      [
        header({ number: '000000002', type: '210', amounts: net150 }),
        line({ number: '000000003', type: '210', base: `20012${spaces(18)}` }),
      ],
    ],
    [
      'proforma',
      '300',
      { due_date: '2026-07-15', based_on: { type: 'quote', number: 3 } },
      [
        header({ number: '000000002', type: '300', due: '20260715', amounts: net150 }),
        line({ number: '000000003', type: '300' }),
      ],
    ],
    [
      'tax_invoice',
      '305',
      {
        prices_include_vat: true,
        items: [{ description: 'שירות', quantity: 1.5, unit_price: 118, line_total: 177, sku: null }],
        // 17.70 of 177.00 gross are 15.00 net.
        totals: { subtotal: 150, discount: 15, vat: 24.3, vat_rate: 18, total: 159.3 },
      },
      [
        header({
          number: '000000002',
          type: '305',
          amounts: [
            '+00000000015000',
            '-00000000001500',
            '+00000000013500',
            '+00000000002430',
            '+00000000015930',
          ],
        }),
        line({ number: '000000003', type: '305' }),
      ],
    ],
    [
      'tax_invoice_receipt',
      '320',
      {
        payments: [
          { ...payment, method: 'credit_card', amount: 100, card_type: 'ויזה' },
          { ...payment, method: 'wallet_method_1', amount: 77 },
        ],
      },
      [
        header({ number: '000000002', type: '320', amounts: net150 }),
        line({ number: '000000003', type: '320' }),
        paid({ number: '000000004', type: '320', means: '3', amount: `${noCheck}20260616+00000000010000` }),
        paid({
          number: '000000005',
          type: '320',
          line: '0002',
          means: '9',
          amount: `${noCheck}00000000+00000000007700`,
        }),
      ],
    ],
    [
      'credit_note',
      '330',
      { based_on: { type: 'tax_invoice', number: 1001 } },
      [
        header({ number: '000000002', type: '330', amounts: net150 }),
        line({ number: '000000003', type: '330', base: `3051001${spaces(16)}` }),
      ],
    ],
    [
      'receipt',
      '400',
      {
        payments: [
          {
            ...payment,
            method: 'check',
            amount: 177,
            check_number: '5001',
            check_date: '2026-08-01',
            bank_code: 12,
            branch: '600',
            account: '123456',
          },
        ],
      },
      [
        header({ number: '000000002', type: '400', due: '20260801', amounts: received }),
        paid({
          number: '000000003',
          type: '400',
          means: '2',
          amount: `000000001200000006000000000001234560000005001`.concat('20260801+00000000017700'),
        }),
      ],
    ],
    [
      'donation_receipt',
      '405',
      {
        payments: [
          { ...payment, method: 'cash', amount: 100 },
          { ...payment, method: 'bank_transfer', amount: 77 },
        ],
      },
      [
        header({ number: '000000002', type: '405', due: '20260616', amounts: received }),
        paid({ number: '000000003', type: '405', means: '1', amount: `${noCheck}00000000+00000000010000` }),
        paid({
          number: '000000004',
          type: '405',
          line: '0002',
          means: '4',
          amount: `${noCheck}00000000+00000000007700`,
        }),
      ],
    ],
  ])('the records of a document of type %s are those of the tables', (type, code, change, expected) => {
    const { files, lines } = dataOf([document({ type, ...change })]);
    expect(lines).toEqual([opening, ...expected, closing(String(expected.length + 2).padStart(9, '0'))]);
    expect(files.typeTotals).toMatchObject([{ type, code: Number(code), documents: 1 }]);
    expect(files.deviations).toEqual([]);
  });

  it('INI.TXT describes the run and counts the records', () => {
    const { files } = dataOf([document({})]);
    expect(files.ini().map((bytes) => new TextDecoder('iso-8859-8').decode(bytes))).toEqual([
      record(
        ...['A000', spaces(5), '000000000000004', '514293711', '123456789012345', '&OF1.31&', '99999999'],
        ...[`Pinkas${spaces(14)}`, `0.2.0${spaces(15)}`, '514293711', `עסק לדוגמה בע"מ${spaces(5)}`, '2'],
        ...[`OPENFRMT\\51429371.27\\01050907${spaces(21)}`, '0', '0', '514293711', '000000000', spaces(10)],
        ...[`עסק לדוגמה בע"מ${spaces(35)}`, `רחוב הדוגמה 1${spaces(37)}`, spaces(10), `תל אביב${spaces(23)}`],
        ...[spaces(8), '0000', '20260101', '20261231', '20270105', '0907', '0', '1', `ZIP${spaces(17)}`],
        ...['ILS', '0', spaces(46)],
      ),
      ...['A100', 'C100', 'D110', 'Z900'].map((code) => record(code, '000000000000001')),
    ]);
  });

  it('a text begins at the left, also where characters without a picture are before it', () => {
    const items = ['A-1', '\u200f A-1'].map((sku) => ({
      description: 'שירות',
      quantity: 1,
      unit_price: 75,
      line_total: 75,
      sku,
    }));
    const { lines } = dataOf([document({ items })]);
    expect(lines.map((text) => text.slice(0, 4)).join(' ')).toBe('A100 C100 D110 D110 Z900');
    expect(lines[3]?.slice(73, 93)).toBe(`A-1${spaces(17)}`);
  });

  it('the lines of gross prices are net, and add up to the subtotal', () => {
    const items = [33.33, 33.33, 33.34].map((price) => ({
      description: 'שירות',
      quantity: 1,
      unit_price: price,
      line_total: price,
      sku: null,
    }));
    const totals = { subtotal: 84.75, discount: 0, vat: 15.25, vat_rate: 18, total: 100 };
    const { lines } = dataOf([document({ items, prices_include_vat: true, totals })]);
    const nets = lines.slice(2, 5).map((text) => Number(text.slice(270, 285)));
    expect(nets).toEqual([2825, 2824, 2826]);
  });

  it('a quote, a line of a receipt and a reference to a quote are left out and counted', () => {
    const quote = document({ type: 'quote' });
    const receipt = document({
      type: 'receipt',
      payments: [{ ...payment, method: 'cash', amount: 177 }],
    });
    const { files, lines } = dataOf([quote, receipt, document({ based_on: quote })]);
    expect(lines.map((text) => text.slice(0, 4)).join(' ')).toBe('A100 C100 D120 C100 D110 Z900');
    expect(files.leftOut).toEqual({ documents: 1, receiptLines: 1, baseDocuments: 1 });
  });

  it('a value that its field cannot hold is reported by field with its documents', () => {
    const { files, lines } = dataOf([
      document({
        customer: { ...document({}).customer, name: 'א'.repeat(51), phone: '+972-50-123-4567-8901' },
        items: [
          {
            description: 'מחיר ב־₪ 日本',
            quantity: 1,
            unit_price: 150,
            line_total: 150,
            sku: 'x'.repeat(21),
          },
        ],
        payments: [
          { ...payment, method: 'check', amount: 177, account: '12-345', check_number: '12345678901' },
        ],
        totals: { subtotal: 1e13, discount: 0, vat: 0, vat_rate: 0, total: 1e13 },
      }),
    ]);
    expect(
      files.deviations.map(({ field, deviation, count, documents }) => [
        field.number,
        deviation,
        count,
        documents,
      ]),
    ).toEqual([
      [1207, 'shortened', 1, ['305/1042']],
      [1214, 'shortened', 1, ['305/1042']],
      [1219, 'does_not_fit', 1, ['305/1042']],
      [1221, 'does_not_fit', 1, ['305/1042']],
      [1223, 'does_not_fit', 1, ['305/1042']],
      [1259, 'shortened', 1, ['305/1042']],
      [1260, 'rewritten', 1, ['305/1042']],
      [1260, 'replaced', 1, ['305/1042']],
      [1307, 'missing', 1, ['305/1042']],
      [1308, 'missing', 1, ['305/1042']],
      [1309, 'digits_only', 1, ['305/1042']],
      [1310, 'does_not_fit', 1, ['305/1042']],
    ]);
    expect(lines[2]?.slice(93, 123)).toBe(`מחיר ב-ש"ח ??${spaces(17)}`);
    expect(lines[3]?.slice(70, 95)).toBe('0000000000123452345678901');
  });

  it('CP-862 has the same letters in other bytes', () => {
    const { records } = dataOf([document({})], 'cp862');
    // לקוח
    expect([...(records[1]?.slice(57, 61) ?? [])]).toEqual([0x8c, 0x97, 0x85, 0x87]);
  });
});
