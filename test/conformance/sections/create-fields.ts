import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedDocument, type ErrorBody } from '@pinkas/contracts';
import { type DocumentType, documentTypes, type PaymentMethod } from '@pinkas/domain';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { documentOf, newName, plainType, quote, withCheckDigit } from '../example-bodies.js';
import { addDays, dayInIsrael } from '../israel-time.js';
import type { Answer, Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

/** A member of a body that is replaced by values of all kinds. */
interface Field {
  /** The JSON Pointer of the member. */
  readonly path: string;
  /** A valid body in which the member has this value. */
  readonly body: (value: unknown) => object;
}

/** A case: a value that a field may or may not have. */
interface Case extends Field {
  readonly says: string;
  readonly value: unknown;
  readonly ok: boolean;
}

const wallets = [1, 2, 3, 4, 5].map((n) => `wallet_method_${n}` as PaymentMethod);
const methods: readonly PaymentMethod[] = ['cash', 'check', 'credit_card', 'bank_transfer', ...wallets];

/** The methods that each extra field of a payment belongs to (the table of the create request). */
const extras: Readonly<Record<string, { of: readonly PaymentMethod[]; value: unknown }>> = {
  reference: { of: ['bank_transfer', ...wallets], value: '100200' },
  check_number: { of: ['check'], value: '77' },
  check_date: { of: ['check'], value: '2026-01-31' },
  bank_code: { of: ['check'], value: 12 },
  branch: { of: ['check'], value: '600' },
  account: { of: ['check'], value: '123456' },
  card_last_digits: { of: ['credit_card'], value: '0123' },
  card_type: { of: ['credit_card'], value: 'Example' },
};

const item = (change: object) => [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100, ...change }];
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

const letters = (count: number) => 'א'.repeat(count);
/** Characters outside of the basic plane: two UTF-16 units and four bytes each, but one code point. */
const astral = (count: number) => '😀'.repeat(count);

const yes = (field: Field, says: string, value: unknown): Case => ({ ...field, says, value, ok: true });
const no = (field: Field, says: string, value: unknown): Case => ({ ...field, says, value, ok: false });

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

const textCases = texts.flatMap(({ field, min = 0, max }) => [
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
const patternCases = [
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
const numberCases = [
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
const dateCases = [
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
const choiceCases = [
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
const nullCases = [...optional, ...required].map((field) => no(field, 'null', null));
const absentCases = required.map((field) => no(field, 'nothing at all', undefined));

/** Members that no object of the body has, at every level. */
const unknownMembers: Field[] = [
  member('total'),
  ofQuote('/a~1b~0c', (value) => ({ 'a/b~c': value })),
  ofCustomer('full_name'),
  ofItem('total'),
  ofQuote('/items/1/vat', (value) => ({ items: [...item({}), ...item({ vat: value })] })),
  ofQuote('/discount/reason', (value) => ({ discount: { type: 'percent', value: 1, reason: value } })),
  ofPayment('currency', 'cash'),
];

/** Section 2.6: every constraint of the create request, at both sides of its boundary. */
export function createFields(suite: Suite): void {
  let issuers: Issuer[];
  const keyOf = (index: number) => (issuers[index % issuers.length] as Issuer).key;

  function table(title: string, cases: readonly Case[]): void {
    describe(title, () => {
      const answers = answersTo(cases, (entry, index): Promise<Answer<CreatedDocument & ErrorBody>> => {
        const body = entry.body(entry.value) as { type?: unknown };
        // Of the plain types each has its own series, so that the accepted cases need not wait for one another.
        return suite.issue(keyOf(index), body.type === 'quote' ? { ...body, type: plainType(index) } : body);
      });
      it.each(
        cases.map((entry) => [entry.path, entry.ok ? 'may be' : 'may not be', entry.says, entry] as const),
      )('2.6 %s %s %s', (_path, _may, _says, entry) => {
        const answer = answers(entry);
        if (entry.ok) {
          expect([answer.status, answer.body.error]).toEqual([201, undefined]);
        } else {
          expect(faultPathsOf(answer)).toEqual([entry.path]);
        }
      });
    });
  }

  describe('2.6 the create request', () => {
    beforeAll(async () => {
      issuers = await Promise.all(Array.from({ length: 4 }, () => suite.newIssuer()));
    });

    table('lengths, in code points', textCases);
    table('formats', patternCases);
    table('ranges, decimals and counts', numberCases);
    table('days', dateCases);
    table('choices, flags and ids', choiceCases);
    table('null is no value', nullCases);
    table('what is required', absentCases);
    table(
      'unknown members',
      unknownMembers.map((field) => no(field, 'there', 1)),
    );

    it.each(documentTypes)('2.6 type may be %s', async (type) => {
      const key = keyOf(0);
      const source = type === 'credit_note' ? await suite.issued(key, documentOf('tax_invoice')) : undefined;
      const created = await suite.issued(key, documentOf(type, source ? { based_on: source.id } : {}));
      expect(created.type).toBe(type);
    });

    it('2.6 customer must contain id or name', async () => {
      const paths = faultPathsOf(await suite.issue(keyOf(0), quote({ customer: {} })));
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) {
        expect(['/customer/id', '/customer/name']).toContain(path);
      }
    });

    it.each([
      ['quantity', '1.00000', '1'],
      ['quantity', '1e-4', '0.0001'],
      ['quantity', '2E2', '200'],
      ['unit_price', '19.900', '19.9'],
      ['unit_price', '1e2', '100'],
      ['unit_price', '-0', '0'],
    ])(
      'decisions, Numbers: decimals are counted on the shortest form, so %s may be written %s',
      async (field, written, value) => {
        const body = JSON.stringify(quote({ items: item({ [field]: '%' }) as never })).replace(
          '"%"',
          written,
        );
        const answer = await suite.issue(keyOf(0), undefined, randomUUID(), { bytes: Buffer.from(body) });
        expect(answer.status).toBe(201);
        const [stored] = (await suite.read(keyOf(0), answer.body.id)).items;
        expect(stored?.[field as 'quantity']).toBe(Number(value));
      },
    );

    it('decisions, Strictness: every fault is named, each by its pointer', async () => {
      const answer = await suite.issue(
        keyOf(0),
        {
          type: 'quote',
          number: 7,
          date: '2026-02-30',
          due_date: '2026-07-01',
          customer: { name: ' ', tax_id: '12', email: null, phone: 'call me' },
          items: [{ description: ' ', quantity: 0.00001, unit_price: 1.005, total: 1 }, { quantity: '1' }],
          discount: { type: 'percent', value: 0 },
          payments: [{ method: 'cash', amount: 1.001, check_number: '1', card_type: 'x' }],
          expected_total: 1.234,
        },
        'k'.repeat(129),
      );
      expect(faultPathsOf(answer)).toEqual(
        [
          '/customer/email',
          '/customer/name',
          '/customer/phone',
          '/customer/tax_id',
          '/date',
          '/discount/value',
          '/due_date',
          '/expected_total',
          '/headers/Idempotency-Key',
          '/items/0/description',
          '/items/0/quantity',
          '/items/0/total',
          '/items/0/unit_price',
          '/items/1/description',
          '/items/1/quantity',
          '/items/1/unit_price',
          '/number',
          '/payments/0/amount',
          '/payments/0/card_type',
          '/payments/0/check_number',
        ].sort(),
      );
    });

    it('decisions, Strictness: POST /documents takes no query parameters', async () => {
      const answer = await suite.call(keyOf(0), 'POST', '/documents?dry_run=1', {
        body: quote(),
        headers: { 'idempotency-key': randomUUID() },
      });
      expect(faultPathsOf(answer)).toEqual(['/query/dry_run']);
    });

    describe('decisions, Payment extras: each belongs to its methods', () => {
      const withExtras = (method: PaymentMethod, belonging: boolean) =>
        Object.entries(extras).filter(([, { of }]) => of.includes(method) === belonging);
      const bodyOf = (method: PaymentMethod, chosen: ReturnType<typeof withExtras>) =>
        documentOf('receipt', {
          payments: [
            {
              method,
              amount: 100,
              ...Object.fromEntries(chosen.map(([extra, { value }]) => [extra, value])),
            },
          ],
        });
      const answers = answersTo(methods, async (method, index) => ({
        own: await suite.issue(keyOf(index), bodyOf(method, withExtras(method, true))),
        others: await suite.issue(keyOf(index), bodyOf(method, withExtras(method, false))),
      }));

      it.each(methods)('%s takes its own and refuses every other', (method) => {
        expect(answers(method).own.status).toBe(201);
        expect(faultPathsOf(answers(method).others)).toEqual(
          withExtras(method, false)
            .map(([extra]) => `/payments/0/${extra}`)
            .sort(),
        );
      });
    });

    describe('2.6 due_date is for tax_invoice and proforma', () => {
      const others = documentTypes.filter((type) => type !== 'tax_invoice' && type !== 'proforma');
      const answers = answersTo(others, (type) =>
        suite.issue(keyOf(0), documentOf(type, { due_date: dayInIsrael(30) })),
      );
      it.each(others)('decisions, due_date: on %s it is a fault', (type) =>
        expect(faultPathsOf(answers(type))).toEqual(['/due_date']),
      );

      it.each(['tax_invoice', 'proforma'] as const)(
        'decisions, due_date: on %s it may be the date itself, and not the day before',
        async (type) => {
          const { key } = await suite.newIssuer();
          const date = '2026-01-05';
          const early = await suite.issue(key, documentOf(type, { date, due_date: addDays(date, -1) }));
          expect(faultPathsOf(early)).toEqual(['/due_date']);
          const same = await suite.issued(key, documentOf(type, { date, due_date: date }));
          expect(same.due_date).toBe(date);
        },
      );

      it('decisions, due_date: it may not precede today where the date is left to the service', async () => {
        const body = (due: string): object => documentOf('proforma', { due_date: due });
        expect(faultPathsOf(await suite.issue(keyOf(0), body(dayInIsrael(-1))))).toEqual(['/due_date']);
        expect((await suite.issue(keyOf(0), body(dayInIsrael(1)))).status).toBe(201);
      });

      it('2.6 without one the payment terms of the business decide; on other types it is null', async () => {
        const [usual, own] = await Promise.all([
          suite.newIssuer(),
          suite.newIssuer({ payment_terms_days: 45 }),
        ]);
        const dueOf = async ({ key }: Issuer, type: DocumentType) =>
          (await suite.issued(key, documentOf(type, { date: '2026-01-20' }))).due_date;
        expect(await dueOf(usual, 'tax_invoice')).toBe('2026-02-19');
        expect(await dueOf(usual, 'proforma')).toBe('2026-02-19');
        expect(await dueOf(own, 'tax_invoice')).toBe('2026-03-06');
        for (const type of ['quote', 'order', 'receipt'] as const) {
          expect(await dueOf(usual, type)).toBeNull();
        }
      });
    });

    it('2.6 date: without one the document has today', async () => {
      const today = dayInIsrael();
      expect([today, dayInIsrael()]).toContain((await suite.issued(keyOf(0), quote())).date);
    });

    it('2.6 prices_include_vat: without it the setting of the business decides', async () => {
      const [net, gross] = await Promise.all([
        suite.newIssuer({ prices_include_vat: false }),
        suite.newIssuer({ prices_include_vat: true }),
      ]);
      const totalOf = async (key: string, change: object) =>
        (await suite.issued(key, quote(change))).totals.total;
      expect(await totalOf(net.key, {})).toBe(118);
      expect(await totalOf(gross.key, {})).toBe(100);
      expect(await totalOf(net.key, { prices_include_vat: true })).toBe(100);
      expect(await totalOf(gross.key, { prices_include_vat: false })).toBe(118);
    });

    it('decisions, Payment extras: a payment without a date has the date of the document', async () => {
      const { key } = await suite.newIssuer();
      const { id } = await suite.issued(
        key,
        documentOf('receipt', {
          date: '2026-01-05',
          payments: [
            { method: 'cash', amount: 60 },
            { method: 'cash', amount: 40, date: '2025-12-31' },
          ],
        }),
      );
      const dates = (await suite.read(key, id)).payments.map(({ date }) => date);
      expect(dates).toEqual(['2026-01-05', '2025-12-31']);
    });

    it('2.6 external_ref is echoed', async () => {
      const created = await suite.issued(keyOf(0), quote({ external_ref: 'order-17' }));
      expect(created.external_ref).toBe('order-17');
    });
  });

  it('decisions, Empty texts: a text with nothing but a maximum is absent when it is empty, and null in answers', async () => {
    const { key } = await suite.newIssuer();
    const empty = { title: '', notes: '', external_ref: '' };
    const body = documentOf('receipt', {
      ...empty,
      items: item({ sku: '' }),
      payments: [{ method: 'cash', amount: 100, reference: '', card_type: '' }],
    });
    const { id, external_ref } = await suite.issued(key, body);
    const { title, notes, items, payments } = await suite.read(key, id);
    expect([external_ref, title, notes, items[0]?.sku, payments[0]?.reference]).toEqual(Array(5).fill(null));
  });

  describe('2.6 the Idempotency-Key header', () => {
    let key: string;
    beforeAll(async () => {
      ({ key } = await suite.newIssuer());
    });

    it.each([
      ['128 characters', 'k'.repeat(128)],
      ['one character', `${Math.random()}`.slice(-1)],
      ['128 Hebrew characters', letters(128)],
    ])('8 it may have %s', async (_says, idempotencyKey) => {
      const header = Buffer.from(idempotencyKey, 'utf8').toString('latin1');
      expect((await suite.issue(key, quote(), header)).status).toBe(201);
    });

    it('8 129 characters are a validation_error of the header', async () => {
      expect(faultPathsOf(await suite.issue(key, quote(), 'k'.repeat(129)))).toEqual([
        '/headers/Idempotency-Key',
      ]);
    });

    it.each([
      ['absent', undefined],
      ['empty', ''],
    ])('4.4 it may not be %s', async (_says, header) => {
      const answer = await suite.issue(key, quote(), '', { headers: { 'idempotency-key': header } });
      expectRefusal(answer, 'missing_idempotency_key');
    });
  });
}
