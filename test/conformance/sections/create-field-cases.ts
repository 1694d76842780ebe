import { randomUUID } from 'node:crypto';
import { type PaymentMethod } from '@pinkas/domain';
import { documentOf, newName, quote, withCheckDigit } from '../example-bodies.js';

/** A member of a body that is replaced by values of all kinds. */
interface Field {
  /** The JSON Pointer of the member. */
  readonly path: string;
  /** A valid body in which the member has this value. */
  readonly body: (value: unknown) => object;
}

/** A case: a value that a field may or may not have. */
export interface Case extends Field {
  readonly says: string;
  readonly value: unknown;
  readonly ok: boolean;
}

const wallets = [1, 2, 3, 4, 5].map((n) => `wallet_method_${n}` as PaymentMethod);
export const methods: readonly PaymentMethod[] = [
  'cash',
  'check',
  'credit_card',
  'bank_transfer',
  ...wallets,
];

/** The methods that each extra field of a payment belongs to (the table of the create request). */
export const extras: Readonly<Record<string, { of: readonly PaymentMethod[]; value: unknown }>> = {
  reference: { of: ['bank_transfer', ...wallets], value: '100200' },
  check_number: { of: ['check'], value: '77' },
  check_date: { of: ['check'], value: '2026-01-31' },
  bank_code: { of: ['check'], value: 12 },
  branch: { of: ['check'], value: '600' },
  account: { of: ['check'], value: '123456' },
  card_last_digits: { of: ['credit_card'], value: '0123' },
  card_type: { of: ['credit_card'], value: 'Example' },
};

export const item = (change: object) => [
  { description: 'שירות לדוגמה', quantity: 1, unit_price: 100, ...change },
];
const ofQuote = (path: string, change: (value: unknown) => object): Field => ({
  path,
  body: (value) => ({ ...quote(), ...change(value) }),
});
const ofCustomer = (member: string): Field =>
  ofQuote(`/customer/${member}`, (value) => ({ customer: { name: newName(), [member]: value } }));
const ofItem = (member: string): Field =>
  ofQuote(`/items/0/${member}`, (value) => ({ items: item({ [member]: value }) }));
const ofPayment = (member: string, method: PaymentMethod): Field => ({
  path: `/payments/0/${member}`,
  body: (value) => documentOf('receipt', { payments: [{ method, amount: 100, [member]: value }] as never }),
});
/** A receipt whose total is what its one payment says. */
const paid: Field = {
  path: '/payments/0/amount',
  body: (value) => ({
    ...documentOf('receipt'),
    items: item({ unit_price: value === 0.01 || value === 100_000_000 ? value : 1 }),
    payments: [{ method: 'cash', amount: value }],
  }),
};
const member = (name: string): Field => ofQuote(`/${name}`, (value) => ({ [name]: value }));

export const letters = (count: number) => 'א'.repeat(count);
/** Characters outside of the basic plane: two UTF-16 units and four bytes each, but one code point. */
const astral = (count: number) => '😀'.repeat(count);

const yes = (field: Field, says: string, value: unknown): Case => ({ ...field, says, value, ok: true });
export const no = (field: Field, says: string, value: unknown): Case => ({
  ...field,
  says,
  value,
  ok: false,
});

const name = { field: ofCustomer('name'), min: 2, max: 120 };
const description = { field: ofItem('description'), min: 1, max: 200 };

const texts: { field: Field; min?: number; max: number }[] = [
  name,
  description,
  { field: ofCustomer('address'), max: 200 },
  { field: ofCustomer('city'), max: 80 },
  { field: ofItem('sku'), max: 64 },
  { field: ofPayment('reference', 'bank_transfer'), max: 64 },
  { field: ofPayment('check_number', 'check'), max: 20 },
  { field: ofPayment('branch', 'check'), max: 10 },
  { field: ofPayment('account', 'check'), max: 20 },
  { field: ofPayment('card_type', 'credit_card'), max: 20 },
  { field: member('title'), max: 120 },
  { field: member('notes'), max: 1000 },
  { field: member('external_ref'), max: 64 },
];

export const textCases = texts.flatMap(({ field, min = 0, max }) => [
  yes(field, `${max} characters`, letters(max)),
  yes(field, `${max} characters outside of the basic plane`, astral(max)),
  no(field, `${max + 1} characters`, letters(max + 1)),
  no(field, `${max + 1} characters outside of the basic plane`, astral(max + 1)),
  no(field, 'a number', 17),
  ...(min === 0
    ? [yes(field, 'no character', '')]
    : [
        yes(field, `${min} characters`, letters(min)),
        yes(field, `${min} characters outside of the basic plane`, astral(min)),
        ...(min > 1 ? [no(field, `${min - 1} characters`, letters(min - 1))] : []),
        no(field, 'no character', ''),
        no(field, 'white space only', ' \t\u00a0 '),
        no(field, 'marks of direction only', '\u200f\u200e\u2066'),
        no(field, 'joiners and a blank of Braille only', '\u200b\u2060\u2800'),
        no(field, 'control characters only', '\u0001\u001c'),
      ]),
]);

const longestEmail = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`;
const email = ofCustomer('email');
const phone = ofCustomer('phone');
const taxId = ofCustomer('tax_id');
const lastDigits = ofPayment('card_last_digits', 'credit_card');
export const patternCases = [
  yes(email, 'a plain address', 'customer@example.com'),
  yes(email, 'a tagged address', 'first.last+tag@mail.example.co.il'),
  yes(email, '254 characters', longestEmail),
  yes(email, 'an internationalized domain', 'customer@דוגמה.co.il'),
  yes(email, 'the same domain in ASCII', 'customer@xn--6dbbec0c.co.il'),
  ...[
    'example.com',
    '@example.com',
    'customer@',
    'a b@example.com',
    'a@b@example.com',
    '',
    longestEmail.replace('@', '@e'),
    '"user name"@example.com',
    'user@[127.0.0.1]',
    'user@127.1',
    'user@1',
    'user@localhost',
    `${'a'.repeat(65)}@example.com`,
    'user@example.com\u200f',
  ].map((value) => no(email, value.length > 254 ? '255 characters' : `'${value}'`, value)),
  ...['0500000', '+9725000000', '050-000-0000', '050 000 0000', '+', '12345678901234567890'].flatMap(
    (value) =>
      value === '+'
        ? [yes(phone, '+ and 20 digits', `+${'1'.repeat(20)}`)]
        : [yes(phone, `'${value}'`, value)],
  ),
  ...[
    '050000',
    '1'.repeat(21),
    `+${'1'.repeat(21)}`,
    '+123456',
    '050+0000000',
    '++9725000000',
    '050.000.0000',
    'call me',
    '(03)0000000',
    '',
  ].map((value) => no(phone, `'${value}'`, value)),
  yes(taxId, 'five digits', withCheckDigit('0000123'.slice(-4))),
  yes(taxId, 'nine digits', withCheckDigit('51471320')),
  yes(taxId, 'nine digits with leading zeros', withCheckDigit('00471321')),
  ...['1234', '1234567890', '12345678a', '12-345678', '123 45678', '١٢٣٤٥', ''].map((value) =>
    no(taxId, `'${value}'`, value),
  ),
  no(taxId, 'a number', 514713288),
  yes(lastDigits, 'four digits', '0007'),
  ...['123', '12345', '12a4', ' 123', ''].map((value) => no(lastDigits, `'${value}'`, value)),
];

const quantity = ofItem('quantity');
const unitPrice = ofItem('unit_price');
const expectedTotal: Field = {
  path: '/expected_total',
  body: (value) => ({
    ...quote({ prices_include_vat: true }),
    items: item({ unit_price: value === 0 || value === 0.01 || value === 100_000_000 ? value : 1 }),
    expected_total: value,
  }),
};
const discountOf = (type: 'percent' | 'amount'): Field =>
  ofQuote('/discount/value', (value) => ({
    items: item({ unit_price: 100_000_000 }),
    discount: { type, value },
  }));
const bankCode = ofPayment('bank_code', 'check');
const items: Field = {
  path: '/items',
  body: (count) => ({ ...quote(), items: Array.from({ length: Number(count) }, () => item({})[0]) }),
};
const payments: Field = {
  path: '/payments',
  body: (count) => ({
    ...documentOf('receipt'),
    payments: Array.from({ length: Number(count) }, () => ({
      method: 'cash',
      amount: count === 20 ? 5 : 100,
    })),
  }),
};
export const numberCases = [
  ...[0.0001, 0.1, 1_000_000, 999_999.9999].map((value) => yes(quantity, String(value), value)),
  ...[0, -1, 1_000_000.0001, 1_000_001, 0.00001, 1.00005].map((value) => no(quantity, String(value), value)),
  ...[0, 0.01, 100_000_000, 99_999_999.99].map((value) => yes(unitPrice, String(value), value)),
  ...[-0.01, 100_000_000.01, 1.005, 0.001].map((value) => no(unitPrice, String(value), value)),
  ...[0, 0.01, 100_000_000].map((value) => yes(expectedTotal, String(value), value)),
  ...[-0.01, 100_000_000.01, 1.005].map((value) => no(expectedTotal, String(value), value)),
  ...[0.0001, 12.345, 100].map((value) => yes(discountOf('percent'), `${value} percent`, value)),
  ...[0.01, 0.004, 100_000_000].map((value) => yes(discountOf('amount'), `an amount of ${value}`, value)),
  ...[0, -1, 100_000_000.01].flatMap((value) => [
    no(discountOf('percent'), `${value} percent`, value),
    no(discountOf('amount'), `an amount of ${value}`, value),
  ]),
  ...[0.01, 100_000_000].map((value) => yes(paid, String(value), value)),
  ...[0, -1, 100_000_000.01, 1.005].map((value) => no(paid, String(value), value)),
  ...[1, 99].map((value) => yes(bankCode, String(value), value)),
  ...[0, 100, 1.5, -1, '12'].map((value) => no(bankCode, JSON.stringify(value), value)),
  ...[1, 100].map((value) => yes(items, `${value} entries`, value)),
  ...[0, 101].map((value) => no(items, `${value} entries`, value)),
  ...[1, 20].map((value) => yes(payments, `${value} entries`, value)),
  ...[0, 21].map((value) => no(payments, `${value} entries`, value)),
  ...[quantity, unitPrice, expectedTotal, discountOf('amount'), paid].map((field) =>
    no(field, 'a text', '1'),
  ),
  no(member('items'), 'an object', {}),
  no({ ...payments, body: (value) => ({ ...documentOf('receipt'), payments: value }) }, 'an object', {}),
  no(member('customer'), 'a text', 'לקוח לדוגמה'),
  no(member('customer'), 'a list', []),
];

const noDays = [
  '2026-02-30',
  '2023-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-1-5',
  '05-01-2026',
  '2026-01-05T00:00:00Z',
  ' 2026-01-05',
  '',
  20260105,
];
const dueDate: Field = {
  path: '/due_date',
  body: (value) => documentOf('tax_invoice', { date: '2024-02-29', due_date: value as string }),
};
const checkDate = ofPayment('check_date', 'check');
const paymentDate = ofPayment('date', 'cash');
export const dateCases = [
  ...noDays.flatMap((value) =>
    [member('date'), dueDate, checkDate, paymentDate].map((field) => no(field, JSON.stringify(value), value)),
  ),
  yes(checkDate, 'a day to come', '2028-02-29'),
  yes(paymentDate, 'a day that is over', '2024-02-29'),
];

const orList = (field: Field, good: readonly unknown[], bad: readonly unknown[]): Case[] => [
  ...good.map((value) => yes(field, JSON.stringify(value), value)),
  ...bad.map((value) => no(field, JSON.stringify(value), value)),
];
const flags = [true, false];
const noFlags = ['true', 0, 1];
export const choiceCases = [
  ...orList(
    ofCustomer('legal_type'),
    ['hevra_baam', 'osek_murshe', 'osek_patur', 'amuta', 'private'],
    ['public_institution', 'Private', ''],
  ),
  ...orList(ofCustomer('identity_confirmed'), flags, noFlags),
  ...orList(member('prices_include_vat'), flags, noFlags),
  ...orList(member('send'), flags, noFlags),
  ...orList(
    ofQuote('/discount/type', (value) => ({ discount: { type: value, value: 10 } })),
    ['percent', 'amount'],
    ['Percent', 'fixed', ''],
  ),
  ...orList(
    {
      path: '/payments/0/method',
      body: (value) => documentOf('receipt', { payments: [{ method: value as 'cash', amount: 100 }] }),
    },
    methods,
    ['bit', 'wallet_method_0', 'wallet_method_6', 'CASH', ''],
  ),
  ...orList(member('type'), [], ['invoice', 'Quote', '', 305]),
  ...orList(
    ofQuote('/customer/id', (value) => ({ customer: { id: value } })),
    [],
    ['17', randomUUID().slice(1), ''],
  ),
  ...orList(member('based_on'), [], ['17', `{${randomUUID()}}`, '']),
];

/** Every optional member: `null` is no value for it. */
const optional: Field[] = [
  ...[
    'date',
    'due_date',
    'prices_include_vat',
    'discount',
    'payments',
    'based_on',
    'title',
    'notes',
    'expected_total',
    'send',
    'external_ref',
  ].map(member),
  ...['id', 'tax_id', 'legal_type', 'email', 'phone', 'address', 'city', 'identity_confirmed'].map(
    ofCustomer,
  ),
  ofItem('sku'),
  ofPayment('date', 'cash'),
  ...Object.entries(extras).map(([extra, { of }]) => ofPayment(extra, of[0] ?? 'check')),
];
/** Every required member: it may be neither absent nor null. */
const required: Field[] = [
  ...['type', 'customer', 'items'].map(member),
  ofItem('description'),
  ofItem('quantity'),
  ofItem('unit_price'),
  ofQuote('/discount/type', (value) => ({ discount: { type: value, value: 10 } })),
  ofQuote('/discount/value', (value) => ({ discount: { type: 'percent', value } })),
  ofPayment('method', 'cash'),
  ofPayment('amount', 'cash'),
];
export const nullCases = [...optional, ...required].map((field) => no(field, 'null', null));
export const absentCases = required.map((field) => no(field, 'nothing at all', undefined));

/** Members that no object of the body has, at every level. */
export const unknownMembers: Field[] = [
  member('total'),
  ofQuote('/a~1b~0c', (value) => ({ 'a/b~c': value })),
  ofCustomer('full_name'),
  ofItem('total'),
  ofQuote('/items/1/vat', (value) => ({ items: [...item({}), ...item({ vat: value })] })),
  ofQuote('/discount/reason', (value) => ({ discount: { type: 'percent', value: 1, reason: value } })),
  ofPayment('currency', 'cash'),
];

/** Section 2.6: every constraint of the create request, at both sides of its boundary. */
