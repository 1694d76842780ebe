import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type RequestOf, readStatement, sendStatement, showCustomer } from '@pinkas/contracts';
import { ApiError, type Database, kitTokens } from '@pinkas/service-kit';
import { eventually, readTrail } from '@pinkas/testkit';
import type { ConsoleTables } from '../../src/db/console.tables.js';
import { readExportFile } from '../../src/files/export/exports.js';
import { AccountantPackages } from '../../src/files/months/accountant-packages.js';
import { fieldsIn } from '../browser.js';
import { type TestBrowser } from '../console.js';
import { unzipped } from '../exports.js';
import { ListedBook, queued, wordsOf } from './listed-book.js';

const made = ListedBook.forTests();
const at = (path: string) => made.at(path);
const jobs = () => made.jobs();

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
    made.console.network.answer(showCustomer, () => ({ customer }));
    const end = made.console.network.answer(readStatement, ({ after, limit }) => {
      const first = after?.position ?? 0;
      const position = first + limit;
      return {
        ...{ opening: 0, brought_forward: 0, debit: 1, credit: 1, closing: 0, open: 0 },
        ...{ documents: entries.length, entries: entries.slice(first, position) },
        next_after: position >= entries.length ? null : { date: dates.date, position },
      };
    });
    const pdf = at(`/customers/${customer.id}/statement/pdf?from=`);
    const refused = await made.browser.get(pdf);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('1,000')]);
    entries.pop();
    for (const language of ['he', 'en']) {
      await made.browser.post('/language', { language, next: '/' });
      expect((await made.browser.get(pdf)).status).toBe(200);
    }
    end();
    expect(made.printed.map((html) => html.match(/<tr>/g)?.length)).toEqual([1_003, 1_003]);
  });

  it('a statement whose first day is after its last one states so, and has no file', async () => {
    const customer = {
      ...{ id: randomUUID(), name: 'Late customer', tax_id: null, legal_type: null, phone: null },
      ...{ address: null, city: null, email: null, created_at: '2026-01-01T08:00:00.000Z' },
    };
    made.console.network.answer(showCustomer, () => ({ customer }));
    const end = made.console.network.answer(readStatement, () => ({
      ...{ opening: 7, brought_forward: 7, debit: 0, credit: 0, closing: 7, open: 0 },
      ...{ documents: 0, entries: [], next_after: null },
    }));
    await made.browser.post('/language', { language: 'en', next: '/' });
    const statement = (file: string, from: string) =>
      made.browser.get(at(`/customers/${customer.id}/statement${file}?from=${from}&to=2026-11-01`));
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
    made.console.network.answer(showCustomer, () => ({ customer }));
    made.console.network.answer(readStatement, () => ({
      ...{ opening: 0, brought_forward: 0, debit: 118, credit: 0, open: 118, closing: 118 },
      ...{ documents: 1, entries: [entry], next_after: null },
    }));
    made.console.network.answer(sendStatement, (request) => {
      sentStatements.push(request);
      if (request.recipient === 'wrong') {
        throw ApiError.invalid([{ path: '/recipient', message: 'is no email address' }]);
      }
      const { document_id, recipient, statement_id: delivery_id } = request;
      return queued({ business_id: made.business.id, document_id, recipient, delivery_id, channel: 'email' });
    });
    const page = at(`/customers/${customer.id}/statement/email?from=2026-01-01&to=`);
    const form = fieldsIn((await made.browser.get(page)).text);
    expect(form).toMatchObject({
      recipient: 'late@example.com',
      subject: expect.stringContaining(made.business.name),
    });
    const wrong = await made.browser.post(page, { ...form, recipient: 'wrong' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('id="field-recipient-error"');
    const reply = await made.browser.post(page, form);
    expect(reply).toMatchObject({
      status: 303,
      location: expect.stringContaining('/statement?from=2026-01-01'),
    });
    expect((await made.browser.get(reply.location ?? '')).text).toContain('The statement is on its way');
    expect(sentStatements[1]).toMatchObject({
      ...{ customer_id: customer.id, document_id: entry.document_id, statement_id: form.statement_id },
      ...{ closing: 118, as_of: '2026-06-15' },
    });
  });
});

describe('the files of each month for the accountant', () => {
  const packages = () => made.console.service.app.get(AccountantPackages, { strict: false });
  const setTo = (recipient: string, day = '10') =>
    made.browser.post(at('/exports/monthly'), { recipient, day });
  const months = () =>
    made.console.database.db
      .selectFrom('accountant_package')
      .selectAll()
      .where('business_id', '=', made.business.id)
      .execute();
  /** The names in the zip of a report, its table and the beginning of its PDF. */
  const reportOf = async (exportId: string) => {
    const own = made.console.service.app.get<Database<ConsoleTables>>(kitTokens.database);
    const file = await readExportFile(own, made.business.id, exportId);
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
      const notices = made.console.notices.filter(({ recipient }) => recipient === email);
      return notices.length > 0 && notices;
    });

  it('the files are made once on their day, however many processes look, and a link goes to the accountant once', async () => {
    await made.browser.get(at('/exports'));
    expect((await setTo(made.accountant.id)).status).toBe(303);
    await packages().tickNow();
    // The day of this month is over: the first files are those of June.
    expect(await months()).toEqual([]);
    made.console.clock.now = new Date('2026-07-09T20:59:00Z');
    await packages().tickNow();
    expect(await months()).toEqual([]);
    made.console.clock.now = new Date('2026-07-09T21:01:00Z');
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
    const [mail] = await noticesTo(made.accountant.email);
    expect(mail?.subject).toContain('יוני 2026');
    expect(mail?.text).toContain('Detailed VAT report, sales side (PCN874)');
    expect(mail?.text).toContain(`${made.console.config.consoleUrl}${at('/exports')}`);
    expect(mail?.text).not.toContain('/sign-in/link/');
    await Promise.all([packages().tick(), packages().tick()]);
    expect(await months()).toHaveLength(1);
    expect(made.console.notices).toHaveLength(1);
    expect((await readTrail(made.console.database, made.business.id)).map(({ action }) => action)).toEqual([
      'accountant.schedule',
    ]);
  });

  it('the page states when the next files are sent, and saving a day sends nothing', async () => {
    const shown = async () => wordsOf((await made.browser.get(at('/exports'))).text);
    await shown();
    // Today is the fifteenth: its files of May are not due any more, and a day that comes is.
    await setTo(made.accountant.id, '15');
    expect(await shown()).toContain('The next files: June 2026 , sent on 15 Jul 2026');
    await setTo(made.accountant.id, '16');
    expect(await shown()).toContain('The next files: May 2026 , sent on 16 Jun 2026');
    await setTo(made.accountant.id, '14');
    await packages().tickNow();
    expect([await shown(), await months()]).toEqual([
      expect.stringContaining('The next files: June 2026 , sent on 14 Jul 2026'),
      [],
    ]);
    await made.browser.post(at('/exports/monthly'), {
      recipient: made.accountant.id,
      day: '20',
      months: '2',
    });
    expect(await shown()).toContain('The next files: May–June 2026 , sent on 20 Jul 2026');
    const twice = { recipient: made.accountant.id, day: '20', months: '3' };
    expect((await made.browser.post(at('/exports/monthly'), twice)).status).toBe(400);
  });

  it('the latest complete month is sent now after a confirmation, once, and is one zip', async () => {
    await made.browser.get(at('/exports'));
    expect((await made.browser.get(at('/exports/monthly/now'))).status).toBe(404);
    await setTo(made.accountant.id, '20');
    const asked = await made.browser.get(at('/exports/monthly/now'));
    expect(wordsOf(asked.text)).toContain(`May 2026, ${made.accountant.email}`);
    expect(wordsOf(asked.text)).toContain('Detailed VAT report, sales side (PCN874)');
    const confirmed = fieldsIn(asked.text);
    await made.browser.post(at('/exports/monthly/now'), { ...confirmed, period: '2026-04' });
    expect(await months()).toEqual([]);
    const replies = await Promise.all(
      [1, 2].map(() => made.browser.post(at('/exports/monthly/now'), { period: confirmed.period ?? '' })),
    );
    expect(replies.map(({ status }) => status).sort()).not.toContain(500);
    expect(await ended()).toMatchObject({ month: '2026-05-01', months: 1, state: 'sent' });
    expect((await readTrail(made.console.database, made.business.id)).map(({ action }) => action)).toEqual([
      'accountant.schedule',
      'accountant.send',
    ]);
    await noticesTo(made.accountant.email);
    const page = await made.browser.get(at('/exports'));
    expect(wordsOf(page.text)).toContain('The next files: June 2026 , sent on 20 Jul 2026');
    expect(page.text).not.toContain(at('/exports/monthly/now'));
    made.console.clock.now = new Date('2026-06-20T08:00:00Z');
    await packages().tickNow();
    expect([(await months()).length, (await jobs()).length, made.console.notices.length]).toEqual([1, 5, 1]);

    const reader = await made.console.signedIn(made.accountant);
    const { headers, status } = await fetch(`${made.console.origin}${at('/exports/monthly/2026-05/file')}`, {
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
    const reply = await fetch(`${made.console.origin}${path}`, { headers: { cookie: cookiesOf(by) } });
    return Buffer.from(await reply.arrayBuffer());
  };

  it('the files of two months are made when both are over, next to those of one that were made before', async () => {
    await made.browser.get(at('/exports'));
    await setTo(made.accountant.id, '10');
    made.console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ month: '2026-06-01', months: 1, state: 'sent' });
    const again = await made.console.signedIn(made.owner);
    await again.get(at('/exports'));
    const saved = await again.post(at('/exports/monthly'), {
      recipient: made.accountant.id,
      day: '12',
      months: '2',
    });
    expect([saved.status, saved.location]).toEqual([303, at('/exports')]);
    made.console.clock.now = new Date('2026-07-12T08:00:00Z');
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
    made.console.businesses.set(made.business.id, { ...made.business, legal_type: 'osek_patur' });
    await made.browser.get(at('/exports'));
    await setTo(made.accountant.id);
    expect((await made.browser.get(at('/exports'))).text.split('PCN874').length).toBeLessThanOrEqual(1);
    made.console.clock.now = new Date('2026-07-10T08:00:00Z');
    await ended();
    expect((await jobs()).map(({ format }) => format).sort()).toEqual([
      'csv',
      'pdf-zip',
      'report',
      'uniform',
    ]);
  });

  it('the owners get the reason why the files were not sent, and make them again', async () => {
    await made.browser.get(at('/exports'));
    await setTo(made.accountant.id);
    made.console.businesses.set(made.business.id, { ...made.business, tax_id: null });
    made.console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ state: 'failed', failure: 'no_tax_id' });
    const [mail] = await noticesTo(made.owner.email);
    expect(mail?.text).toContain('The business has no tax id');
    expect(made.console.notices.filter(({ recipient }) => recipient === made.accountant.email)).toEqual([]);
    made.console.businesses.set(made.business.id, made.business);
    const again = await made.console.signedIn(made.owner);
    const shown = await again.get(at('/exports'));
    expect(shown.text).toContain('Make and send again');
    const today = await again.get(at(''));
    expect(wordsOf(today.text)).toContain(
      'The files of a month did not reach the accountant: June 2026 The business has no tax id',
    );
    expect(today.text).toContain(`action="${at('/exports/monthly/again')}"`);
    expect((await again.get(`/t/${made.business.id}`)).text).not.toContain('did not reach the accountant');
    const reader = await (await made.console.signedIn(made.accountant)).get(at(''));
    expect(wordsOf(reader.text)).toContain('did not reach the accountant: June 2026');
    expect(reader.text).not.toContain('/exports/monthly/again');
    // What the form on Today sends.
    await again.get(at(''));
    await again.post(at('/exports/monthly/again'), { period: fieldsIn(today.text).period ?? '' });
    expect((await again.get(at(''))).text).not.toContain('did not reach the accountant');
    expect(await ended()).toMatchObject({ state: 'sent' });
    expect(await noticesTo(made.accountant.email)).toHaveLength(1);
  });

  it('files whose recipient leaves before the email is sent have failed, and the owners learn of it', async () => {
    await made.browser.get(at('/exports'));
    await setTo(made.accountant.id);
    const { sendNotice } = made.console;
    made.console.sendNotice = ({ recipient }) =>
      recipient === made.accountant.email
        ? { outcome: 'failed', reason: 'Try later.' }
        : { outcome: 'accepted', reason: null };
    made.console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ state: 'sent' });
    await eventually('the email is postponed', async () => {
      const notices = made.console.database.db.selectFrom('due_notice').selectAll();
      const row = await notices.where('email', '=', made.accountant.email).executeTakeFirst();
      return row?.claimed_until === null && row.attempts > 0;
    });
    await made.console.database.db
      .deleteFrom('membership')
      .where('business_id', '=', made.business.id)
      .where('person_id', '=', made.accountant.id)
      .execute();
    made.console.sendNotice = sendNotice;
    made.console.clock.now = new Date('2026-07-10T09:00:00Z');
    await eventually('the month has failed', async () => {
      const [month] = await months();
      return month?.state === 'failed' && month.failure === 'no_recipient';
    });
    await noticesTo(made.owner.email);
  });

  it('the files open for members alone, and a member who was removed since gets no email', async () => {
    await made.browser.get(at('/exports'));
    const stranger = await made.console.addPerson();
    expect((await setTo(stranger.id)).status).toBe(400);
    await setTo(made.accountant.id);
    const of = { business_id: made.business.id, person_id: made.accountant.id };
    await made.console.database.db
      .deleteFrom('membership')
      .where('business_id', '=', of.business_id)
      .where('person_id', '=', of.person_id)
      .execute();
    made.console.clock.now = new Date('2026-07-10T08:00:00Z');
    expect(await ended()).toMatchObject({ state: 'failed', failure: 'no_recipient' });
    await noticesTo(made.owner.email);
    expect(made.console.notices.filter(({ recipient }) => recipient === made.accountant.email)).toEqual([]);
    // Nothing can be made again for someone who may not read it: another one is chosen first.
    const again = await made.console.signedIn(made.owner);
    const failed = (await again.get(at(''))).text;
    expect(failed).toContain(`href="${at('/exports')}#monthly"`);
    expect(failed).not.toContain('/exports/monthly/again');
    await again.post(at('/exports/monthly'), { recipient: made.owner.id, day: '10' });
    expect((await again.get(at(''))).text).toContain('/exports/monthly/again');
    await again.post(at('/exports/monthly'), { recipient: '' });
    expect((await again.get(at(''))).text).not.toContain('did not reach the accountant');
  });
});
