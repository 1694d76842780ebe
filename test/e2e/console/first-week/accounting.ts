import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { peopleOutcomes, peopleWords } from '../../../../services/console/src/access/people/people-words.js';
import { exportWords } from '../../../../services/console/src/files/export/export-words.js';
import { words } from '../../../../services/console/src/frame/words.js';
import { listWords } from '../../../../services/console/src/list/list-words.js';
import { reportTexts } from '../../../../services/console/src/reports/report.js';
import { actionWords } from '../../../../services/console/src/trail/trail-words.js';
import { ConsoleVisitor } from '../../../harness/console-visitor.js';
import { type Diary, linkIn, look, nameOf, wide } from './diary.js';
import { ofNet, read, shown } from './ledger.js';

const run = promisify(execFile);

/** The first and the last day of a month, YYYY-MM. */
function daysOf(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { from: `${month}-01`, to: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10) };
}

/** The report of the month is that of the documents, and of the year with the month before. */
async function readReport(diary: Diary): Promise<void> {
  const { net, vat, total } = diary.ledger.sales(false);
  await diary.open('/reports', {
    words: [reportTexts.vat, reportTexts.reportedHint, reportTexts.roundedRows],
    amounts: [net, vat, total, diary.ledger.received()],
  });
}

/** The bytes of a file that is prepared in the background. */
async function prepared(diary: Diary, format: string, days: { from: string; to: string }): Promise<Buffer> {
  const { owner, page } = diary;
  const path = diary.at('/exports');
  // Its month is not over, which the page states before it is asked for.
  const suggested = format === 'pcn874' ? `?${new URLSearchParams({ format, ...days })}` : '';
  await owner.visit(`${path}${suggested}`);
  await diary.look({ words: suggested === '' ? [] : [exportWords.notOver] });
  await page.selectOption('select[name=format]', format);
  await page.fill('input[name=from]', days.from);
  await page.fill('input[name=to]', days.to);
  await owner.press(`form[action="${path}"]`);
  expect(await owner.done()).toBe(exportWords.requestedDone.he);
  const link = page.locator('a[href$="/file"]').first();
  await link.waitFor();
  const file = await owner.context.request.get(
    new URL((await link.getAttribute('href')) ?? '', owner.origin).href,
  );
  return file.body();
}

/** The first file of a zip, or the bytes themselves. */
async function contentOf(bytes: Buffer): Promise<string> {
  if (bytes.subarray(0, 2).toString() !== 'PK') {
    return bytes.toString('latin1');
  }
  const home = await mkdtemp(join(tmpdir(), 'pinkas-first-week-'));
  try {
    const zip = join(home, 'file.zip');
    await writeFile(zip, bytes);
    const { stdout } = await run('unzip', ['-p', zip], { encoding: 'latin1' });
    return stdout;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The header of the detailed report has the sums of its rows, each rounded to shekels. */
async function detailedReport(diary: Diary, month: string): Promise<void> {
  const content = await contentOf(await prepared(diary, 'pcn874', daysOf(month)));
  const [header = ''] = content.split('\r\n');
  const { taxable, vat } = diary.ledger.detailed();
  expect([header[0], header.slice(25, 37), header.slice(37, 47)]).toEqual([
    'O',
    `+${String(taxable).padStart(11, '0')}`,
    `+${String(vat).padStart(9, '0')}`,
  ]);
}

/** The cells of a table for a spreadsheet; no cell of this one has a line break. */
function rowsOf(csv: string): string[][] {
  const lines = csv
    .replace(/^\ufeff/, '')
    .trim()
    .split('\r\n');
  return lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
    ),
  );
}

/** The table of the list: Hebrew heads, credits negative, and columns whose sums are those of the book. */
async function table(diary: Diary): Promise<void> {
  const { ledger, owner, page } = diary;
  await diary.open('/documents', { words: [words.documents, listWords.sums] });
  const button = page.locator('button[formaction$="/documents/table"]');
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const [head = [], ...rows] = rowsOf(await readFile(await download.path(), 'utf8'));
  const types = [nameOf('tax_invoice').he, nameOf('credit_note').he];
  const sales = rows.filter(([type = '']) => types.includes(type));
  const sumOf = (column: string) =>
    sales.reduce((sum, row) => sum + read(row[head.indexOf(column)] ?? ''), 0n);
  const [before, now] = [ledger.sales(true), ledger.sales(false)];
  expect(owner.problems).toEqual([]);
  expect({
    vat: shown(sumOf(listWords.vat.he)),
    total: shown(sumOf(listWords.total.he)),
    balance: shown(sumOf(listWords.balance.he)),
  }).toEqual({
    vat: shown(before.vat + now.vat),
    total: shown(before.total + now.total),
    balance: shown(ledger.due()),
  });
}

/** The bookkeeper is invited, gets the month before at once, and sees all and changes nothing. */
async function accountant(diary: Diary): Promise<void> {
  const { browser, owner, page, stack } = diary;
  const email = `bookkeeper-${diary.issuer.business.id}@pinkas.localhost`;
  stack.recordPersonalData({ email });
  await diary.open('/people/invite', { words: [peopleWords.inviteLead, peopleWords.bookkeeperHint] });
  await page.fill('main input[name=email]', email);
  await owner.press('form[action$="/people/invite"]');
  expect(await owner.done()).toBe(peopleOutcomes.invited.he);
  await diary.look({ words: [words.people, peopleWords.expected] });
  const invitation = await diary.mail(email, '/sign-in/link/');

  await owner.visit(diary.at('/exports'));
  await page.selectOption('select[name=recipient]', { label: email });
  await owner.press('form[action$="/exports/monthly"]');
  await diary.look({ words: [exportWords.scheduleSaved, exportWords.nextPackage, exportWords.sendNow] });
  await owner.follow('main a[href$="/exports/monthly/now"]');
  await page.waitForURL('**/monthly/now');
  await diary.look({ words: [exportWords.sendNowTitle, exportWords.sendNowLead, exportWords.pcn874] });
  await owner.press('form[action$="/exports/monthly/now"]');
  expect(await owner.done()).toBe(exportWords.sentNow.he);
  await diary.mail(email, /קבצים לרואה החשבון/);

  const bookkeeper = await ConsoleVisitor.open(stack, browser, wide);
  try {
    await bookkeeper.page.goto(linkIn(invitation));
    await bookkeeper.press('main form[action^="/sign-in/link/"]');
    for (const path of ['', '/debts', '/reports', '/exports', '/trail']) {
      await bookkeeper.visit(diary.at(path));
      await look(bookkeeper, 'he', {});
    }
    for (const path of ['/issue', '/people/invite', '/connection/new']) {
      await bookkeeper.visit(diary.at(path), 403);
    }
    expect(bookkeeper.problems).toEqual([]);
  } finally {
    await bookkeeper.close();
  }
}

/** The test book promises nothing that it does not do. */
async function testBook(diary: Diary): Promise<void> {
  const { page, owner } = diary;
  const lines = [{ quantity: 1n, price: 9_000_00n }];
  const sums = ofNet(lines);
  await owner.visit(`/t/${diary.issuer.business.id}/issue/document?type=tax_invoice`);
  await page.fill('input[name="customer.name"]', 'לקוח ניסיון');
  await page.fill('input[name="items.0.description"]', 'פריט');
  await page.fill('input[name="items.0.unit_price"]', '9000');
  await diary.step('preview');
  await diary.look({
    words: [
      { he: 'זה מסמך ניסיון', en: 'This is a test document' },
      { he: 'דבר אינו נשלח מספר הניסיון', en: 'Nothing is sent from the test book' },
    ],
    amounts: [sums.net, sums.vat, sums.total],
    absent: [
      { he: 'יתבקש מספר הקצאה מרשות המסים', en: 'An allocation number will be requested' },
      { he: 'המסמך יישלח אל', en: 'It is sent to' },
      { he: 'אי אפשר למחוק', en: "can't be deleted" },
    ],
  });
  await diary.step('issue');
  await page.waitForURL(/\/t\/.*\/documents\//);
  expect(await page.locator('.test-banner').innerText()).toContain(words.testBook.he);
}

/** The trail has who did what, in words. */
async function trail(diary: Diary): Promise<void> {
  const acts = [
    'document.issue',
    'document.set_off',
    'reminder.send',
    'statement.send',
    'suppression.dismiss',
  ];
  const sentences = [
    ...acts,
    'person.invite',
    'connection.complete',
    'business.update',
    'accountant.schedule',
    'book.export',
  ].map((act) => actionWords[act] ?? { he: act, en: act });
  await diary.open('/trail', { words: [{ he: diary.ownerEmail, en: diary.ownerEmail }] });
  const { owner } = diary;
  const all = await owner.context.request.get(new URL(diary.at('/trail/csv'), owner.origin).href);
  const text = await all.text();
  expect(sentences.filter(({ he }) => !text.includes(he))).toEqual([]);
}

/** What the accountant reads, gets and may not do. @param month YYYY-MM, this one. */
export async function account(diary: Diary, month: string): Promise<void> {
  await readReport(diary);
  await detailedReport(diary, month);
  await table(diary);
  await accountant(diary);
  await testBook(diary);
  await trail(diary);
  await eventually('no message is pending', async () => (await diary.stack.verify(diary.issuer)).ok);
}
