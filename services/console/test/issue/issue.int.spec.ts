import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type CustomerCard,
  type DocumentState,
  type IssuedDocument,
  previewDocument,
  type ReplyOf,
  showCustomer,
  updateCustomer,
} from '@pinkas/contracts';
import { isTestBook } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { fieldsIn, textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { type Issue, issuingByHand, typed } from './issuing-by-hand.js';

describe('issuing by hand in the console', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let browser: TestBrowser;
  let root: string;
  let source: IssuedDocument;
  let state: DocumentState;
  let customers: CustomerCard[];
  /** What issuing answers a preview with in addition to the totals, or refuses it with. */
  let known: Partial<ReplyOf<typeof previewDocument>>;
  let refusal: ApiError | null;
  let issueRefusal: ApiError | null;
  const { answerForIssuing, forget, previewed, drawn, issued, id, open, send } = issuingByHand(() => ({
    browser,
    root,
    source,
    state,
    customers,
    known,
    refusal,
    issueRefusal,
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
    source = exampleDocument({ business_id: business.id });
    state = { status: 'open', paid: 0, credited: 0, allocation_number: null, cancelled_at: null };
    customers = [];
    known = {};
    refusal = null;
    issueRefusal = null;
    forget();
  });

  it.each([
    ['osek_murshe', ['tax_invoice', 'receipt', 'quote']],
    ['osek_patur', ['receipt', 'quote']],
  ] as const)('a business of the type %s is offered what it may issue', async (legal_type, types) => {
    console.businesses.set(business.id, { ...business, legal_type });
    const { text } = await browser.get(`${root}/issue`);
    for (const type of ['tax_invoice', 'receipt', 'quote'] as const) {
      expect([type, text.includes(`type=${type}"`)]).toEqual([
        type,
        (types as readonly string[]).includes(type),
      ]);
    }
    const { status } = await browser.get(`${root}/issue/document?type=tax_invoice`);
    expect(status).toBe(legal_type === 'osek_patur' ? 422 : 200);
  });

  it('a document is composed, previewed, confirmed and issued in the name of the person', async () => {
    const fields = await open('type=tax_invoice');
    const confirm = await send({ ...fields, ...typed }, 'preview');
    expect(confirm.status).toBe(200);
    expect(confirm.text).toMatch(/100\.00.*18\.00.*118\.00/s);
    const reply = await send(fieldsIn(confirm.text), 'issue');
    expect([reply.status, reply.location]).toEqual([303, `${root}/documents/${id}`]);
    const [request] = issued.values();
    expect(request).toMatchObject({
      issuer: { kind: 'person' },
      body: {
        type: 'tax_invoice',
        customer: { name: 'Typed customer' },
        items: [{ description: 'Work', quantity: 1, unit_price: 100 }],
        prices_include_vat: false,
        expected_total: 118,
        send: true,
        date: '2026-06-15',
      },
    });
  });

  it('a confirmation that is sent twice issues once, and leads to the document both times', async () => {
    const confirm = await send({ ...(await open('type=quote')), ...typed }, 'preview');
    const form = fieldsIn(confirm.text);
    const replies = await Promise.all([send(form, 'issue'), send(form, 'issue')]);
    expect(replies.map(({ location }) => location)).toEqual(Array(2).fill(`${root}/documents/${id}`));
    expect(issued.size).toBe(1);
  });

  it('a form that has issued a document issues no other one unless that is confirmed again', async () => {
    const form = { ...(await open('type=quote')), ...typed };
    await send(fieldsIn((await send(form, 'preview')).text), 'issue');
    const changed = { ...form, 'items.0.unit_price': '200' };
    for (const step of ['preview', 'issue']) {
      const again = await send(changed, step);
      expect([again.status, issued.size]).toEqual([422, 1]);
      expect(again.text).toContain('was issued from this form already');
      expect(fieldsIn(again.text)).toMatchObject({ 'items.0.unit_price': '200' });
    }
    const reply = await send(changed, 'preview');
    await send(fieldsIn((await send(fieldsIn(reply.text), 'preview')).text), 'issue');
    expect(issued.size).toBe(2);
  });

  it('a customer with the tax id of another one gets a card of its own where that is confirmed', async () => {
    const form = { ...(await open('type=tax_invoice')), ...typed, 'customer.tax_id': '777777715' };
    refusal = new ApiError('customer_identity_conflict', { details: { existing_customer_id: randomUUID() } });
    expect((await send(form, 'preview')).text).toContain('name="customer.identity_confirmed"');
    refusal = null;
    await send({ ...form, 'customer.identity_confirmed': 'yes' }, 'preview');
    expect(previewed.at(-1)?.body.customer).toEqual({
      name: 'Typed customer',
      tax_id: '777777715',
      identity_confirmed: true,
    });
  });

  it('a receipt from an invoice is over what is left to pay, to its customer', async () => {
    state = { ...state, paid: 1_000 };
    const form = await open(`type=receipt&from=${source.id}`);
    const left = (source.totals.total - 1_000).toFixed(2);
    expect(form).toMatchObject({
      based_on: source.id,
      'customer.name': source.customer.name,
      'payments.0.amount': left,
    });
    // A person who gets less types the amount once.
    const { text } = await send({ ...form, 'payments.0.amount': '100.10' }, 'preview');
    const asked = {
      based_on: source.id,
      customer: { id: source.customer.id },
      items: [{ quantity: 1, unit_price: 100.1 }],
      payments: [{ amount: 100.1 }],
    };
    expect(previewed.at(-1)?.body).toMatchObject(asked);
    // What is issued is over what was paid, whatever the form repeats.
    const confirmed = {
      ...fieldsIn(text),
      'items.0.unit_price': '1',
      'items.0.quantity': '3',
      prices: 'net',
    };
    await send(confirmed, 'issue');
    expect([...issued.values()].at(-1)?.body).toMatchObject({ ...asked, prices_include_vat: true });
    await send({ ...form, 'customer.name': 'Somebody else' }, 'preview');
    expect(previewed.at(-1)?.body.customer).toEqual({ name: 'Somebody else' });
  });

  it.each(['receipt', 'donation_receipt'])(
    'the form of a %s asks payments and a text, and shows no VAT',
    async (type) => {
      if (type === 'donation_receipt') {
        console.businesses.set(business.id, { ...business, legal_type: 'amuta' });
      }
      const { text } = await browser.get(`${root}/issue/document?type=${type}`);
      const names = Object.keys(fieldsIn(text)).filter((name) => name.startsWith('items'));
      expect([names, text.includes('name="prices"')]).toEqual([['items.0.description'], false]);
      const form = {
        ...fieldsIn(text),
        'customer.name': 'Typed customer',
        'items.0.description': 'Two invoices',
      };
      const empty = await send(form, 'preview');
      expect([empty.status, empty.text.includes('id="field-payments.0.amount-error"')]).toEqual([422, true]);
      const paid = { ...form, 'payments.0.amount': '118' };
      for (const step of ['compute', 'preview']) {
        const shown = await send(paid, step);
        expect(textOf(shown.text)).toContain('₪118.00');
        expect(textOf(shown.text)).not.toMatch(/VAT|Quantity|Unit price|SKU/);
      }
      expect(previewed.at(-1)?.body.items).toEqual([
        { description: 'Two invoices', quantity: 1, unit_price: 118 },
      ]);
    },
  );

  it('a copy has the lines of its document and no source, and a type that it cannot be based on is none', async () => {
    const copy = await open(`type=tax_invoice&copy=${source.id}`);
    const [first] = source.items;
    expect(copy).toMatchObject({
      based_on: '',
      'items.0.description': first?.description,
      'items.0.unit_price': first?.unit_price.toFixed(2),
    });
    expect(await open(`type=quote&from=${source.id}`)).toMatchObject({ based_on: '', 'customer.name': '' });
  });

  it('an address that differs from the card is offered for the card, and is written there with the issue only if ticked', async () => {
    const id = randomUUID();
    const card = {
      ...{
        id,
        name: 'Known customer',
        tax_id: null,
        legal_type: null,
        phone: null,
        address: null,
        city: 'Haifa',
      },
      ...{ email: 'old@example.com', created_at: '2026-06-01T08:00:00.000Z' },
    };
    const changes: object[] = [];
    console.network.answer(showCustomer, () => ({ customer: card }));
    console.network.answer(updateCustomer, ({ customer_id, change, person_id }) => {
      changes.push({ customer_id, change, isOfPerson: person_id !== undefined });
      return { customer: card };
    });
    const address = {
      'customer.id': id,
      'customer.known_name': 'Known customer',
      'customer.name': 'Known customer',
    };
    for (const update_card of [undefined, 'yes']) {
      const form = {
        ...(await open('type=quote')),
        ...typed,
        ...address,
        'customer.email': 'new@example.com',
      };
      const confirm = await send(form, 'preview');
      expect(textOf(confirm.text)).toContain('new@example.com (instead of old@example.com)');
      const fields = fieldsIn(confirm.text);
      expect(fields).not.toHaveProperty('update_card');
      await send({ ...fields, ...(update_card && { update_card }) }, 'issue');
    }
    expect(changes).toEqual([{ customer_id: id, change: { email: 'new@example.com' }, isOfPerson: true }]);
    const same = await send(
      { ...(await open('type=quote')), ...typed, ...address, 'customer.email': '' },
      'preview',
    );
    expect(same.text).not.toContain('update_card');
  });

  it('each line shows what it comes to, as issuing computes it, and a blank one nothing', async () => {
    const lines = {
      ...{ 'items.0.description': 'A', 'items.0.quantity': '3', 'items.0.unit_price': '19.99' },
      ...{ 'items.1.description': '', 'items.1.quantity': '1', 'items.1.unit_price': '' },
      ...{ 'items.2.description': 'B', 'items.2.quantity': '2', 'items.2.unit_price': '1000' },
    };
    const { text } = await send({ ...(await open('type=quote')), ...typed, ...lines }, 'compute');
    const totals = [...text.matchAll(/data-line-total[^>]*>([^<]*)</g)].map(([, total]) => total);
    expect(totals).toEqual(['59.97', '', '2,000.00']);
  });

  it('a document offers what can be based on it, and a bookkeeper is offered nothing', async () => {
    const links = async (role: 'issuer' | 'bookkeeper') => {
      const reader = await console.signedIn(await console.addPerson({ [business.id]: role }));
      const { text } = await reader.get(`${root}/documents/${source.id}`);
      return [...text.matchAll(/type=([a-z_]+)&amp;(from|copy)=/g)].map(([, type, how]) => `${type} ${how}`);
    };
    expect(await links('issuer')).toEqual(['receipt from', 'tax_invoice copy']);
    expect(await links('bookkeeper')).toEqual([]);
    const bookkeeper = await console.signedIn(await console.addPerson({ [business.id]: 'bookkeeper' }));
    expect((await bookkeeper.get(`${root}/issue`)).status).toBe(403);
    expect((await bookkeeper.get(root)).text).not.toContain(`${root}/issue"`);
  });

  it('customers are found by a part of the name, and one of them is chosen', async () => {
    const customer = { id: randomUUID(), name: 'Known customer', legal_type: null, phone: null };
    customers = [{ ...customer, tax_id: '777777715', email: 'known@example.com', city: 'Haifa' }];
    const form = { ...(await open('type=quote')), ...typed, 'customer.name': 'Known' };
    const found = await send(form, 'find_customer');
    expect(found.text).toContain(`value="${customer.id}"`);
    const chosen = await browser.post(`${root}/issue/document`, { ...form, choose_customer: customer.id });
    expect(fieldsIn(chosen.text)['customer.name']).toBe('Known customer');
    await send(fieldsIn(chosen.text), 'preview');
    expect(previewed.at(-1)?.body.customer).toEqual({ id: customer.id });
    const suggested = await browser.get(`${root}/issue/customers?q=Kno`);
    expect(JSON.parse(suggested.text)).toEqual({
      customers: [{ id: customer.id, name: 'Known customer', detail: '777777715 · Haifa' }],
    });
  });

  it.each([
    ['Café', 'a part of it'],
    ['Café on the square Ltd', 'with more behind it'],
    ['Café on the “square” Ltd', 'with other signs'],
  ])('the new name %s, which is that of a card %s, is asked about before it gets a card', async (name) => {
    const customer = { id: randomUUID(), name: 'Café on the square', legal_type: null, phone: null };
    customers = [{ ...customer, tax_id: '777777715', email: null, city: 'Haifa' }];
    const form = { ...(await open('type=quote')), ...typed, 'customer.name': name };
    const asked = await send(form, 'preview');
    expect(asked.status).toBe(422);
    expect(textOf(asked.text)).toContain('A customer has a similar name. Choose one, or a new customer.');
    const answer = async (choose_customer: string) => {
      const reply = await browser.post(`${root}/issue/document`, {
        ...fieldsIn(asked.text),
        choose_customer,
      });
      return browser.get(reply.location ?? '');
    };
    expect((await answer('new')).status).toBe(200);
    expect(previewed.at(-1)?.body.customer).toEqual({ name });
    expect((await answer(customer.id)).status).toBe(200);
    expect(previewed.at(-1)?.body.customer).toEqual({ id: customer.id });
  });

  it('a tax id that is typed as the name is that of its card, and without one it is moved to its field', async () => {
    const customer = { id: randomUUID(), name: 'Known customer', legal_type: null, phone: null };
    customers = [{ ...customer, tax_id: '777777715', email: null, city: null }];
    const form = { ...(await open('type=quote')), ...typed, 'customer.name': '77-777771-5' };
    await send(form, 'preview');
    expect(previewed.at(-1)?.body.customer).toEqual({ id: customer.id });
    // A card whose name is a number is chosen like others.
    const numbered = { 'customer.id': customer.id, 'customer.known_name': '515700227' };
    const chosen = await send({ ...form, ...numbered, 'customer.name': '515700227' }, 'preview');
    expect([chosen.status, previewed.at(-1)?.body.customer]).toEqual([200, { id: customer.id }]);
    const { status, text } = await send({ ...form, 'customer.name': '515700227' }, 'preview');
    expect([status, fieldsIn(text)['customer.name'], fieldsIn(text)['customer.tax_id']]).toEqual([
      422,
      '',
      '515700227',
    ]);
    expect(text).toMatch(/id="field-customer.name-error">This is a number and no name/);
  });

  it('the question names the number, the allocation number, the recipient and what to take note of', async () => {
    const form = { ...(await open('type=tax_invoice')), ...typed, 'customer.email': 'customer@example.com' };
    known = { next_number: 1042, allocation: { status: 'required' }, warnings: ['date_in_past'] };
    const { text } = await send(form, 'preview');
    for (const words of [
      '1042',
      'An allocation number will be requested',
      'customer@example.com',
      'The date of the document is in the past.',
      'A new customer card is opened.',
    ]) {
      expect(text).toContain(words);
    }
    const fields = fieldsIn(text);
    const picture = await browser.post(`${root}/issue/picture`, fields);
    expect(picture.headers.get('content-security-policy')).toContain('sandbox');
    expect(drawn).toMatchObject([{ draft: { type: 'tax_invoice', totals: { total: 118 } } }]);
  });

  it.each([
    [null, 'as anonymous: without an id the donor gets no credit.'],
    ['777777723', 'the donor gets the tax credit by the id.'],
  ])(
    'a donation receipt has the words of a donation, and states what becomes of the report, with the id %s',
    async (tax_id, follows) => {
      const donation_approval = { number: '46-123', valid_until: null };
      const institution = {
        legal_type: 'amuta',
        tax_id: '777777731',
        tax_authority_connected: true,
      } as const;
      console.businesses.set(business.id, { ...business, ...institution, donation_approval });
      const { text } = await browser.get(`${root}/issue/document?type=donation_receipt`);
      const [, open = ''] = /data-customers=([\s\S]*?)<details/.exec(text) ?? [];
      expect(open).toContain('name="customer.tax_id"');
      const read = textOf(/<main[\s\S]*<\/main>/.exec(text)?.[0] ?? '');
      expect(read).toContain('Donor name');
      expect(read).not.toMatch(/customer|SKU|Quantity/i);
      known = tax_id === null ? { warnings: ['donation_donor_id_missing'] } : {};
      const form = { ...fieldsIn(text), 'customer.name': 'Typed donor', 'items.0.description': 'Books' };
      const paid = { ...form, 'payments.0.amount': '180', 'customer.tax_id': tax_id ?? '' };
      const confirm = textOf((await send(paid, 'preview')).text);
      expect(confirm).toContain('The donation is reported to the tax authority');
      expect(confirm).toContain(follows);
      expect(confirm).toContain('Donor Typed donor');
      expect(confirm).toContain('A new card of the donor is opened.');
      known = {
        warnings: ['recipient_missing', 'recipient_suppressed'],
        further_warnings: ['phone_unusable'],
      };
      const warned = await send(paid, 'preview');
      const note = textOf(/<div class="notice warn"[\s\S]*?<\/div>/.exec(warned.text)?.[0] ?? '');
      expect(note.match(/the donor|The donor/g)).toHaveLength(3);
      expect(note).toContain(
        'The donor has no address for the channel of the business: the receipt is not sent.',
      );
      expect(note).not.toContain('customer');
      const short = await send({ ...form, 'customer.name': 'x' }, 'preview');
      expect(textOf(short.text)).toContain('Write the name of a donor, two letters at least.');
    },
  );

  it('a total that has changed since the question issues nothing, and the form comes back', async () => {
    const confirm = await send({ ...(await open('type=quote')), ...typed }, 'preview');
    issueRefusal = new ApiError('total_mismatch', { details: { computed_total: 117 } });
    const reply = await send(fieldsIn(confirm.text), 'issue');
    expect([reply.status, issued.size]).toEqual([422, 0]);
    expect(reply.text).toContain('The total has changed since it was shown');
    expect(fieldsIn(reply.text)).toMatchObject(typed);
  });

  it('a copy of a document with line breaks keeps its customer, and has blanks in their place', async () => {
    const item = {
      description: 'Item\ntwo lines',
      quantity: 1e-4,
      unit_price: 100,
      line_total: 0.01,
      sku: null,
    };
    const customer = { ...source.customer, name: 'First line\nSecond line' };
    source = { ...source, customer, title: 'Title\nB', notes: 'One\nTwo', items: [item] };
    source = { ...source, discount: { type: 'percent', value: 1e-7 } };
    const fields = await open(`type=quote&copy=${source.id}`);
    expect(fields).toMatchObject({ 'customer.name': 'First line Second line', 'items.0.quantity': '0.0001' });
    await send(fieldsIn((await send(fields, 'preview')).text), 'issue');
    const [{ body }] = [...issued.values()] as [Issue];
    expect(body.customer).toEqual({ id: customer.id });
    expect(body).toMatchObject({ title: 'Title B', notes: 'One\nTwo', discount: { value: 1e-7 } });
    expect(body.items[0]?.description).toBe('Item two lines');
  });

  it('the notes of an offer stay there, and those of a document that is copied are copied', async () => {
    source = { ...source, type: 'quote', notes: 'Valid for 30 days.', title: 'Kitchen' };
    expect(await open(`type=tax_invoice&from=${source.id}`)).toMatchObject({ notes: '', title: 'Kitchen' });
    expect(await open(`type=quote&copy=${source.id}`)).toMatchObject({ notes: 'Valid for 30 days.' });
  });

  it('a document of which nothing is left to pay offers no receipt', async () => {
    const offered = async () =>
      (await browser.get(`${root}/documents/${source.id}`)).text.includes('type=receipt&amp;from=');
    expect(await offered()).toBe(true);
    state = { ...state, status: 'closed', paid: source.totals.total };
    expect(await offered()).toBe(false);
  });

  it.each([
    ['items.0.quantity', '0,500', 'This can be read in two ways: write 0.5 or 500.'],
    ['items.0.quantity', '12,50', 'Write 12.5:'],
    ['items.0.quantity', '1e3', 'Above zero and at most 1,000,000, with at most 4 decimals.'],
    ['items.0.quantity', '2,000,000', 'Above zero and at most 1,000,000, with at most 4 decimals.'],
    ['items.0.unit_price', '-5', 'A price cannot be negative. To take something off, give a discount.'],
    ['items.0.unit_price', '1.180', 'This can be read in two ways: write 1.18 or 1180.'],
  ])(
    '%s of %s is refused with what it may be, also by the amounts next to the form',
    async (name, typedText, error) => {
      const fields = { ...(await open('type=tax_invoice_receipt')), ...typed, [name]: typedText };
      const { status, text } = await send(fields, 'preview');
      expect([status, fieldsIn(text)[name]]).toEqual([422, typedText]);
      expect(text).toContain(`id="field-${name}-error">${error}`);
      const live = (await send(fields, 'compute')).text.split('data-live')[1] ?? '';
      expect(live).toContain(error);
      expect(previewed).toEqual([]);
    },
  );

  it('a document of the test book is issued in the test book', async () => {
    root = `/t/${business.id}`;
    const confirm = await send({ ...(await open('type=quote')), ...typed }, 'preview');
    await send(fieldsIn(confirm.text), 'issue');
    expect([...issued.values()].map((request) => isTestBook(request.business.id))).toEqual([true]);
  });
});
