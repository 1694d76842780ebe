import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BookEntry,
  type Business,
  draftReminder,
  getArtifact,
  getBookEnd,
  listDeliveryStates,
  listDocuments,
  listUndelivered,
  printReport,
  type ReplyOf,
  type RequestOf,
  readBook,
  readStatement,
  recordExport,
  reportPeriod,
  searchCustomers,
  sendMessage,
  sendStatement,
  showCustomer,
  sumDocuments,
  summarizeDocuments,
} from '@pinkas/contracts';
import { ApiError, type Database, kitTokens } from '@pinkas/service-kit';
import { auditTrail, eventually } from '@pinkas/testkit';
import { formatDate } from '@pinkas/ui';
import type { ConsoleTables } from '../src/db/console.tables.js';
import { readExportFile } from '../src/export/exports.js';
import { AccountantPackages } from '../src/package/accountant-packages.js';
import { fieldsIn } from './browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from './console.js';
import { bookEntry, unzipped } from './exports.js';

let console: ConsoleUnderTest;
let business: Business;
let book: BookEntry[];
let owner: TestPerson;
let accountant: TestPerson;
let browser: TestBrowser;
let recorded: RequestOf<typeof recordExport>[];
let listed: RequestOf<typeof listDocuments>[];
let sent: RequestOf<typeof sendMessage>[];
/** The reports that were printed, as HTML. */
let printed: string[] = [];
/** The customers whom a search finds. */
let found: ReplyOf<typeof searchCustomers>['customers'] = [];
/** After the first message. */
let isDeliveryAway = false;

/** A document as lists have it. */
const headOf = ({
  items: _items,
  prices_include_vat: _basis,
  discount: _discount,
  payments: _payments,
  title: _title,
  notes: _notes,
  send: _send,
  ...head
}: BookEntry['document']) => head;

const queued = ({ delivery_id, channel }: RequestOf<typeof sendMessage>) => ({
  ...{ delivery_id, channel, purpose: 'customer' as const, state: 'ready' as const },
  ...{ next_attempt_at: null, not_before: null, held_until: null, reason: null, ended_at: null },
  ...{ requested: true, reminder: false, follow_up: false },
});

beforeAll(async () => {
  console = await startConsole();
  const { network } = console;
  const sums = { cancelled: 0, net: 100, vat: 18, total: 118 };
  network.answer(recordExport, (request) => {
    recorded.push(request);
    return {};
  });
  network.answer(summarizeDocuments, () => ({ types: [] }));
  network.answer(getBookEnd, () => ({ position: book.length, next_issued_at: null }));
  network.answer(printReport, ({ html }) => {
    printed.push(html);
    return { pdf: Buffer.from('%PDF-1.7').toString('base64') };
  });
  network.answer(reportPeriod, ({ legal_type }) => {
    const amounts = { net: 300, vat: 54, total: 354 };
    return {
      types: [{ type: 'tax_invoice' as const, vat_rate: 18, documents: 3, ...amounts }],
      rates: [{ vat_rate: 18, ...amounts }],
      sales: amounts,
      taxable: amounts,
      untaxed: 0,
      reported: { taxable: 300, vat: 54, untaxed: 0 },
      receipts: [],
      received: 0,
      income: {
        basis: legal_type === 'osek_patur' ? ('receipts' as const) : ('invoices' as const),
        amount: 300,
      },
      months: [{ month: '2026-06', net: 300, vat: 54, received: 0 }],
    };
  });
  network.answer(getArtifact, () => {
    throw new ApiError('not_found');
  });
  network.answer(readBook, ({ document_ids }) => ({
    entries: book.filter(({ document }) => document_ids?.includes(document.id) ?? true),
    next_after: null,
  }));
  network.answer(listDocuments, (request) => {
    listed.push(request);
    const ids = request.document_ids;
    const isHit = (id: string) => request.before === null && (ids?.includes(id) ?? true);
    const found = book.filter(({ document }) => isHit(document.id));
    return {
      documents: found.map(({ document, state, delivery }) => ({
        document: headOf(document),
        state,
        delivery,
        allocation: { status: 'failed' as const, number: null, reason: 'No answer.' },
      })),
      next_before: request.before === null && ids === undefined && request.limit < 100 ? 7 : null,
    };
  });
  network.answer(sumDocuments, ({ document_ids, balance_state }) => {
    const documents = document_ids?.length ?? book.length;
    return {
      types: balance_state === 'closed' ? null : [{ type: 'tax_invoice' as const, documents, ...sums }],
    };
  });
  network.answer(listDeliveryStates, ({ document_ids }) => ({
    documents: document_ids.slice(0, 1).map((document_id) => ({ document_id, state: 'failed' as const })),
  }));
  network.answer(listUndelivered, () => ({ document_ids: [book[1]?.document.id ?? ''] }));
  network.answer(searchCustomers, () => ({ customers: found }));
  network.answer(sendMessage, (request) => {
    sent.push(request);
    if (isDeliveryAway && sent.length > 1) {
      throw new ApiError('engine_error');
    }
    if (request.document_id === book[1]?.document.id) {
      throw ApiError.invalid([{ path: '/recipient', message: 'is suppressed' }]);
    }
    return queued(request);
  });
});
afterAll(() => console.stop());
beforeEach(async () => {
  console.clock.now = new Date('2026-06-15T08:00:10Z');
  business = console.addBusiness({ tax_id: '777777723' });
  book = [1, 2, 3].map((number) => bookEntry(number, business));
  owner = await console.addPerson({ [business.id]: 'owner' });
  accountant = await console.addPerson({ [business.id]: 'bookkeeper' });
  browser = await console.signedIn(owner);
  [recorded, listed, sent, found, printed] = [[], [], [], [], []];
  console.notices.length = 0;
  isDeliveryAway = false;
});

const wordsOf = (text: string) =>
  text
    .replaceAll(/<[^>]*>|[\u2066-\u2069]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' :', ':');
const at = (path: string) => `/b/${business.id}${path}`;
const jobs = () =>
  console.database.db.selectFrom('export_job').selectAll().where('business_id', '=', business.id).execute();
const jobsEnded = () =>
  eventually('the exports have ended', async () => {
    const rows = await jobs();
    return rows.length > 0 && rows.every(({ ended_at }) => ended_at !== null) && rows;
  });

describe('the list of documents in the console', () => {
  it('every field of the address becomes a filter, and a text each meaning that it may have', async () => {
    const customer = randomUUID();
    const query = new URLSearchParams({
      ...{ q: '123456789', type: 'tax_invoice', status: 'open', from: '2026-01-01', to: '2026-12-31' },
      ...{ amount_from: '1,000.50', amount_to: '2000', number: 'missing', delivery: 'failed', customer },
      ...{ sort: 'total', direction: 'ascending', size: '25' },
    });
    const { text } = await browser.get(`${at('/documents')}?${query}`);
    expect(listed[0]).toEqual({
      ...{
        business_id: business.id,
        type: 'tax_invoice',
        balance_state: 'open',
        from: '2026-01-01',
        to: '2026-12-31',
      },
      ...{ total_from: 1_000.5, total_to: 2_000, without_number: true, customer_ids: [customer] },
      document_ids: [book[1]?.document.id],
      search: {
        number: 123456789,
        allocation_number: '123456789',
        total: 123456789,
        external_ref: '123456789',
      },
      ...{
        include_cancelled: false,
        order: 'total',
        ascending: true,
        settlement: true,
        limit: 25,
        before: null,
      },
    });
    expect(text).toContain('aria-sort="ascending"');
  });

  it.each([
    ['partly_paid', { settlement_states: ['partly_paid'] }],
    ['paid', { settlement_states: ['settled'] }],
    ['overpaid', { settlement_states: ['overpaid'] }],
    ['credited', { settlement_states: ['credited', 'overcredited'] }],
    ['closed', { balance_state: 'closed' }],
    ['cancelled', { status: 'cancelled', include_cancelled: true }],
  ])('documents that are %s are a filter of the list and of its sums', async (status, filter) => {
    const { text } = await browser.get(`${at('/documents')}?status=${status}`);
    expect(listed.at(-1)).toMatchObject({ include_cancelled: false, ...filter });
    expect(listed.at(-1)?.note).toBeUndefined();
    expect(text).toContain(`<option value="${status}" selected`);
  });

  it('the list shows allocation number, delivery and sums, and leads on with its filters', async () => {
    const { text } = await browser.get(`${at('/documents')}?type=tax_invoice`);
    expect(text).toContain('Not delivered');
    expect(text).toContain('Sums by type');
    expect(text).toContain('type=tax_invoice&amp;before=7');
    expect((await browser.get(`${at('/documents')}?status=closed`)).text).toContain('More than 20,000');
  });

  it.each([
    'amount_from=x',
    'from=yesterday',
    'to=2026-02-30',
    'type=bill',
    'customer=1',
    'size=7',
    'before=x',
  ])(
    'a list whose address has %s, which is no value of its field, states that with status 400',
    async (query) => {
      const { status, text } = await browser.get(`${at('/documents')}?${query}`);
      expect(status).toBe(400);
      expect(text).toContain('was not used');
    },
  );

  it('the selected documents, or all hits, become PDFs in the background', async () => {
    await browser.get(at('/documents'));
    const id = book[1]?.document.id ?? '';
    const reply = await browser.post(at('/documents/selection'), { document: id });
    expect([reply.status, reply.location]).toEqual([303, at('/exports')]);
    const [row] = await jobsEnded();
    expect(row).toMatchObject({ state: 'done', documents: 1, selection: { document_ids: [id] } });
    expect(recorded).toMatchObject([{ format: 'pdf-zip', filter: expect.stringContaining(id) }]);
    await browser.post(at('/documents/selection'), { type: 'tax_invoice' });
    const rows = await jobsEnded();
    expect(rows.map(({ documents }) => documents).sort()).toEqual([1, 3]);
  });

  it('the list is a table that a bookkeeper opens, at once and in the language of the reader', async () => {
    const [first, second, third] = book as [BookEntry, BookEntry, BookEntry];
    Object.assign(second.document, {
      type: 'credit_note',
      customer: { ...second.document.customer, name: '=HYPERLINK("http://evil.example")' },
    });
    Object.assign(third.document, { type: 'receipt' });
    await browser.get(at('/documents'));
    const reply = await browser.post(at('/documents/table'), { customer: '' });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="documents-2026-06-15.csv"');
    // The mark of UTF-8 is dropped where the text is decoded.
    const [head, ...rows] = reply.text
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(head?.slice(0, 3)).toEqual(['Type', 'Number', 'Date']);
    const row = (of: BookEntry) => rows.find(([, number]) => number === String(of.document.number)) ?? [];
    const { total, vat } = first.document.totals;
    const net = (total - vat).toFixed(2);
    expect(row(first)).toEqual(
      expect.arrayContaining(['Tax invoice', formatDate(first.document.date, 'en'), net, vat.toFixed(2)]),
    );
    // In a credit note all of them are negative, and a receipt has no VAT.
    expect(row(second)).toEqual(
      expect.arrayContaining([`-${net}`, `-${vat.toFixed(2)}`, `-${total.toFixed(2)}`]),
    );
    expect(reply.text).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    expect(row(third)).not.toContain(vat.toFixed(2));
    expect(recorded).toMatchObject([{ format: 'list', person_id: owner.id }]);
    expect(await jobs()).toEqual([]);

    const selected = await browser.post(at('/documents/table'), { document: first.document.id });
    expect(selected.text.trim().split('\r\n')).toHaveLength(2);
    await browser.post('/language', { language: 'he', next: '/' });
    const inHebrew = await browser.post(at('/documents/table'), {});
    expect(inHebrew.text).toContain('לפני מע"מ, אחרי הנחה'.replaceAll('"', '""'));
    expect(inHebrew.text).toContain('חשבונית מס');
  });

  it('a table of more documents than are summed up is refused with what to do', async () => {
    await browser.get(at('/documents'));
    // What the sums have no answer to.
    const { status, text } = await browser.post(at('/documents/table'), { status: 'closed' });
    expect([status, wordsOf(text)]).toEqual([
      422,
      expect.stringContaining('narrow the list by dates or type'),
    ]);
    expect(recorded).toEqual([]);
  });

  it('sending asks first, reports what was not sent, and is refused to a bookkeeper', async () => {
    await browser.get(at('/documents'));
    const asked = await browser.post(at('/documents/send'), { type: 'tax_invoice' });
    expect([asked.status, await jobs()]).toEqual([200, []]);
    expect(asked.text).toContain('name="confirmed"');
    const reply = await browser.post(
      at('/documents/send'),
      await confirm({ document: book[1]?.document.id ?? '' }),
    );
    const [row] = await jobsEnded();
    expect(reply.location).toBe(at(`/documents/sending/${row?.id}`));
    expect(row).toMatchObject({
      format: 'email',
      state: 'done',
      documents: 1,
      missing_pdfs: ['tax_invoice 2 refused'],
    });
    const answer = wordsOf((await browser.get(reply.location ?? '')).text);
    expect(answer).toContain('No document was sent. Not sent Tax invoice 2: the address gets no messages');
    // It is no file of the accountant.
    expect((await browser.get(at('/exports'))).text).not.toContain(row?.id);
    expect(sent).toMatchObject([
      { document_id: book[1]?.document.id, channel: 'email', person_id: owner.id, business_id: business.id },
    ]);
    const reader = await console.signedIn(accountant);
    await reader.get(at('/documents'));
    expect((await reader.post(at('/documents/send'), { confirmed: 'yes' })).status).toBe(403);
  });

  const confirm = async (fields: Record<string, string>) => {
    await browser.get(at('/documents'));
    const { text } = await browser.post(at('/documents/send'), fields);
    return { ...fields, ...fieldsIn(text) };
  };

  it('a confirmation that is sent twice sends each document once', async () => {
    const form = await confirm({ type: 'tax_invoice' });
    const replies = await Promise.all([1, 2].map(() => browser.post(at('/documents/send'), form)));
    expect(replies.map(({ status }) => status)).toEqual([303, 303]);
    expect(await jobsEnded()).toHaveLength(1);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ delivery_id }) => delivery_id)).size).toBe(3);
  });

  it('another attempt of sending asks for the same messages again, and for no other', async () => {
    isDeliveryAway = true;
    await browser.post(at('/documents/send'), await confirm({ type: 'tax_invoice' }));
    await eventually('the first attempt has failed', async () => {
      const [job] = await jobs();
      return job?.state === 'queued' && job.attempts === 1;
    });
    isDeliveryAway = false;
    const first = sent.map(({ document_id, delivery_id }) => [document_id, delivery_id]);
    console.clock.now = new Date(console.clock.now.getTime() + 60_000);
    expect(await jobsEnded()).toMatchObject([{ state: 'done', documents: 3, attempts: 2 }]);
    const second = sent.slice(first.length).map(({ document_id, delivery_id }) => [document_id, delivery_id]);
    expect(second).toHaveLength(3);
    expect(second.slice(0, first.length)).toEqual(first);
  });

  it('a document that was issued since a confirmation was shown is not sent, and it is asked for again', async () => {
    const form = await confirm({ type: 'tax_invoice' });
    book.push(bookEntry(4, business));
    const again = await browser.post(at('/documents/send'), form);
    expect([again.status, await jobs()]).toEqual([200, []]);
    // A cancelled one is not counted, and is not sent.
    const [first] = book as [BookEntry];
    first.state = { ...first.state, status: 'cancelled', cancelled_at: '2026-06-15T08:00:00.000Z' };
    await browser.post(at('/documents/send'), await confirm({ type: 'tax_invoice', cancelled: 'yes' }));
    const ids = book.slice(1).map(({ document }) => document.id);
    expect(await jobsEnded()).toMatchObject([{ documents: 3, selection: { document_ids: ids } }]);
    expect(sent.map(({ document_id }) => document_id)).toEqual(ids);
  });

  it('a person who may not send any more sends nothing with an earlier confirmation', async () => {
    isDeliveryAway = true;
    await browser.post(at('/documents/send'), await confirm({ type: 'tax_invoice' }));
    await eventually('the first attempt has failed', async () => {
      const [job] = await jobs();
      return job?.state === 'queued' && job.attempts === 1;
    });
    await console.database.db
      .updateTable('membership')
      .set({ role: 'bookkeeper' })
      .where('business_id', '=', business.id)
      .where('person_id', '=', owner.id)
      .execute();
    isDeliveryAway = false;
    sent = [];
    console.clock.now = new Date(console.clock.now.getTime() + 60_000);
    expect(await jobsEnded()).toMatchObject([{ state: 'failed', failure: 'not_allowed' }]);
    expect(sent).toEqual([]);
    const [job] = await jobs();
    const page = await browser.get(at(`/documents/sending/${job?.id}`));
    expect(page.status).toBe(403);
    const other = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    expect((await other.get(at(`/documents/sending/${job?.id}`))).text).toContain(
      'may not send documents of the business',
    );
  });

  it.each([
    ['an id that is none', { document: 'x' }],
    ['an amount that is none', { amount_from: 'x' }],
    ['a day that is none', { from: '2026-02-31' }],
    ['a search that finds fifty customers', { q: 'לקוח' }],
  ])('a selection with %s is neither exported nor sent', async (_what, fields) => {
    found = Array.from({ length: 50 }, () => ({
      ...{ id: randomUUID(), name: 'לקוח', tax_id: null, legal_type: null },
      ...{ email: null, phone: null, city: null },
    }));
    await browser.get(at('/documents'));
    const replies = await Promise.all([
      browser.post(at('/documents/selection'), { format: 'csv', ...fields }),
      browser.post(at('/documents/send'), fields),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([422, 422]);
    expect(replies[0]?.text).toContain('not clear');
    expect(await jobs()).toEqual([]);
  });

  it('a file of a list by balance has its documents in the order of commits', async () => {
    await browser.get(at('/documents'));
    await browser.post(at('/documents/selection'), { format: 'csv', sort: 'balance' });
    expect((await jobsEnded())[0]?.selection).not.toHaveProperty('order');
  });

  it('more than 500 documents are not sent, although it is confirmed', async () => {
    await browser.get(at('/documents'));
    book = Array.from({ length: 501 }, (_, index) => bookEntry(index + 1, business));
    const refused = await browser.post(at('/documents/send'), { confirmed: 'yes' });
    expect([refused.status, await jobs()]).toEqual([422, []]);
    book.pop();
    expect((await browser.post(at('/documents/send'), {})).text).toContain('name="export_id"');
  });
});

describe('the account of a customer', () => {
  it('a statement of 1,000 long entries becomes one PDF in both languages, and a longer one none', async () => {
    const based_on = {
      id: randomUUID(),
      type: 'tax_invoice_receipt' as const,
      number: 123_456,
      date: '2026-01-31',
    };
    const contact = {
      legal_type: null,
      tax_id: '777777715',
      email: null,
      phone: null,
      address: null,
      city: null,
    };
    const customer = {
      ...contact,
      id: randomUUID(),
      name: 'לקוח & בניו',
      created_at: '2026-01-01T08:00:00.000Z',
    };
    const amounts = { debit: 1_234_567.89, credit: 1_234_567.89, balance: -987_654_321.99 };
    const dates = { date: '2026-01-31', due_date: '2026-09-30' };
    const entries = Array.from({ length: 1_001 }, (_, index) => ({
      ...{ document_id: randomUUID(), type: 'tax_invoice_receipt' as const, number: 900_000 + index },
      ...{ based_on, ...dates, ...amounts },
    }));
    console.network.answer(showCustomer, () => ({ customer }));
    const end = console.network.answer(readStatement, ({ after, limit }) => {
      const first = after?.position ?? 0;
      const position = first + limit;
      return {
        ...{ opening: 0, brought_forward: 0, debit: 1, credit: 1, closing: 0, open: 0 },
        ...{ documents: entries.length, entries: entries.slice(first, position) },
        next_after: position >= entries.length ? null : { date: dates.date, position },
      };
    });
    const pdf = at(`/customers/${customer.id}/statement/pdf?from=`);
    const refused = await browser.get(pdf);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('1,000')]);
    entries.pop();
    for (const language of ['he', 'en']) {
      await browser.post('/language', { language, next: '/' });
      expect((await browser.get(pdf)).status).toBe(200);
    }
    end();
    expect(printed.map((html) => html.match(/<tr>/g)?.length)).toEqual([1_003, 1_003]);
  });

  it('a statement whose first day is after its last one states so, and has no file', async () => {
    const customer = {
      ...{ id: randomUUID(), name: 'Late customer', tax_id: null, legal_type: null, phone: null },
      ...{ address: null, city: null, email: null, created_at: '2026-01-01T08:00:00.000Z' },
    };
    console.network.answer(showCustomer, () => ({ customer }));
    const end = console.network.answer(readStatement, () => ({
      ...{ opening: 7, brought_forward: 7, debit: 0, credit: 0, closing: 7, open: 0 },
      ...{ documents: 0, entries: [], next_after: null },
    }));
    await browser.post('/language', { language: 'en', next: '/' });
    const statement = (file: string, from: string) =>
      browser.get(at(`/customers/${customer.id}/statement${file}?from=${from}&to=2026-11-01`));
    const words = 'The first day is after the last one';
    expect((await statement('', '2026-12-01')).text).toContain(words);
    expect((await statement('', '2026-11-01')).text).not.toContain(words);
    for (const file of ['/pdf', '/csv']) {
      const refused = await statement(file, '2026-12-01');
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(words)]);
    }
    end();
  });

  it('a statement is sent by email in one act, with what was read and its file, and once for a form', async () => {
    const sentStatements: RequestOf<typeof sendStatement>[] = [];
    const customer = {
      ...{ id: randomUUID(), name: 'Late customer', tax_id: null, legal_type: null, phone: null },
      ...{ address: null, city: null, email: 'late@example.com', created_at: '2026-01-01T08:00:00.000Z' },
    };
    const entry = {
      ...{ document_id: randomUUID(), type: 'tax_invoice' as const, number: 7, date: '2026-06-01' },
      ...{ due_date: null, based_on: null, debit: 118, credit: 0, balance: 118 },
    };
    console.network.answer(showCustomer, () => ({ customer }));
    console.network.answer(readStatement, () => ({
      ...{ opening: 0, brought_forward: 0, debit: 118, credit: 0, open: 118, closing: 118 },
      ...{ documents: 1, entries: [entry], next_after: null },
    }));
    console.network.answer(sendStatement, (request) => {
      sentStatements.push(request);
      if (request.recipient === 'wrong') {
        throw ApiError.invalid([{ path: '/recipient', message: 'is no email address' }]);
      }
      const { document_id, recipient, statement_id: delivery_id } = request;
      return queued({ business_id: business.id, document_id, recipient, delivery_id, channel: 'email' });
    });
    const page = at(`/customers/${customer.id}/statement/email?from=2026-01-01&to=`);
    const form = fieldsIn((await browser.get(page)).text);
    expect(form).toMatchObject({
      recipient: 'late@example.com',
      subject: expect.stringContaining(business.name),
    });
    const wrong = await browser.post(page, { ...form, recipient: 'wrong' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('id="field-recipient-error"');
    const reply = await browser.post(page, form);
    expect(reply).toMatchObject({
      status: 303,
      location: expect.stringContaining('/statement?from=2026-01-01'),
    });
    expect((await browser.get(reply.location ?? '')).text).toContain('The statement is on its way');
    expect(sentStatements[1]).toMatchObject({
      ...{ customer_id: customer.id, document_id: entry.document_id, statement_id: form.statement_id },
      ...{ closing: 118, as_of: '2026-06-15' },
    });
  });

  it('the confirmation of a reminder states what the customer has on account, where that is anything', async () => {
    const draft = {
      recipient: 'late@example.com',
      subject: 'Reminder',
      text: 'Text',
      allowed_at: null,
      quiet_until: null,
    };
    console.network.answer(draftReminder, () => ({ debts: [], ...draft }));
    let closing = 200;
    console.network.answer(readStatement, () => ({
      ...{ opening: 0, brought_forward: 0, debit: 300, credit: 100, open: 200, closing },
      ...{ documents: 2, entries: [], next_after: null },
    }));
    const shown = async () => wordsOf((await browser.get(at(`/debts/${randomUUID()}/reminder`))).text);
    expect(await shown()).toContain('Payment reminder');
    expect(await shown()).not.toContain('on account');
    closing = 169.99;
    expect(await shown()).toContain(
      'asks for what is left after it; if it covers all, nothing is sent: ₪30.01',
    );
    await browser.post('/language', { language: 'he', next: '/' });
    expect(await shown()).toContain('ללקוח יש זכות בחשבון. התזכורת מציגה אותה');
  });
});

describe('the report of a period', () => {
  it('leads to a detailed VAT report of one or two months alone, and names its files by them', async () => {
    const detailed = async (period: string) =>
      (await browser.get(at(`/reports?period=${period}`))).text.includes('format=pcn874');
    expect([await detailed('2026-06'), await detailed('2026-05-2'), await detailed('2026')]).toEqual([
      true,
      true,
      false,
    ]);
    const pdf = await browser.get(at('/reports/pdf?period=2026-05-2'));
    expect(pdf.headers.get('content-disposition')).toBe('attachment; filename="report-2026-05_06.pdf"');
  });

  it('the report of a business that charges no VAT has none, on the page, on paper and in the table', async () => {
    expect(wordsOf((await browser.get(at('/reports'))).text)).toContain('VAT on sales');
    console.businesses.set(business.id, { ...business, legal_type: 'osek_patur' });
    const page = await browser.get(at('/reports'));
    expect(wordsOf(page.text)).toContain('Receipts by');
    await browser.get(at('/reports/pdf'));
    const csv = await browser.get(at('/reports/csv'));
    for (const text of [page.text, printed.at(-1) ?? '', csv.text]) {
      expect(text.replaceAll(/<style.*?<\/style>/gs, '')).not.toMatch(/VAT|pcn874|PCN874/);
    }
  });
});

describe('the files of each month for the accountant', () => {
  const packages = () => console.service.app.get(AccountantPackages, { strict: false });
  const setTo = (recipient: string, day = '10') => browser.post(at('/exports/monthly'), { recipient, day });
  const months = () =>
    console.database.db
      .selectFrom('accountant_package')
      .selectAll()
      .where('business_id', '=', business.id)
      .execute();
  /** The names in the zip of a report, its table and the beginning of its PDF. */
  const reportOf = async (exportId: string) => {
    const own = console.service.app.get<Database<ConsoleTables>>(kitTokens.database);
    const file = await readExportFile(own, business.id, exportId);
    const chunks: Buffer[] = [];
    for await (const chunk of file?.chunks ?? []) {
      chunks.push(chunk);
    }
    const { folder, names } = await unzipped(Buffer.concat(chunks));
    try {
      const [csv, pdf] = await Promise.all(
        ['csv', 'pdf'].map((end) => readFile(join(folder, `report-2026-06.${end}`), 'utf8')),
      );
      return [names.sort(), csv, pdf];
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  const ended = () =>
    eventually('the month has ended', async () => {
      await packages().tickNow();
      const [month] = await months();
      return month !== undefined && month.state !== 'preparing' && month;
    });
  const noticesTo = (email: string) =>
    eventually('the email is sent', () => {
      const found = console.notices.filter(({ recipient }) => recipient === email);
      return found.length > 0 && found;
    });

  it('the files are made once on their day, however many processes look, and a link goes to the accountant once', async () => {
    await browser.get(at('/exports'));
    expect((await setTo(accountant.id)).status).toBe(303);
    await packages().tickNow();
    // The day of this month is over: the first files are those of June.
    expect(await months()).toEqual([]);
    console.clock.now = new Date('2026-07-09T20:59:00Z');
    await packages().tickNow();
    expect(await months()).toEqual([]);
    console.clock.now = new Date('2026-07-09T21:01:00Z');
    await Promise.all([packages().tick(), packages().tick()]);
    expect(await ended()).toMatchObject({ month: '2026-06-01', state: 'sent', failure: null });
    const rows = await jobs();
    expect(rows.map(({ format, first_date, last_date }) => [format, first_date, last_date]).sort()).toEqual([
      ['csv', '2026-06-01', '2026-06-30'],
      ['pcn874', '2026-06-01', '2026-06-30'],
      ['pdf-zip', '2026-06-01', '2026-06-30'],
      ['report', '2026-06-01', '2026-06-30'],
      ['uniform', '2026-06-01', '2026-06-30'],
    ]);
    expect(await reportOf(rows.find(({ format }) => format === 'report')?.id ?? '')).toEqual([
      ['report-2026-06.csv', 'report-2026-06.pdf'],
      expect.stringContaining('חשבונית מס,18,3,300.00,54.00,354.00'),
      '%PDF-1.7',
    ]);
    const [mail] = await noticesTo(accountant.email);
    expect(mail?.subject).toContain('יוני 2026');
    expect(mail?.text).toContain('Detailed VAT report, sales side (PCN874)');
    expect(mail?.text).toContain(`${console.config.consoleUrl}${at('/exports')}`);
    expect(mail?.text).not.toContain('/sign-in/link/');
    await Promise.all([packages().tick(), packages().tick()]);
    expect(await months()).toHaveLength(1);
    expect(console.notices).toHaveLength(1);
    expect((await auditTrail(console.database, business.id)).map(({ action }) => action)).toEqual([
      'accountant.schedule',
    ]);
  });

  it('the page states when the next files are sent, and saving a day sends nothing', async () => {
    const shown = async () => wordsOf((await browser.get(at('/exports'))).text);
    await shown();
    // Today is the fifteenth: its files of May are not due any more, and a day that comes is.
    await setTo(accountant.id, '15');
    expect(await shown()).toContain('The next files: June 2026 , sent on 15 Jul 2026');
    await setTo(accountant.id, '16');
    expect(await shown()).toContain('The next files: May 2026 , sent on 16 Jun 2026');
    await setTo(accountant.id, '14');
    await packages().tickNow();
    expect([await shown(), await months()]).toEqual([
      expect.stringContaining('The next files: June 2026 , sent on 14 Jul 2026'),
      [],
    ]);
    await browser.post(at('/exports/monthly'), { recipient: accountant.id, day: '20', months: '2' });
    expect(await shown()).toContain('The next files: May–June 2026 , sent on 20 Jul 2026');
    const twice = { recipient: accountant.id, day: '20', months: '3' };
    expect((await browser.post(at('/exports/monthly'), twice)).status).toBe(400);
  });

  it('the latest complete month is sent now after a confirmation, once, and is one zip', async () => {
    await browser.get(at('/exports'));
    expect((await browser.get(at('/exports/monthly/now'))).status).toBe(404);
    await setTo(accountant.id, '20');
    const asked = await browser.get(at('/exports/monthly/now'));
    expect(wordsOf(asked.text)).toContain(`May 2026, ${accountant.email}`);
    expect(wordsOf(asked.text)).toContain('Detailed VAT report, sales side (PCN874)');
    const confirmed = fieldsIn(asked.text);
    await browser.post(at('/exports/monthly/now'), { ...confirmed, period: '2026-04' });
    expect(await months()).toEqual([]);
    const replies = await Promise.all(
      [1, 2].map(() => browser.post(at('/exports/monthly/now'), { period: confirmed.period ?? '' })),
    );
    expect(replies.map(({ status }) => status).sort()).not.toContain(500);
    expect(await ended()).toMatchObject({ month: '2026-05-01', months: 1, state: 'sent' });
    expect((await auditTrail(console.database, business.id)).map(({ action }) => action)).toEqual([
      'accountant.schedule',
      'accountant.send',
    ]);
    await noticesTo(accountant.email);
    const page = await browser.get(at('/exports'));
    expect(wordsOf(page.text)).toContain('The next files: June 2026 , sent on 20 Jul 2026');
    expect(page.text).not.toContain(at('/exports/monthly/now'));
    console.clock.now = new Date('2026-06-20T08:00:00Z');
    await packages().tickNow();
    expect([(await months()).length, (await jobs()).length, console.notices.length]).toEqual([1, 5, 1]);

    const reader = await console.signedIn(accountant);
    const { headers, status } = await fetch(`${console.origin}${at('/exports/monthly/2026-05/file')}`, {
      headers: { cookie: cookiesOf(reader) },
    });
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="pinkas-2026-05.zip"',
    ]);
    const { names, folder } = await unzipped(await bytesAt(reader, at('/exports/monthly/2026-05/file')));
    const inFolders = names.filter((name) => !name.endsWith('/'));
    expect(new Set(inFolders.map((name) => name.split('/')[0]))).toEqual(
      new Set(['report', 'pcn874', 'uniform', 'tables', 'documents']),
    );
    expect(inFolders).toContain('report/report-2026-05.pdf');
    expect(await readFile(join(folder, 'report/report-2026-05.pdf'), 'latin1')).toMatch(/^%PDF-/);
    await rm(folder, { recursive: true });
    expect((await reader.get(at('/exports/monthly/2026-04/file'))).status).toBe(404);
    expect((await reader.get(at('/exports/monthly/x/file'))).status).toBe(404);
  });

  const cookiesOf = (by: TestBrowser) =>
    [...by.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const bytesAt = async (by: TestBrowser, path: string) => {
    const reply = await fetch(`${console.origin}${path}`, { headers: { cookie: cookiesOf(by) } });
    return Buffer.from(await reply.arrayBuffer());
  };

  it('the files of two months are made when both are over, next to those of one that were made before', async () => {
    await browser.get(at('/exports'));
    await setTo(accountant.id, '10');
    console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ month: '2026-06-01', months: 1, state: 'sent' });
    const again = await console.signedIn(owner);
    await again.get(at('/exports'));
    const saved = await again.post(at('/exports/monthly'), {
      recipient: accountant.id,
      day: '12',
      months: '2',
    });
    expect([saved.status, saved.location]).toEqual([303, at('/exports')]);
    console.clock.now = new Date('2026-07-12T08:00:00Z');
    const two = await eventually('the two months have ended', async () => {
      await packages().tickNow();
      return (await months()).find((row) => row.months === 2 && row.state !== 'preparing');
    });
    expect(two).toMatchObject({ month: '2026-05-01', state: 'sent' });
    const ofTwo = (await jobs()).filter(({ package_months }) => package_months === 2);
    expect(ofTwo.map(({ format, first_date, last_date }) => [format, first_date, last_date]).sort()).toEqual(
      ['csv', 'pcn874', 'pdf-zip', 'report', 'uniform'].map((format) => [format, '2026-05-01', '2026-06-30']),
    );
    expect(ofTwo.map(({ file_name }) => file_name)).toContain('pinkas-report-2026-05_06.zip');
  });

  it('a business that issues no tax invoices has no detailed VAT report among the files', async () => {
    console.businesses.set(business.id, { ...business, legal_type: 'osek_patur' });
    await browser.get(at('/exports'));
    await setTo(accountant.id);
    expect((await browser.get(at('/exports'))).text.split('PCN874').length).toBeLessThanOrEqual(1);
    console.clock.now = new Date('2026-07-10T08:00:00Z');
    await ended();
    expect((await jobs()).map(({ format }) => format).sort()).toEqual([
      'csv',
      'pdf-zip',
      'report',
      'uniform',
    ]);
  });

  it('the owners get the reason why the files were not sent, and make them again', async () => {
    await browser.get(at('/exports'));
    await setTo(accountant.id);
    console.businesses.set(business.id, { ...business, tax_id: null });
    console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ state: 'failed', failure: 'no_tax_id' });
    const [mail] = await noticesTo(owner.email);
    expect(mail?.text).toContain('The business has no tax id');
    expect(console.notices.filter(({ recipient }) => recipient === accountant.email)).toEqual([]);
    console.businesses.set(business.id, business);
    const again = await console.signedIn(owner);
    const shown = await again.get(at('/exports'));
    expect(shown.text).toContain('Make and send again');
    const today = await again.get(at(''));
    expect(wordsOf(today.text)).toContain(
      'The files of a month did not reach the accountant: June 2026 The business has no tax id',
    );
    expect(today.text).toContain(`action="${at('/exports/monthly/again')}"`);
    expect((await again.get(`/t/${business.id}`)).text).not.toContain('did not reach the accountant');
    const reader = await (await console.signedIn(accountant)).get(at(''));
    expect(wordsOf(reader.text)).toContain('did not reach the accountant: June 2026');
    expect(reader.text).not.toContain('/exports/monthly/again');
    // What the form on Today sends.
    await again.get(at(''));
    await again.post(at('/exports/monthly/again'), { period: fieldsIn(today.text).period ?? '' });
    expect((await again.get(at(''))).text).not.toContain('did not reach the accountant');
    expect(await ended()).toMatchObject({ state: 'sent' });
    expect(await noticesTo(accountant.email)).toHaveLength(1);
  });

  it('files whose recipient leaves before the email is sent have failed, and the owners learn of it', async () => {
    await browser.get(at('/exports'));
    await setTo(accountant.id);
    const { sendNotice } = console;
    console.sendNotice = ({ recipient }) =>
      recipient === accountant.email
        ? { outcome: 'failed', reason: 'Try later.' }
        : { outcome: 'accepted', reason: null };
    console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ state: 'sent' });
    await eventually('the email is postponed', async () => {
      const notices = console.database.db.selectFrom('due_notice').selectAll();
      const row = await notices.where('email', '=', accountant.email).executeTakeFirst();
      return row?.claimed_until === null && row.attempts > 0;
    });
    await console.database.db
      .deleteFrom('membership')
      .where('business_id', '=', business.id)
      .where('person_id', '=', accountant.id)
      .execute();
    console.sendNotice = sendNotice;
    console.clock.now = new Date('2026-07-10T09:00:00Z');
    await eventually('the month has failed', async () => {
      const [month] = await months();
      return month?.state === 'failed' && month.failure === 'no_recipient';
    });
    await noticesTo(owner.email);
  });

  it('the files open for members alone, and a member who was removed since gets no email', async () => {
    await browser.get(at('/exports'));
    const stranger = await console.addPerson();
    expect((await setTo(stranger.id)).status).toBe(400);
    await setTo(accountant.id);
    const of = { business_id: business.id, person_id: accountant.id };
    await console.database.db
      .deleteFrom('membership')
      .where('business_id', '=', of.business_id)
      .where('person_id', '=', of.person_id)
      .execute();
    console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ state: 'failed', failure: 'no_recipient' });
    await noticesTo(owner.email);
    expect(console.notices.filter(({ recipient }) => recipient === accountant.email)).toEqual([]);
    // Nothing can be made again for someone who may not read it: another one is chosen first.
    const again = await console.signedIn(owner);
    const failed = (await again.get(at(''))).text;
    expect(failed).toContain(`href="${at('/exports')}#monthly"`);
    expect(failed).not.toContain('/exports/monthly/again');
    await again.post(at('/exports/monthly'), { recipient: owner.id, day: '10' });
    expect((await again.get(at(''))).text).toContain('/exports/monthly/again');
    await again.post(at('/exports/monthly'), { recipient: '' });
    expect((await again.get(at(''))).text).not.toContain('did not reach the accountant');
  });
});
