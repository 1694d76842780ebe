import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type BookEntry, proposeReminder, readStatement } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { formatDate } from '@pinkas/ui';
import { fieldsIn } from '../browser.js';
import { bookEntry } from '../exports.js';
import { ListedBook, wordsOf } from './listed-book.js';

const made = ListedBook.forTests();
const at = (path: string) => made.at(path);
const jobs = () => made.jobs();
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
    const { text } = await made.browser.get(`${at('/documents')}?${query}`);
    expect(made.listed[0]).toEqual({
      ...{
        business_id: made.business.id,
        type: 'tax_invoice',
        balance_state: 'open',
        from: '2026-01-01',
        to: '2026-12-31',
      },
      ...{ total_from: 1_000.5, total_to: 2_000, without_number: true, customer_ids: [customer] },
      document_ids: [made.book[1]?.document.id],
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
    const { text } = await made.browser.get(`${at('/documents')}?status=${status}`);
    expect(made.listed.at(-1)).toMatchObject({ include_cancelled: false, ...filter });
    expect(made.listed.at(-1)?.note).toBeUndefined();
    expect(text).toContain(`<option value="${status}" selected`);
  });

  it('the list shows allocation number, delivery and sums, and leads on with its filters', async () => {
    const { text } = await made.browser.get(`${at('/documents')}?type=tax_invoice`);
    expect(text).toContain('Not delivered');
    expect(text).toContain('Sums by type');
    expect(text).toContain('type=tax_invoice&amp;before=7');
    expect((await made.browser.get(`${at('/documents')}?status=closed`)).text).toContain('More than 20,000');
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
      const { status, text } = await made.browser.get(`${at('/documents')}?${query}`);
      expect(status).toBe(400);
      expect(text).toContain('was not used');
    },
  );

  it('the selected documents, or all hits, become PDFs in the background', async () => {
    await made.browser.get(at('/documents'));
    const id = made.book[1]?.document.id ?? '';
    const reply = await made.browser.post(at('/documents/selection'), { document: id });
    expect([reply.status, reply.location]).toEqual([303, at('/exports')]);
    const [row] = await jobsEnded();
    expect(row).toMatchObject({ state: 'done', documents: 1, selection: { document_ids: [id] } });
    expect(made.recorded).toMatchObject([{ format: 'pdf-zip', filter: expect.stringContaining(id) }]);
    await made.browser.post(at('/documents/selection'), { type: 'tax_invoice' });
    const rows = await jobsEnded();
    expect(rows.map(({ documents }) => documents).sort()).toEqual([1, 3]);
  });

  it('the list is a table that a bookkeeper opens, at once and in the language of the reader', async () => {
    const [first, second, third] = made.book as [BookEntry, BookEntry, BookEntry];
    Object.assign(second.document, {
      type: 'credit_note',
      customer: { ...second.document.customer, name: '=HYPERLINK("http://evil.example")' },
    });
    Object.assign(third.document, { type: 'receipt' });
    await made.browser.get(at('/documents'));
    const reply = await made.browser.post(at('/documents/table'), { customer: '' });
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
    expect(made.recorded).toMatchObject([{ format: 'list', person_id: made.owner.id }]);
    expect(await jobs()).toEqual([]);

    const selected = await made.browser.post(at('/documents/table'), { document: first.document.id });
    expect(selected.text.trim().split('\r\n')).toHaveLength(2);
    await made.browser.post('/language', { language: 'he', next: '/' });
    const inHebrew = await made.browser.post(at('/documents/table'), {});
    expect(inHebrew.text).toContain('לפני מע"מ, אחרי הנחה'.replaceAll('"', '""'));
    expect(inHebrew.text).toContain('חשבונית מס');
  });

  it('a table of more documents than are summed up is refused with what to do', async () => {
    await made.browser.get(at('/documents'));
    // What the sums have no answer to.
    const { status, text } = await made.browser.post(at('/documents/table'), { status: 'closed' });
    expect([status, wordsOf(text)]).toEqual([
      422,
      expect.stringContaining('narrow the list by dates or type'),
    ]);
    expect(made.recorded).toEqual([]);
  });

  it('sending asks first, reports what was not sent, and is refused to a bookkeeper', async () => {
    await made.browser.get(at('/documents'));
    const asked = await made.browser.post(at('/documents/send'), { type: 'tax_invoice' });
    expect([asked.status, await jobs()]).toEqual([200, []]);
    expect(asked.text).toContain('name="confirmed"');
    const reply = await made.browser.post(
      at('/documents/send'),
      await confirm({ document: made.book[1]?.document.id ?? '' }),
    );
    const [row] = await jobsEnded();
    expect(reply.location).toBe(at(`/documents/sending/${row?.id}`));
    expect(row).toMatchObject({
      format: 'email',
      state: 'done',
      documents: 1,
      missing_pdfs: ['tax_invoice 2 refused'],
    });
    const answer = wordsOf((await made.browser.get(reply.location ?? '')).text);
    expect(answer).toContain('No document was sent. Not sent Tax invoice 2: the address gets no messages');
    // It is no file of the accountant.
    expect((await made.browser.get(at('/exports'))).text).not.toContain(row?.id);
    expect(made.sent).toMatchObject([
      {
        document_id: made.book[1]?.document.id,
        channel: 'email',
        person_id: made.owner.id,
        business_id: made.business.id,
      },
    ]);
    const reader = await made.console.signedIn(made.accountant);
    await reader.get(at('/documents'));
    expect((await reader.post(at('/documents/send'), { confirmed: 'yes' })).status).toBe(403);
  });

  const confirm = async (fields: Record<string, string>) => {
    await made.browser.get(at('/documents'));
    const { text } = await made.browser.post(at('/documents/send'), fields);
    return { ...fields, ...fieldsIn(text) };
  };

  it('a confirmation that is sent twice sends each document once', async () => {
    const form = await confirm({ type: 'tax_invoice' });
    const replies = await Promise.all([1, 2].map(() => made.browser.post(at('/documents/send'), form)));
    expect(replies.map(({ status }) => status)).toEqual([303, 303]);
    expect(await jobsEnded()).toHaveLength(1);
    expect(made.sent).toHaveLength(3);
    expect(new Set(made.sent.map(({ delivery_id }) => delivery_id)).size).toBe(3);
  });

  it('another attempt of sending asks for the same messages again, and for no other', async () => {
    made.isDeliveryAway = true;
    await made.browser.post(at('/documents/send'), await confirm({ type: 'tax_invoice' }));
    await eventually('the first attempt has failed', async () => {
      const [job] = await jobs();
      return job?.state === 'queued' && job.attempts === 1;
    });
    made.isDeliveryAway = false;
    const first = made.sent.map(({ document_id, delivery_id }) => [document_id, delivery_id]);
    made.console.clock.now = new Date(made.console.clock.now.getTime() + 60_000);
    expect(await jobsEnded()).toMatchObject([{ state: 'done', documents: 3, attempts: 2 }]);
    const second = made.sent
      .slice(first.length)
      .map(({ document_id, delivery_id }) => [document_id, delivery_id]);
    expect(second).toHaveLength(3);
    expect(second.slice(0, first.length)).toEqual(first);
  });

  it('a document that was issued since a confirmation was shown is not sent, and it is asked for again', async () => {
    const form = await confirm({ type: 'tax_invoice' });
    made.book.push(bookEntry(4, made.business));
    const again = await made.browser.post(at('/documents/send'), form);
    expect([again.status, await jobs()]).toEqual([200, []]);
    // A cancelled one is not counted, and is not sent.
    const [first] = made.book as [BookEntry];
    first.state = { ...first.state, status: 'cancelled', cancelled_at: '2026-06-15T08:00:00.000Z' };
    await made.browser.post(at('/documents/send'), await confirm({ type: 'tax_invoice', cancelled: 'yes' }));
    const ids = made.book.slice(1).map(({ document }) => document.id);
    expect(await jobsEnded()).toMatchObject([{ documents: 3, selection: { document_ids: ids } }]);
    expect(made.sent.map(({ document_id }) => document_id)).toEqual(ids);
  });

  it('a person who may not send any more sends nothing with an earlier confirmation', async () => {
    made.isDeliveryAway = true;
    await made.browser.post(at('/documents/send'), await confirm({ type: 'tax_invoice' }));
    await eventually('the first attempt has failed', async () => {
      const [job] = await jobs();
      return job?.state === 'queued' && job.attempts === 1;
    });
    await made.console.database.db
      .updateTable('membership')
      .set({ role: 'bookkeeper' })
      .where('business_id', '=', made.business.id)
      .where('person_id', '=', made.owner.id)
      .execute();
    made.isDeliveryAway = false;
    made.sent = [];
    made.console.clock.now = new Date(made.console.clock.now.getTime() + 60_000);
    expect(await jobsEnded()).toMatchObject([{ state: 'failed', failure: 'not_allowed' }]);
    expect(made.sent).toEqual([]);
    const [job] = await jobs();
    const page = await made.browser.get(at(`/documents/sending/${job?.id}`));
    expect(page.status).toBe(403);
    const other = await made.console.signedIn(await made.console.addPerson({ [made.business.id]: 'owner' }));
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
    made.found = Array.from({ length: 50 }, () => ({
      ...{ id: randomUUID(), name: 'לקוח', tax_id: null, legal_type: null },
      ...{ email: null, phone: null, city: null },
    }));
    await made.browser.get(at('/documents'));
    const replies = await Promise.all([
      made.browser.post(at('/documents/selection'), { format: 'csv', ...fields }),
      made.browser.post(at('/documents/send'), fields),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([422, 422]);
    expect(replies[0]?.text).toContain('not clear');
    expect(await jobs()).toEqual([]);
  });

  it('a file of a list by balance has its documents in the order of commits', async () => {
    await made.browser.get(at('/documents'));
    await made.browser.post(at('/documents/selection'), { format: 'csv', sort: 'balance' });
    expect((await jobsEnded())[0]?.selection).not.toHaveProperty('order');
  });

  it('more than 500 documents are not sent, although it is confirmed', async () => {
    await made.browser.get(at('/documents'));
    made.book = Array.from({ length: 501 }, (_, index) => bookEntry(index + 1, made.business));
    const refused = await made.browser.post(at('/documents/send'), { confirmed: 'yes' });
    expect([refused.status, await jobs()]).toEqual([422, []]);
    made.book.pop();
    expect((await made.browser.post(at('/documents/send'), {})).text).toContain('name="export_id"');
  });
});

describe('the report of a period', () => {
  it('leads to a detailed VAT report of one or two months alone, and names its files by them', async () => {
    const detailed = async (period: string) =>
      (await made.browser.get(at(`/reports?period=${period}`))).text.includes('format=pcn874');
    expect([await detailed('2026-06'), await detailed('2026-05-2'), await detailed('2026')]).toEqual([
      true,
      true,
      false,
    ]);
    const pdf = await made.browser.get(at('/reports/pdf?period=2026-05-2'));
    expect(pdf.headers.get('content-disposition')).toBe('attachment; filename="report-2026-05_06.pdf"');
  });

  it('the report of a business that charges no VAT has none, on the page, on paper and in the table', async () => {
    expect(wordsOf((await made.browser.get(at('/reports'))).text)).toContain('VAT on sales');
    made.console.businesses.set(made.business.id, { ...made.business, legal_type: 'osek_patur' });
    const page = await made.browser.get(at('/reports'));
    expect(wordsOf(page.text)).toContain('Receipts by');
    await made.browser.get(at('/reports/pdf'));
    const csv = await made.browser.get(at('/reports/csv'));
    for (const text of [page.text, made.printed.at(-1) ?? '', csv.text]) {
      expect(text.replaceAll(/<style.*?<\/style>/gs, '')).not.toMatch(/VAT|pcn874|PCN874/);
    }
  });
});

describe('the reminder of a customer', () => {
  it('the confirmation of a reminder states what the customer has on account, where that is anything', async () => {
    const draft = {
      recipient: 'late@example.com',
      subject: 'Reminder',
      text: 'Text',
      allowed_at: null,
      quiet_until: null,
    };
    made.console.network.answer(proposeReminder, () => ({ debts: [], ...draft }));
    let closing = 200;
    made.console.network.answer(readStatement, () => ({
      ...{ opening: 0, brought_forward: 0, debit: 300, credit: 100, open: 200, closing },
      ...{ documents: 2, entries: [], next_after: null },
    }));
    const shown = async () => wordsOf((await made.browser.get(at(`/debts/${randomUUID()}/reminder`))).text);
    expect(await shown()).toContain('Payment reminder');
    expect(await shown()).not.toContain('on account');
    closing = 169.99;
    expect(await shown()).toContain(
      'asks for what is left after it; if it covers all, nothing is sent: ₪30.01',
    );
    await made.browser.post('/language', { language: 'he', next: '/' });
    expect(await shown()).toContain('ללקוח יש זכות בחשבון. התזכורת מציגה אותה');
  });
});
