import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addWithheld,
  type Business,
  type Debt,
  type DocumentState,
  getDocument,
  type IssuedDocument,
  issueDocument,
  listArticles,
  listDebts,
  listDocuments,
  listWithheld,
  previewDocument,
  type ReplyOf,
  type RequestOf,
  removeWithheld,
  reportPeriod,
  requestFingerprint,
  showCustomer,
  type Withheld,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { fieldsIn, textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { previewOf } from '../issue/previewed.js';

describe('tax withheld at source in the console', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let browser: TestBrowser;
  let root: string;
  let document: IssuedDocument;
  let state: DocumentState;
  let rows: Withheld[];
  let debts: Debt[];
  let refusal: ApiError | null;
  const added: RequestOf<typeof addWithheld>[] = [];
  const removed: RequestOf<typeof removeWithheld>[] = [];
  const issued: RequestOf<typeof issueDocument>[] = [];
  const previewed: RequestOf<typeof previewDocument>[] = [];
  const customer_id = randomUUID();

  const withheldOf = (amount: number, change: Partial<Withheld> = {}): Withheld => ({
    withheld_id: randomUUID(),
    document: { id: document.id, type: 'tax_invoice', number: document.number },
    receipt: { id: randomUUID(), number: 3 },
    customer: { id: customer_id, name: 'Dana', tax_id: '514713288' },
    ...{ amount, withheld_on: '2026-06-10', recorded_at: '2026-06-11T08:00:00.000Z' },
    confirmation: { number: '857-1' },
    ...change,
  });

  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    network.answer(getDocument, () => ({ document, state, ...(rows.length > 0 && { withheld: rows }) }));
    network.answer(listDocuments, ({ type }) => ({
      documents: type === undefined ? [] : [receiptOf('2026-06-09')],
      next_before: null,
    }));
    network.answer(addWithheld, (request) => {
      added.push(request);
      if (refusal) {
        throw refusal;
      }
      return {};
    });
    network.answer(removeWithheld, (request) => {
      removed.push(request);
      if (refusal) {
        throw refusal;
      }
      return {};
    });
    network.answer(listDebts, () => ({ debts, next_after: null }));
    network.answer(showCustomer, ({ customer_id: id }) => ({
      customer: {
        ...{ id, name: 'Dana', tax_id: null, legal_type: null, email: null, phone: null, address: null },
        ...{ city: null, created_at: '2026-06-01T08:00:00.000Z' },
      },
    }));
    network.answer(listArticles, () => ({ articles: [] }));
    network.answer(previewDocument, (request) => {
      previewed.push(request);
      return previewOf(request, {});
    });
    network.answer(issueDocument, (request) => {
      issued.push(request);
      if (refusal) {
        throw refusal;
      }
      return {
        document: exampleDocument({ business_id: request.business.id, type: request.body.type }),
        state: { status: 'closed' as const, paid: 1140, allocation_number: null, cancelled_at: null },
        allocation: { status: 'not_required' as const, number: null, reason: null },
        delivery: { status: 'disabled' as const, channel: null, scheduled_for: null },
        replayed: false,
      };
    });
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    business = console.addBusiness({ legal_type: 'osek_murshe' });
    root = `/b/${business.id}`;
    document = exampleDocument({ business_id: business.id, type: 'tax_invoice', number: 7 });
    const totals = { ...document.totals, subtotal: 1000, vat: 180, total: 1180 };
    document = { ...document, totals };
    state = { status: 'closed', paid: 1140, credited: 0, allocation_number: null, cancelled_at: null };
    [rows, debts, refusal] = [[], [], null];
    added.length = removed.length = issued.length = previewed.length = 0;
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'issuer' }));
    await browser.post('/language', { language: 'en', next: '/' });
  });

  function receiptOf(date: string): ReplyOf<typeof listDocuments>['documents'][number] {
    const {
      items: _i,
      prices_include_vat: _p,
      discount: _d,
      payments: _y,
      ...rest
    } = exampleDocument({
      ...{ business_id: business.id, type: 'receipt', date },
    });
    const { title: _t, notes: _n, send: _s, ...head } = rest;
    return {
      document: head,
      state: { status: 'closed', paid: 1140, allocation_number: null, cancelled_at: null },
      allocation: { status: 'not_required', number: null, reason: null },
      delivery: { status: 'disabled', channel: null, scheduled_for: null },
    };
  }

  const at = () => `${root}/documents/${document.id}/withheld`;

  it('an invoice that is paid in part leads to a form that suggests what is left, of the latest payment', async () => {
    expect((await browser.get(`${root}/documents/${document.id}`)).text).toContain(`${at()}"`);
    const { text } = await browser.get(at());
    const form = fieldsIn(text);
    expect(form).toMatchObject({ amount: '40.00', withheld_on: '2026-06-09' });
    for (const _time of ['once', 'twice']) {
      const reply = await browser.post(at(), { ...form, 'confirmation.number': ' 857-1 ' });
      expect([reply.status, reply.location]).toEqual([303, at()]);
    }
    // The act has one id, however often the form is sent.
    expect(added).toMatchObject(
      [1, 2].map(() => ({
        ...{ document_id: document.id, withheld_id: form.withheld_id, amount: 40, withheld_on: '2026-06-09' },
        ...{ confirmation: { number: '857-1' }, person_id: expect.any(String) },
      })),
    );
  });

  it('an entry that cannot be recorded comes back at its field with what was typed, and says what to do', async () => {
    const form = fieldsIn((await browser.get(at())).text);
    const typed: [Record<string, string>, string][] = [
      [{ amount: 'forty' }, 'at most the balance due'],
      [{ withheld_on: '' }, 'A valid date, not after today.'],
      [{ 'confirmation.number': 'x'.repeat(41) }, '40'],
      [{ 'confirmation.date': '2026-02-30' }, 'The date is not valid.'],
    ];
    for (const [change, sentence] of typed) {
      const reply = await browser.post(at(), { ...form, ...change });
      expect([reply.status, fieldsIn(reply.text)]).toMatchObject([422, change]);
      expect(textOf(reply.text)).toContain('Nothing was recorded.');
      expect(textOf(reply.text)).toContain(sentence);
    }
    expect(added).toEqual([]);
    refusal = new ApiError('validation_error', { details: { errors: [{ path: '/amount' }] } });
    const reply = await browser.post(at(), { ...form, amount: '40.01' });
    expect([reply.status, fieldsIn(reply.text).amount]).toEqual([422, '40.01']);
    expect(textOf(reply.text)).toContain('the balance due, which may have changed');
  });

  it('tax that is withheld is shown with its receipt and confirmation, and removed once, but not of a cancelled document', async () => {
    rows = [withheldOf(40)];
    state = { ...state, set_off: 40, withheld: 40 };
    const { text } = await browser.get(at());
    expect(textOf(text)).toMatch(/10 Jun 2026 ₪40\.00 857-1 11 Jun 2026 11:00 with receipt 3/);
    expect(textOf(text)).toContain('It has no balance due.');
    const { withheld_id = '' } = fieldsIn(text);
    expect(withheld_id).toBe(rows[0]?.withheld_id);
    expect((await browser.post(`${at()}/remove`, { withheld_id })).status).toBe(303);
    refusal = new ApiError('not_found');
    expect((await browser.post(`${at()}/remove`, { withheld_id })).status).toBe(303);
    expect(removed.map((request) => request.withheld_id)).toEqual([withheld_id, withheld_id]);
    state = { ...state, status: 'cancelled', cancelled_at: '2026-06-16T07:00:00.000Z' };
    expect((await browser.get(at())).text).not.toContain(`${at()}/remove`);
    const bookkeeper = await console.signedIn(await console.addPerson({ [business.id]: 'bookkeeper' }));
    expect((await bookkeeper.get(at())).status).toBe(403);
  });

  it('a receipt for an invoice takes what its payment leaves as withheld, and states it before it is issued', async () => {
    const form = fieldsIn(
      (await browser.get(`${root}/issue/document?type=receipt&from=${document.id}`)).text,
    );
    expect(form).toMatchObject({ 'withheld.amount': '', 'payments.0.amount': '40.00' });
    state = { ...state, paid: 0 };
    const paid = { ...form, 'payments.0.amount': '1,140', 'withheld.number': '857-1' };
    const rest = await browser.post(`${root}/issue/document`, { ...paid, step: 'withhold' });
    expect(fieldsIn(rest.text)['withheld.amount']).toBe('40.00');
    const asked = await browser.post(`${root}/issue/document`, { ...fieldsIn(rest.text), step: 'preview' });
    const confirm = await browser.get(asked.location ?? '');
    expect(textOf(confirm.text)).toMatch(
      /Total received ₪1,140\.00 Tax withheld at source ₪40\.00 Total settled ₪1,180\.00/,
    );
    const withheld = {
      amounts: [{ document_id: document.id, amount: 40 }],
      confirmation: { number: '857-1' },
    };
    expect(previewed.at(-1)).toMatchObject({ withheld });
    await browser.post(`${root}/issue/document`, { ...fieldsIn(confirm.text), step: 'issue' });
    const [request] = issued;
    expect(request).toMatchObject({ withheld, body: { type: 'receipt', based_on: document.id } });
    expect(request?.set_offs).toBeUndefined();
    const hash = requestFingerprint({ body: request?.body, withheld }).toString('hex');
    expect(request?.body_sha256).toBe(hash);
  });

  it('an amount that a receipt cannot state as withheld comes back at its field, and zero is nothing', async () => {
    const form = fieldsIn(
      (await browser.get(`${root}/issue/document?type=receipt&from=${document.id}`)).text,
    );
    const send = (change: Record<string, string>) =>
      browser.post(`${root}/issue/document`, { ...form, key: randomUUID(), ...change });
    const none = await send({ 'payments.0.amount': '1,180', step: 'withhold' });
    expect(textOf(none.text)).toContain('The payment leaves nothing.');
    const wrong = await send({ 'withheld.amount': '-1', step: 'preview' });
    const back = await browser.get(wrong.location ?? '');
    expect([back.status, fieldsIn(back.text)['withheld.amount']]).toEqual([422, '-1']);
    const zero = await send({ 'withheld.amount': '0', step: 'preview' });
    const confirm = await browser.get(zero.location ?? '');
    expect(previewed.at(-1)?.withheld).toBeUndefined();
    const typed = { ...fieldsIn(confirm.text), 'withheld.amount': '41', step: 'issue' };
    refusal = new ApiError('validation_error', { details: { errors: [{ path: '/withheld/amounts' }] } });
    const refused = await browser.post(`${root}/issue/document`, typed);
    expect([refused.status, fieldsIn(refused.text)['withheld.amount']]).toEqual([422, '41']);
    expect(textOf(refused.text)).toContain('at most the balance due');
    // A receipt that is for no document has nothing to withhold from.
    const free = await browser.get(`${root}/issue/document?type=receipt`);
    expect(fieldsIn(free.text)['withheld.amount']).toBeUndefined();
  });

  it('one receipt for several invoices divides what was withheld over what it leaves of them', async () => {
    const debt = (number: number, balance: number): Debt => {
      const { document: head } = receiptOf('2026-06-01');
      const of = { ...head, id: randomUUID(), type: 'tax_invoice' as const, number };
      return { document: of, customer_id, balance, due_on: '2026-05-01', days_late: 45, age: 'days_31_60' };
    };
    debts = [debt(1, 100), debt(2, 200)];
    const [first, second] = debts.map(({ document: { id } }) => id);
    const { text } = await browser.get(`${root}/issue/document?type=receipt&account=${customer_id}`);
    const typed = { ...fieldsIn(text), 'payments.0.amount': '90', step: 'withhold' };
    const rest = fieldsIn((await browser.post(`${root}/issue/document`, typed)).text);
    expect(rest['withheld.amount']).toBe('210.00');
    const asked = await browser.post(`${root}/issue/document`, {
      ...{ ...rest, 'payments.0.amount': '280', 'withheld.amount': '20', step: 'preview' },
    });
    const confirm = await browser.get(asked.location ?? '');
    expect(textOf(confirm.text)).toContain(
      'Tax invoice 1 ₪100.00 Tax invoice 2 ₪180.00 + ₪20.00 tax withheld at source',
    );
    await browser.post(`${root}/issue/document`, { ...fieldsIn(confirm.text), step: 'issue' });
    expect(issued[0]).toMatchObject({
      set_offs: [
        { document_id: first, amount: 100 },
        { document_id: second, amount: 180 },
      ],
      withheld: { amounts: [{ document_id: second, amount: 20 }] },
    });
  });

  it('the report of a period lists what customers have withheld, and leads to the entries of the year', async () => {
    const nothing = { net: 0, vat: 0, total: 0 };
    console.network.answer(reportPeriod, () => ({
      ...{ types: [], rates: [], sales: nothing, taxable: nothing, untaxed: 0, receipts: [], received: 0 },
      ...{ reported: { taxable: 0, vat: 0, untaxed: 0 }, months: [] },
      income: { basis: 'invoices' as const, amount: 0 },
      withheld: {
        ...{ amount: 40, customers: 1 },
        by_customer: [{ id: customer_id, name: 'Dana', tax_id: '514713288', entries: 1, amount: 40 }],
      },
    }));
    const ranges: unknown[] = [];
    console.network.answer(listWithheld, ({ from, to }) => {
      ranges.push([from, to]);
      return { withheld: [withheldOf(40)], next_after: null };
    });
    const reader = await console.signedIn(await console.addPerson({ [business.id]: 'bookkeeper' }));
    await reader.post('/language', { language: 'en', next: '/' });
    const { text } = await reader.get(`${root}/reports?period=2026-06`);
    expect(textOf(text)).toMatch(/Tax withheld at source .*Dana 514713288 1 ₪40\.00 Total ₪40\.00/);
    const csv = await reader.get(`${root}/reports/withheld/csv?period=2026`);
    expect(csv.text).toContain('customer,');
    expect(csv.text.trimEnd().split('\r\n').at(-1)).toMatch(/^total,.*40\.00/);
    expect(ranges).toEqual([['2026-01-01', '2026-12-31']]);
    expect(text).toContain(`${root}/reports/withheld/csv?period=2026"`);
    expect((await reader.get(`${root}/reports/csv?period=2026-06`)).text).toContain('Dana,514713288,1,40.00');
  });
});
