import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BookEntry, type Business, printReport, type RequestOf } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { fieldsIn, textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { answerForBook, bookEntry } from '../exports.js';

describe('what the page of files says before and after a file is made', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let owner: TestBrowser;
  const book: BookEntry[] = [];
  const printed: RequestOf<typeof printReport>[] = [];
  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    answerForBook({ network, book, recorded: [], withoutPdf: new Set(), beforePage: { run: () => {} } });
    network.answer(printReport, (request) => {
      printed.push(request);
      return { pdf: Buffer.from('%PDF-1.7').toString('base64') };
    });
  });
  afterAll(() => console?.stop());
  beforeEach(async () => {
    business = console.addBusiness({ tax_id: '777777715' });
    const entries = [1, 2, 3].map((number) => {
      const entry = bookEntry(number, business);
      return { ...entry, document: { ...entry.document, date: '2026-05-15' } };
    });
    book.splice(0, book.length, ...entries);
    owner = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
  });

  const at = (path: string) => `/b/${business.id}/exports${path}`;
  const jobs = () =>
    console.database.db
      .selectFrom('export_job')
      .select(['id', 'state', 'drive'])
      .where('business_id', '=', business.id)
      .execute();
  const dates = { from: '2026-01-01', to: '2026-05-31' };
  const june = { format: 'pcn874', charset: 'iso-8859-8', drive: '', from: '2026-06-01', to: '2026-06-30' };
  const made = (id: string) =>
    eventually('the file is made', async () => (await jobs()).find((job) => job.id === id)?.state === 'done');

  it('a run of the uniform structure has a screen in the form of the authority, and prints it', async () => {
    await owner.get(at(''));
    const asked = await owner.post(at(''), { format: 'uniform', charset: 'cp862', drive: 'f', ...dates });
    expect(asked.status).toBe(303);
    const [job] = await jobs();
    expect(job?.drive).toBe('F');
    const id = job?.id ?? '';
    await made(id);
    expect((await owner.get(at(''))).text).toContain(`/exports/${id}/report`);
    const { text, status } = await owner.get(at(`/${id}/report`));
    expect(status).toBe(200);
    const shown = textOf(text);
    const parts = [
      'הפקת קבצים במבנה אחיד עבור:',
      '777777715',
      'ביצוע ממשק פתוח הסתיים בהצלחה.',
      'F:\\OPENFRMT\\77777771.26\\',
      ...['01012026', '31052026', 'C100', 'רשומת סיום', 'מספר תעודת הרישום: אין'],
      ...['סיכום לפי סוג מסמך (2.6)', 'חשבונית מס', 'דוח ייצור-יציאה'],
    ];
    const places = parts.map((part) => shown.lastIndexOf(part));
    expect(parts.filter((_, index) => (places[index] ?? -1) < 0)).toEqual([]);
    for (const [name, sentence] of [
      ['run-summary', 'ביצוע ממשק פתוח הסתיים בהצלחה.'],
      ['totals-by-type', 'דוח ייצור-יציאה'],
    ] as const) {
      printed.length = 0;
      const pdf = await owner.get(at(`/${id}/report/pdf?name=${name}`));
      expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect(printed.map(({ html }) => html.includes(sentence))).toEqual([true]);
    }
    expect((await owner.get(at(`/${id}/report/pdf?name=other`))).status).toBe(404);
    const other = console.addBusiness();
    const stranger = await console.signedIn(await console.addPerson({ [other.id]: 'owner' }));
    expect((await stranger.get(`/b/${other.id}/exports/${id}/report`)).status).toBe(404);
  });

  it('a drive is one letter', async () => {
    await owner.get(at(''));
    const refused = await owner.post(at(''), {
      format: 'uniform',
      charset: 'cp862',
      drive: 'F:\\x',
      ...dates,
    });
    expect(refused.status).toBe(422);
    expect(textOf(refused.text)).toContain('A drive is one letter, A to Z.');
    expect(await jobs()).toEqual([]);
  });

  it('a detailed VAT report of a month that is not over is asked about before it is made', async () => {
    const suggested = await owner.get(at('?format=pcn874&from=2026-06-01&to=2026-06-30'));
    expect(textOf(suggested.text)).toContain('The period is not over');
    await owner.get(at(''));
    const asked = await owner.post(at(''), june);
    expect(asked.status).toBe(422);
    expect(textOf(asked.text)).toContain('The period is not over');
    expect(await jobs()).toEqual([]);
    expect(fieldsIn(asked.text).unfinished).toBe('2026-06-30');
    const confirmed = await owner.post(at(''), { ...june, unfinished: '2026-06-30' });
    expect(confirmed.status).toBe(303);
    await made((await jobs())[0]?.id ?? '');
    expect(textOf((await owner.get(at(''))).text)).toContain(
      'The file was made before the end of its period',
    );
  });

  it('a detailed VAT report of a month that is over is made at once', async () => {
    await owner.get(at(''));
    const asked = await owner.post(at(''), { ...june, from: '2026-05-01', to: '2026-05-31' });
    expect(asked.status).toBe(303);
    await made((await jobs())[0]?.id ?? '');
    expect(textOf((await owner.get(at(''))).text)).not.toContain('before the end of its period');
  });
});
