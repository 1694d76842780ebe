import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addSetOff,
  type Business,
  type Debt,
  fingerprint,
  getDocument,
  issueDocument,
  listArticles,
  listDebts,
  previewDocument,
  type RequestOf,
  readStatement,
  removeSetOff,
  showCustomer,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { fieldsIn, textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { previewOf } from '../issue/previewed.js';

describe('money on account in the console', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let browser: TestBrowser;
  let root: string;
  let debts: Debt[];
  let onAccount: number;
  let refusal: ApiError | null;
  const customer_id = randomUUID();
  const added: RequestOf<typeof addSetOff>[] = [];
  const removed: RequestOf<typeof removeSetOff>[] = [];
  const issued: RequestOf<typeof issueDocument>[] = [];

  const debt = (number: number, balance: number): Debt => {
    const {
      items: _items,
      prices_include_vat: _gross,
      discount: _discount,
      payments: _payments,
      ...rest
    } = exampleDocument({ id: randomUUID(), business_id: business.id, number });
    const { title: _title, notes: _notes, send: _send, ...document } = rest;
    return { document, customer_id, balance, due_on: '2026-05-01', days_late: 45, age: 'days_31_60' };
  };

  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    network.answer(listDebts, () => ({ debts, next_after: null, on_account: onAccount }));
    network.answer(addSetOff, (request) => {
      added.push(request);
      if (refusal) {
        throw refusal;
      }
      return { on_account: 0 };
    });
    network.answer(removeSetOff, (request) => {
      removed.push(request);
      if (refusal) {
        throw refusal;
      }
      return {};
    });
    network.answer(readStatement, () => ({
      ...{ opening: 0, brought_forward: 0, entries: [], debit: 300, credit: 120, closing: 180, documents: 2 },
      ...{ open: 300, next_after: null },
    }));
    network.answer(showCustomer, ({ customer_id: id }) => ({
      customer: {
        ...{ id, name: 'Dana', tax_id: null, legal_type: null, email: null, phone: null, address: null },
        ...{ city: null, created_at: '2026-06-01T08:00:00.000Z' },
      },
    }));
    network.answer(listArticles, () => ({ articles: [] }));
    network.answer(previewDocument, (request) => previewOf(request, {}));
    network.answer(issueDocument, (request) => {
      issued.push(request);
      if (refusal) {
        throw refusal;
      }
      return {
        document: exampleDocument({ business_id: request.business.id, type: request.body.type }),
        state: { status: 'closed' as const, paid: 150, allocation_number: null, cancelled_at: null },
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
    [debts, onAccount, refusal] = [[debt(1, 100), debt(2, 200)], 120, null];
    added.length = removed.length = issued.length = 0;
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'issuer' }));
    await browser.post('/language', { language: 'en', next: '/' });
  });

  it('the statement leads to a page that proposes to pay what is due first, and sets it off as it is confirmed', async () => {
    const statement = await browser.get(`${root}/customers/${customer_id}/statement`);
    expect(statement.text).toContain(`${root}/customers/${customer_id}/set-off"`);
    const { text } = await browser.get(`${root}/customers/${customer_id}/set-off`);
    const [first, second] = debts.map(({ document }) => document.id);
    const form = fieldsIn(text);
    expect(form).toMatchObject({
      'document.0': first,
      'amount.0': '100.00',
      'document.1': second,
      'amount.1': '20.00',
    });
    expect(textOf(text)).toMatch(/Credit on account \S*120/);
    const { set_off_id = '' } = form;
    for (const _time of ['once', 'twice']) {
      const reply = await browser.post(`${root}/customers/${customer_id}/set-off`, {
        ...form,
        'amount.0': '',
        'amount.1': '12.50',
      });
      expect([reply.status, reply.location]).toEqual([303, `${root}/customers/${customer_id}/statement`]);
    }
    // The act has one id, however often the form is sent.
    expect(added.map((request) => [request.set_off_id, request.amounts])).toEqual(
      [1, 2].map(() => [set_off_id, [{ document_id: second, amount: 12.5 }]]),
    );
    expect(added[0]).toMatchObject({ customer_id, person_id: expect.any(String) });
  });

  it('a refused set-off comes back with what was typed, and a customer without credit has a page that says so', async () => {
    const form = fieldsIn((await browser.get(`${root}/customers/${customer_id}/set-off`)).text);
    refusal = new ApiError('validation_error', { details: { errors: [{ path: '/amounts' }] } });
    const typed = { ...form, 'amount.0': '100.01' };
    const reply = await browser.post(`${root}/customers/${customer_id}/set-off`, typed);
    expect([reply.status, fieldsIn(reply.text)['amount.0']]).toEqual([422, '100.01']);
    expect(textOf(reply.text)).toContain('Nothing was set off');
    const none = await browser.post(`${root}/customers/${customer_id}/set-off`, { set_off_id: randomUUID() });
    expect([none.status, added.length]).toEqual([422, 1]);
    onAccount = 0;
    const empty = await browser.get(`${root}/customers/${customer_id}/set-off`);
    expect([empty.status, textOf(empty.text).includes('There is nothing to set off')]).toEqual([200, true]);
  });

  it('a set-off is removed from the page of its document, once', async () => {
    const document = exampleDocument({ business_id: business.id });
    const set_off_id = randomUUID();
    let invoices = 0;
    console.network.answer(getDocument, () => ({
      document,
      state: {
        status: 'open' as const,
        paid: 0,
        set_off: 60,
        credited: 0,
        invoices,
        allocation_number: null,
        cancelled_at: null,
      },
      set_offs: [{ set_off_id, amount: 60, set_at: '2026-06-10T08:00:00.000Z' }],
    }));
    const at = `${root}/documents/${document.id}/set-offs`;
    const { text } = await browser.get(at);
    expect(text).toContain('Removing returns the amount to the account');
    invoices = 1;
    document.type = 'proforma';
    const ofInvoiced = (await browser.get(at)).text;
    expect(ofInvoiced).toContain('the amounts are on the account of the customer again');
    expect(ofInvoiced).not.toContain('Removing returns the amount to the account');
    expect(textOf(text)).toMatch(/10 Jun 2026 11:00 ₪60.00/);
    expect((await browser.post(at, { set_off_id })).status).toBe(303);
    refusal = new ApiError('not_found');
    expect((await browser.post(at, { set_off_id })).status).toBe(303);
    expect(removed.map((request) => [request.document_id, request.set_off_id])).toEqual(
      [1, 2].map(() => [document.id, set_off_id]),
    );
    const bookkeeper = await console.signedIn(await console.addPerson({ [business.id]: 'bookkeeper' }));
    expect((await bookkeeper.get(at)).status).toBe(403);
    expect((await bookkeeper.get(`${root}/customers/${customer_id}/set-off`)).status).toBe(403);
  });

  it('one receipt pays the invoices that are chosen, the first due first, and the rest stays on account', async () => {
    debts = [debt(1, 100), debt(2, 200), debt(3, 50)];
    const [first, second, third] = debts.map(({ document }) => document.id);
    const { text } = await browser.get(`${root}/issue/document?type=receipt&account=${customer_id}`);
    const form = fieldsIn(text);
    expect(form).toMatchObject({
      account: customer_id,
      'customer.id': customer_id,
      'set_offs.2.document_id': third,
    });
    const { 'set_offs.1.document_id': _unchosen, ...chosen } = form;
    const asked = await browser.post(`${root}/issue/document`, {
      ...{ ...chosen, 'payments.0.amount': '120', step: 'preview' },
    });
    const confirm = await browser.get(asked.location ?? '');
    const words = textOf(confirm.text);
    expect(words).toMatch(/What it pays Tax invoice 1 ₪100.00 Tax invoice 3 ₪20.00 leaves ₪30.00/);
    await browser.post(`${root}/issue/document`, { ...fieldsIn(confirm.text), step: 'issue' });
    const set_offs = [
      { document_id: first, amount: 100 },
      { document_id: third, amount: 20 },
    ];
    const [request] = issued;
    expect(request).toMatchObject({ set_offs, body: { type: 'receipt', customer: { id: customer_id } } });
    expect(JSON.stringify(request)).not.toContain(second);
    expect(request?.body_sha256).toBe(fingerprint({ body: request?.body, set_offs }).toString('hex'));
    // More than is chosen stays on account; a balance that has changed since issues nothing.
    const more = await browser.post(`${root}/issue/document`, {
      ...{ ...chosen, key: randomUUID(), 'payments.0.amount': '170', step: 'preview' },
    });
    const question = await browser.get(more.location ?? '');
    expect(textOf(question.text)).toContain('Stays on account ₪20.00');
    refusal = new ApiError('validation_error', { details: { errors: [{ path: '/amounts' }] } });
    const reply = await browser.post(`${root}/issue/document`, { ...fieldsIn(question.text), step: 'issue' });
    expect([reply.status, textOf(reply.text).includes('Balances have changed')]).toEqual([422, true]);
  });
});
