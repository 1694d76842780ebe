import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type CustomerDetails,
  createCustomer,
  listArticles,
  listDebtors,
  listDebts,
  listDocuments,
  previewDocument,
  type RequestOf,
  readStatement,
  searchCustomers,
  showCustomer,
  updateCustomer,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { fieldsIn } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';

describe('the customers of a business', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let root: string;
  let browser: TestBrowser;
  let customer: CustomerDetails;
  let created: RequestOf<typeof createCustomer>[];
  let updated: RequestOf<typeof updateCustomer>['change'][];
  /** Why the customer service refuses a card; null: it does not. */
  let refusal: ApiError | null;
  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    network.answer(createCustomer, (request) => {
      if (refusal) {
        throw refusal;
      }
      created.push(request);
      return { customer: { ...customer, id: request.customer_id } };
    });
    network.answer(updateCustomer, ({ change }) => {
      if (refusal) {
        throw refusal;
      }
      updated.push(change);
      return { customer };
    });
    network.answer(showCustomer, () => ({ customer }));
    network.answer(searchCustomers, () => {
      const { address: _, created_at: __, payment_terms: ___, ...card } = customer;
      return { customers: [card] };
    });
    network.answer(listDebtors, ({ customer_ids }) => ({
      debtors: (customer_ids ?? []).map((customer_id) => ({
        ...{ customer_id, name: customer.name, documents: 1, amount: 1234.5, late: 0 },
        ...{ due_on: '2026-07-01', days_late: 0, on_account: 0 },
      })),
      next_after: null,
    }));
    network.answer(listDocuments, () => ({ documents: [], next_before: null }));
    network.answer(listDebts, () => ({ debts: [], next_after: null }));
    network.answer(readStatement, () => ({
      ...{ opening: 0, brought_forward: 0, entries: [], debit: 0, credit: 0, closing: 0 },
      ...{ documents: 0, open: 0, next_after: null },
    }));
    network.answer(listArticles, () => ({ articles: [] }));
    network.answer(previewDocument, () => {
      throw new ApiError('validation_error');
    });
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    [created, updated, refusal] = [[], [], null];
    business = console.addBusiness({});
    root = `/b/${business.id}`;
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'issuer' }));
    customer = {
      ...{ id: randomUUID(), name: 'Known Customer', tax_id: null, legal_type: null },
      ...{ email: 'known@example.com', phone: null, address: null, city: null },
      created_at: '2026-06-01T08:00:00.000Z',
    };
  });

  it('the list shows what each customer has left to pay, and leads who issues to a new one', async () => {
    const { text } = await browser.get(`${root}/customers`);
    expect(text).toContain('1,234.50');
    expect(text).toContain(`href="${root}/customers/new"`);
    const reader = await console.signedIn(await console.addPerson({ [business.id]: 'bookkeeper' }));
    expect((await reader.get(`${root}/customers`)).text).not.toContain('/customers/new"');
    expect((await reader.get(`${root}/customers/new`)).status).toBe(403);
  });

  it('a customer is created with what was typed, and a form that is sent twice names the same card', async () => {
    const form = fieldsIn((await browser.get(`${root}/customers/new`)).text);
    const typed = {
      ...form,
      name: ' New Ltd ',
      tax_id: '12344',
      city: 'Haifa',
      terms_days: '60',
      terms_from: 'end_of_month',
    };
    for (const _ of [1, 2]) {
      const reply = await browser.post(`${root}/customers/new`, typed);
      expect(reply).toMatchObject({ status: 303, location: `${root}/customers/${form.customer_id}` });
    }
    expect(created[0]).toMatchObject({
      customer_id: form.customer_id,
      customer: {
        ...{ name: 'New Ltd', tax_id: '000012344', city: 'Haifa' },
        payment_terms: { days: 60, from: 'end_of_month' },
      },
    });
    expect(created[1]).toEqual(created[0]);
    expect(created[0]?.customer).not.toHaveProperty('email');
  });

  it.each([
    [ApiError.invalid([{ path: '/customer/name', message: 'is the name of another customer' }]), 'name'],
    [ApiError.invalid([{ path: '/customer/payment_terms/days', message: 'x' }]), 'terms_days'],
    [new ApiError('invalid_customer_tax_id'), 'tax_id'],
  ])('a value that is refused comes back at its field: %#', async (error, field) => {
    refusal = error;
    const form = fieldsIn((await browser.get(`${root}/customers/new`)).text);
    const reply = await browser.post(`${root}/customers/new`, {
      ...form,
      name: 'Typed',
      tax_id: '123456789',
    });
    expect(reply.status).toBe(422);
    expect(reply.text).toContain(`id="field-${field}-error"`);
    expect(fieldsIn(reply.text)).toMatchObject({ name: 'Typed', customer_id: form.customer_id });
  });

  it('a tax id that another customer has leads to that customer', async () => {
    const existing_customer_id = randomUUID();
    refusal = new ApiError('customer_identity_conflict', { details: { existing_customer_id } });
    const form = fieldsIn((await browser.get(`${root}/customers/new`)).text);
    const reply = await browser.post(`${root}/customers/new`, { ...form, name: 'Typed', tax_id: '12344' });
    expect(reply.status).toBe(422);
    expect(reply.text).toContain(`href="${root}/customers/${existing_customer_id}"`);
  });

  it('a card is renamed and gets payment terms, and what is emptied is removed', async () => {
    const at = `${root}/customers/${customer.id}`;
    const form = fieldsIn((await browser.get(at)).text);
    expect(form).toMatchObject({ name: 'Known Customer', email: 'known@example.com', terms_days: '' });
    await browser.post(at, {
      ...form,
      name: 'Renamed',
      email: '',
      terms_days: '30',
      terms_from: 'end_of_month',
    });
    await browser.post(at, form);
    expect(updated).toEqual([
      {
        ...{ name: 'Renamed', email: null, phone: null, address: null, city: null },
        payment_terms: { days: 30, from: 'end_of_month' },
      },
      {
        ...{ name: 'Known Customer', email: 'known@example.com', phone: null, address: null, city: null },
        payment_terms: null,
      },
    ]);
  });

  it('the page of a customer leads to a document for it, whose form names the customer', async () => {
    const page = await browser.get(`${root}/customers/${customer.id}`);
    expect(page.text).toContain(`href="${root}/issue?customer=${customer.id}"`);
    const types = await browser.get(`${root}/issue?customer=${customer.id}`);
    expect(types.text).toContain(`type=quote&amp;customer=${customer.id}"`);
    const form = await browser.get(`${root}/issue/document?type=quote&customer=${customer.id}`);
    expect(fieldsIn(form.text)).toMatchObject({
      'customer.id': customer.id,
      'customer.known_name': 'Known Customer',
      'customer.name': 'Known Customer',
    });
  });
});
