import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Business } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { fieldsIn } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { type Issue, issuingByHand, typed } from './issuing-by-hand.js';

describe('the form of a document that is issued by hand', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let browser: TestBrowser;
  let root: string;
  let refusal: ApiError | null;
  const { answerForIssuing, forget, previewed, drawn, issued, open, send } = issuingByHand(() => ({
    browser,
    root,
    source: exampleDocument(),
    state: { status: 'open', paid: 0, credited: 0, allocation_number: null, cancelled_at: null },
    customers: [],
    known: {},
    refusal,
    issueRefusal: null,
  }));

  beforeAll(async () => {
    console = await startConsole();
    answerForIssuing(console);
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    business = console.addBusiness({ prices_include_vat: false });
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'issuer' }));
    root = `/b/${business.id}`;
    refusal = null;
    forget();
  });

  it('a wrong field shows its error, and the form keeps what was typed', async () => {
    const form = await open('type=tax_invoice');
    const wrong = { ...form, ...typed, 'items.0.quantity': 'many', title: '"Typed"' };
    const local = await send(wrong, 'preview');
    expect(local.status).toBe(422);
    expect(local.text).toContain('id="field-items.0.quantity-error"');
    expect(local.text.match(/-error">/g)).toHaveLength(1);
    expect(fieldsIn(local.text)).toMatchObject({ ...typed, 'items.0.quantity': 'many', title: '"Typed"' });
    const several = {
      'items.0.unit_price': '1.005',
      'customer.email': 'nobody',
      'customer.name': 'x',
      due_date: '2026-06-14',
    };
    const { status, text } = await send({ ...form, ...typed, ...several }, 'preview');
    expect(status).toBe(422);
    for (const name of ['items.0.unit_price', 'customer.email', 'customer.name', 'due_date']) {
      expect(text).toContain(`id="field-${name}-error"`);
    }
    expect(fieldsIn(text)).toMatchObject(several);
    refusal = ApiError.invalid([{ path: '/discount/value', message: 'is above the lines' }]);
    const discount = { 'discount.type': 'amount', 'discount.value': '500' };
    const refused = await send({ ...form, ...typed, ...discount }, 'preview');
    expect(refused.text).toContain('id="field-discount.value-error"');
  });

  it.each([
    ['invalid_customer_tax_id', {}, 'customer.tax_id', 'check digit'],
    ['customer_identity_conflict', {}, 'customer.tax_id', 'another name'],
    ['future_date', {}, 'date', 'in the future'],
    [
      'date_before_last_document',
      { last_document_date: '2026-06-14' },
      'date',
      '14 Jun 2026. Choose that date or a later one',
    ],
  ] as const)('%s is shown at its field', async (code, details, name, words) => {
    const form = await open('type=tax_invoice');
    refusal = new ApiError(code, { details });
    const { status, text } = await send({ ...form, ...typed }, 'preview');
    expect(status).toBe(422);
    expect(text).toMatch(new RegExp(`id="field-${name}-error">[^<]*${words}`));
  });

  it('lines are added, removed and computed by buttons, and an article number fills its line', async () => {
    const form = { ...(await open('type=tax_invoice')), ...typed };
    const added = fieldsIn((await send(form, 'add_line')).text);
    expect(added).toMatchObject({ 'items.0.description': 'Work', 'items.1.quantity': '1' });
    const computed = await send({ ...added, 'items.1.sku': 'A-1', 'items.1.quantity': '2' }, 'compute');
    expect(fieldsIn(computed.text)).toMatchObject({
      'items.1.description': 'Known article',
      'items.1.unit_price': '49.90',
    });
    expect(computed.text).toContain('₪235.76');
    const gross = await send({ ...added, prices: 'gross', 'items.1.sku': 'A-1' }, 'compute');
    expect(fieldsIn(gross.text)['items.1.unit_price']).toBe('');
    const removed = await browser.post(`${root}/issue/document`, { ...added, remove_line: '0' });
    expect(fieldsIn(removed.text)['items.0.description']).toBe('');
    expect(issued.size).toBe(0);
  });

  it('the amount of a single payment is the total where it is left empty', async () => {
    const form = await open('type=tax_invoice_receipt');
    const confirm = await send({ ...form, ...typed }, 'preview');
    expect(fieldsIn(confirm.text)['payments.0.amount']).toBe('118.00');
    expect(previewed.at(-1)).toMatchObject({
      payments_open: false,
      body: { payments: [{ method: 'bank_transfer', amount: 118, date: '2026-06-15' }] },
    });
  });

  it('a refusal of issuing is shown at its field, not at the amount that is left to compute', async () => {
    const form = { ...(await open('type=tax_invoice_receipt')), ...typed };
    refusal = new ApiError('invalid_customer_tax_id');
    const { status, text } = await send(form, 'preview');
    expect([status, text.includes('id="field-customer.tax_id-error"')]).toEqual([422, true]);
    expect(text).not.toContain('id="field-payments.0.amount-error"');
  });

  it('a payment has the fields of its method only, and a wrong sum is said at the payments', async () => {
    const form = { ...(await open('type=receipt')), ...typed };
    const check = {
      'payments.0.method': 'check',
      'payments.0.amount': '1,180.50',
      'payments.0.check_number': '7',
      'payments.0.bank_code': '12',
      'payments.0.reference': 'left from a transfer',
    };
    await send({ ...form, ...check }, 'preview');
    expect(previewed.at(-1)?.body.payments).toEqual([
      { method: 'check', amount: 1180.5, date: '2026-06-15', check_number: '7', bank_code: 12 },
    ]);
    refusal = new ApiError('payments_total_mismatch', { details: { total: 100 } });
    expect((await send({ ...form, ...check }, 'preview')).text).toContain('have to sum to 100.00');
  });

  it.each(['118.005', '-0.001'])(
    'a payment of %s is refused at its field, and totals are computed without it',
    async (paid) => {
      const form = { ...(await open('type=tax_invoice_receipt')), ...typed, 'payments.0.amount': paid };
      const { status, text } = await send(form, 'preview');
      expect([status, fieldsIn(text)['payments.0.amount']]).toEqual([422, paid]);
      expect(text).toContain('An amount above zero and at most 100,000,000, with at most 2 decimals.');
      expect((await send(form, 'compute')).text).toContain('₪118.00');
    },
  );

  it('a form of 100 lines and 20 payments with the longest texts is previewed, drawn and issued', async () => {
    const word = (length: number) => '😀'.repeat(length);
    const rows = (list: string, count: number, row: Record<string, string>) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, place) =>
          Object.entries(row).map(([name, value]) => [`${list}.${place}.${name}`, value] as const),
        ).flat(),
      );
    const fields = {
      ...(await open('type=tax_invoice_receipt')),
      'customer.name': word(120),
      'customer.address': word(200),
      title: word(120),
      notes: `${word(499)}\r\n${word(500)}`,
      ...rows('items', 100, { sku: word(64), description: word(200), quantity: '1', unit_price: '20' }),
      ...rows('payments', 20, {
        method: 'bank_transfer',
        amount: '118',
        date: '2026-06-15',
        reference: word(64),
      }),
    };
    const question = fieldsIn((await send(fields, 'preview')).text);
    await browser.post(`${root}/issue/picture`, question);
    expect(drawn).toHaveLength(1);
    expect((await send(question, 'issue')).status).toBe(303);
    const [{ body }] = [...issued.values()] as [Issue];
    expect(body.items).toHaveLength(100);
    expect(body.payments).toHaveLength(20);
    expect(body.notes).toBe(`${word(499)}\n${word(500)}`);
    expect(body.items[99]?.description).toBe(word(200));
  });

  it('a text that is too long and lines that are too many are refused with their numbers, and stay as they were typed', async () => {
    const lines = Object.fromEntries(
      Array.from({ length: 101 }, (_, place) => [`items.${place}.description`, 'Work'] as const),
    );
    const fields = { ...(await open('type=quote')), ...typed, ...lines, notes: 'n'.repeat(1_001) };
    const { status, text } = await send(fields, 'preview');
    expect(status).toBe(422);
    expect(text).toContain('At most 100 lines in one document.');
    expect(text).toContain('At most 1,000 characters; this has 1,001.');
    expect(fieldsIn(text)['items.100.description']).toBe('Work');
    expect(text).toContain('n'.repeat(1_001));
    expect(issued.size).toBe(0);
  });

  it('a discount without its kind is an error at the kind, and the form says so where it has the focus', async () => {
    const form = { ...(await open('type=tax_invoice')), ...typed, 'discount.value': '10' };
    const { status, text } = await send(form, 'preview');
    expect(status).toBe(422);
    expect(text).toMatch(/id="field-discount.type-error">Choose whether the discount is in percent/);
    expect(text).toMatch(/<title>Error: Tax invoice/);
    expect(text.match(/<[^>]* autofocus[^>]*>/g)).toEqual([
      expect.stringMatching(/^<select id="field-discount.type"/),
    ]);
    expect((await send(form, 'compute')).text.split('data-live')[1]).toContain('Choose whether the discount');
    expect(previewed).toEqual([]);
  });

  it('a value that is pasted from contacts or from a page is read without its marks', async () => {
    const fields = {
      ...(await open('type=quote')),
      ...typed,
      'customer.tax_id': '51-444444-7\u200f',
      'customer.email': '<user@example.com>',
      'customer.phone': '\u202a(050) 123-4567\u202c',
      'items.0.unit_price': '\u200f1,180.00\u00a0\u200f₪',
    };
    await send(fieldsIn((await send(fields, 'preview')).text), 'issue');
    const [{ body }] = [...issued.values()] as [Issue];
    expect(body.customer).toMatchObject({
      tax_id: '514444447',
      email: 'user@example.com',
      phone: '050 123-4567',
    });
    expect(body.items[0]?.unit_price).toBe(1180);
  });
});
