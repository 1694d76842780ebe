import { describe, expect, it } from '@jest/globals';
import Type from 'typebox';
import { publicRoutes } from '../catalogue.js';
import { updateCustomer } from '../customer/index.js';
import { BusinessChange } from './business.js';
import { canonicalJson } from './canonical-json.js';
import { createDocumentErrors } from './create-document-rules.js';
import { CreateDocument } from './document.js';
import { withoutEmptyTexts } from './empty-texts.js';
import { hasSentence } from './error-sentences.js';
import { Nullable, Strict } from './fields.js';
import { compile, compileTolerant } from './validate.js';

const body = (change: Record<string, unknown>): Record<string, unknown> => ({
  type: 'tax_invoice',
  customer: { name: 'לקוח לדוגמה' },
  items: [{ description: 'שירות', quantity: 1, unit_price: 10 }],
  ...change,
});
const paths = (change: Record<string, unknown>) =>
  createDocumentErrors(body(change)).map((error) => error.path);
const item = (change: Record<string, unknown>) => ({
  items: [{ description: 'שירות', quantity: 1, unit_price: 10, ...change }],
});
const payment = (method: CreateDocument['type'] | string, extra: object) => ({
  payments: [{ method, amount: 1, ...extra }],
});
const schema = Strict({
  id: Type.String(),
  payer: Nullable(Strict({ name: Type.String() })),
  lines: Type.Array(Strict({ amount: Type.Number() })),
  free: Type.Optional(Type.Unknown()),
});
const known = { id: 'a', payer: { name: 'b' }, lines: [{ amount: 1 }, { amount: 2 }], free: { any: 1 } };
const newer = {
  ...known,
  added: 1,
  payer: { name: 'b', added: { x: 1 } },
  lines: [{ amount: 1, added: [] }, { amount: 2 }],
};

describe('canonicalJson', () => {
  it('the example of RFC 8785, 3.2.2, has the form of 3.2.4', () => {
    const example = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false] }`;
    expect(canonicalJson(JSON.parse(example))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('members are in the order of their UTF-16 code units (RFC 8785, 3.2.3)', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const members = Object.fromEntries(names.map((name) => [name, '']));
    expect(canonicalJson(members)).toBe('{"\\r":"","1":"","\u0080":"","ö":"","€":"","😀":"","\ufb33":""}');
  });

  it('a value that JSON cannot hold is rejected, and undefined members are left out', () => {
    expect(canonicalJson({ a: undefined, b: -0 })).toBe('{"b":0}');
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', undefined, 1n]) {
      expect(() => canonicalJson([value])).toThrow('no canonical form');
    }
  });
});

describe('createDocumentErrors', () => {
  it('a valid request has no errors', () => {
    expect(paths({ date: '2026-06-15', due_date: '2026-06-15', expected_total: 11.8 })).toEqual([]);
  });

  it('a quantity has at most four decimals and an amount two, counted as written', () => {
    expect(paths(item({ quantity: 0.1234, unit_price: 0.07 }))).toEqual([]);
    expect(paths(item({ quantity: 0.12345 }))).toEqual(['/items/0/quantity']);
    expect(paths(item({ unit_price: 1.005 }))).toEqual(['/items/0/unit_price']);
    expect(paths(item({ quantity: 1e-5 }))).toEqual(['/items/0/quantity']);
    expect(paths({ expected_total: 0.001 })).toEqual(['/expected_total']);
    expect(paths({ payments: [{ method: 'cash', amount: 1.001 }] })).toEqual(['/payments/0/amount']);
  });

  it('the amount of a discount may have any number of decimals, since it is rounded', () => {
    expect(paths({ discount: { type: 'amount', value: 1.005 } })).toEqual([]);
  });

  it('a due date belongs to a tax invoice or a proforma and does not precede the date', () => {
    expect(paths({ type: 'proforma', due_date: '2026-07-01' })).toEqual([]);
    expect(paths({ type: 'receipt', due_date: '2026-07-01' })).toEqual(['/due_date']);
    expect(paths({ date: '2026-06-15', due_date: '2026-06-14' })).toEqual(['/due_date']);
    expect(paths({ due_date: '1999-01-01' })).toEqual([]);
  });

  it.each([
    ['cash', {}],
    ['check', { check_number: '1', check_date: '2026-06-15', bank_code: 12, branch: '1', account: '2' }],
    ['credit_card', { card_last_digits: '1234', card_type: 'visa' }],
    ['bank_transfer', { reference: 'r' }],
    ['wallet_method_1', { reference: 'r' }],
    ['wallet_method_5', { reference: 'r' }],
  ])('a payment by %s takes its own fields', (method, extra) =>
    expect(paths(payment(method, extra))).toEqual([]),
  );

  it.each([
    ['cash', { reference: 'r' }, '/payments/0/reference'],
    ['check', { reference: 'r' }, '/payments/0/reference'],
    ['check', { card_last_digits: '1234' }, '/payments/0/card_last_digits'],
    ['bank_transfer', { bank_code: 12 }, '/payments/0/bank_code'],
    ['wallet_method_2', { check_date: '2026-06-15' }, '/payments/0/check_date'],
  ])('a payment by %s takes no field of another method: %j', (method, extra, path) =>
    expect(paths(payment(method, extra))).toEqual([path]),
  );

  it('a name or description of white space only is an error', () => {
    expect(paths({ customer: { name: ' \u00a0\n' } })).toEqual(['/customer/name']);
    expect(paths({ customer: { name: ' א ' } })).toEqual(['/customer/name']);
    expect(paths(item({ description: '\t' }))).toEqual(['/items/0/description']);
  });

  it('text that cannot be stored is an error at any depth', () => {
    expect(paths({ title: 'a\u0000' })).toEqual(['/title']);
    expect(paths({ customer: { name: 'ab', city: '\ud83d' } })).toEqual(['/customer/city']);
    expect(paths({ notes: '😀' })).toEqual([]);
  });

  it.each([null, 'x', 7, [], [[]], { items: 'x', payments: [null], customer: null, due_date: 7, type: 7 }])(
    'the value %p throws nothing',
    (value) => expect(createDocumentErrors(value)).toEqual([]),
  );
});

describe('withoutEmptyTexts', () => {
  it('a text with nothing but a maximum is absent when it is empty, at any depth, and any other value stays', () => {
    const given = {
      ...body({ title: '', notes: ' \n', external_ref: 'a', based_on: '' }),
      customer: { name: '', city: '', email: '' },
      items: [{ description: '', quantity: 1, unit_price: 1, sku: '' }],
      payments: [{ method: 'cash', amount: 1, reference: '' }],
    };
    expect(withoutEmptyTexts(CreateDocument, given)).toEqual({
      type: 'tax_invoice',
      external_ref: 'a',
      based_on: '',
      customer: { name: '', email: '' },
      items: [{ description: '', quantity: 1, unit_price: 1 }],
      payments: [{ method: 'cash', amount: 1 }],
    });
    expect(createDocumentErrors(given).map(({ path }) => path)).not.toContain('/payments/0/reference');
  });

  it.each([null, 'x', [], { customer: 'x', items: [null, 7], payments: {} }])(
    'the value %j, which is no document, is returned as it is',
    (value) => expect(withoutEmptyTexts<unknown>(CreateDocument, value)).toEqual(value),
  );
});

describe('compileTolerant', () => {
  const check = compileTolerant(schema);

  it('compileTolerant drops unknown members at every depth and does not change its input', () => {
    const given = structuredClone(newer);
    expect(check(given)).toEqual({ ok: true, value: known });
    expect(given).toEqual(newer);
    expect(compile(schema)(newer)).toMatchObject({ ok: false });
  });

  it('compileTolerant returns a value without unknown members as it is', () => {
    expect(check(known)).toEqual({ ok: true, value: known });
  });

  it('compileTolerant reports every other error and none for what it drops', () => {
    expect(check({ ...newer, id: undefined, lines: [{ added: 1 }] })).toMatchObject({
      ok: false,
      errors: [{ path: '/id' }, { path: '/lines/0/amount', message: 'is required' }],
    });
    for (const none of [undefined, null, 17, 'x', []]) {
      expect(check(none)).toMatchObject({ ok: false });
    }
  });
});

describe('compile', () => {
  it('the error of a value that is none of an enumeration names all of it', () => {
    const check = compile(Strict({ method: Type.Enum(['cash', 'check']) }));
    expect(check({ method: 'coins' })).toEqual({
      ok: false,
      errors: [
        {
          path: '/method',
          message: 'must be one of cash, check',
          message_he: 'חייב להיות אחד מאלה: cash, check',
        },
      ],
    });
  });

  it.each<[Record<string, unknown>, string, string]>([
    [
      { customer: { name: 'אב', phone: '12' } },
      '/customer/phone',
      'must be an optional +, then 7 to 20 digits',
    ],
    [{ customer: { name: 'אב', tax_id: '' } }, '/customer/tax_id', 'must be 5 to 9 digits'],
    [{ customer: { name: 'אב', email: 'x' } }, '/customer/email', 'must be an email address'],
    [{ customer: { name: '' } }, '/customer/name', 'must have at least 2 characters'],
    [{ date: '2026-02-30' }, '/date', 'must be a date that exists, as YYYY-MM-DD'],
    [{ payments: [] }, '/payments', 'must have at least one entry'],
    [{ items: {} }, '/items', 'must be a list'],
    [item({ quantity: '1' }), '/items/0/quantity', 'must be a number'],
    [item({ quantity: 0 }), '/items/0/quantity', 'must be above 0'],
    [item({ quantity: 2_000_000 }), '/items/0/quantity', 'must be at most 1,000,000'],
    [item({ description: '' }), '/items/0/description', 'must not be empty'],
    [{ title: null }, '/title', 'must not be null: leave out an optional field that has no value'],
    [{ send: 'yes' }, '/send', 'must be true or false'],
    [{ based_on: 'x' }, '/based_on', 'must be a UUID'],
    [
      { payments: [{ method: 'bit', amount: 1 }] },
      '/payments/0/method',
      'wallet_method_1 (Bit), wallet_method_2 (PayBox)',
    ],
    [{ total: 1 }, '/total', 'is not a known field'],
  ])('the error of the request with %j is a sentence in both languages', (change, path, message) => {
    const checked = compile(CreateDocument)(body(change));
    const error = checked.ok ? undefined : checked.errors.find((found) => found.path === path);
    expect(error?.message).toContain(message);
    expect(error?.message_he).toMatch(/[א-ת]/);
  });

  it('a wrong member of an object that may be null is the only error', () => {
    const errorsOf = (payer: unknown) => {
      const checked = compile(schema)({ ...known, payer });
      return checked.ok ? [] : checked.errors.map((error) => `${error.path} ${error.message}`);
    };
    expect(errorsOf({ name: 1 })).toEqual(['/payer/name must be a text']);
    expect(errorsOf({ name: 'b', other: 1 })).toEqual(['/payer/other is not a known field']);
    expect(errorsOf(5)).toEqual(['/payer must be an object']);
  });

  it('every pattern and format that a person writes has a sentence', () => {
    const forms = new Set<string>();
    const collect = (value: unknown) => {
      if (typeof value !== 'object' || value === null) {
        return;
      }
      const { type, pattern, format } = value as Record<string, unknown>;
      for (const form of [pattern, format]) {
        if (type === 'string' && typeof form === 'string') {
          forms.add(form);
        }
      }
      Object.values(value).forEach(collect);
    };
    collect([
      ...publicRoutes.flatMap(({ body: one, query }) => [one, query]),
      BusinessChange,
      updateCustomer.request,
    ]);
    expect(forms.size).toBeGreaterThan(8);
    expect([...forms].filter((form) => !hasSentence(form))).toEqual([]);
  });
});
