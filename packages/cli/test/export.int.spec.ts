import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BookEntry, printReport, readBook } from '@pinkas/contracts';
import { type DocumentType, documentTypes, softwareVersion } from '@pinkas/domain';
import { exampleEntry } from '@pinkas/exports/example-book';
import { ApiError } from '@pinkas/service-kit/client';
import fc from 'fast-check';
import type { Call } from '../src/builder/command.js';
import { bookOf, business, type Draft, draft, runExport, systemOf, urls } from './exported-book.js';
import { run } from './run.js';

interface Checked {
  ok: boolean;
  findings: { file: string; record: number | null; field: number | null; reason: string }[];
}
interface Exported {
  folder: string;
  records: Record<string, number>;
  left_out: { documents: number };
}

/** A number below `below` from a seed, the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('pinkas export', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'pinkas-export-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const exportUniform = async (call: Call, charset = 'iso-8859-8'): Promise<Exported> => {
    const out = await mkdtemp(join(home, 'out-'));
    const { json } = await runExport(call, 'uniform', { business: business.id, year: '2026', out, charset });
    return json as Exported;
  };
  const check = async (call: Call, folder: string): Promise<Checked> =>
    (await runExport(call, 'check', { DIR: folder, against: business.id })).json as Checked;

  it('an export is valid and as in the book, whatever the book has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { maxLength: 12 }),
        fc.constantFrom('iso-8859-8', 'cp862'),
        async (drafts, charset) => {
          const book = bookOf(drafts);
          const call = systemOf(book);
          const exported = await exportUniform(call, charset);
          const quotes = book.filter(({ document }) => document.type === 'quote').length;
          expect(exported.left_out.documents).toBe(quotes);
          expect(exported.records.C100 ?? 0).toBe(book.length - quotes);
          const { findings } = await check(call, exported.folder);
          // A check of which the book has no account lacks what is mandatory.
          const lacking = book.flatMap(({ document }) =>
            document.payments.filter(
              ({ method, account }) => method === 'check' && /^0*$/.test(account ?? ''),
            ),
          );
          expect(findings.map(({ field, reason }) => `${field} ${reason}`)).toEqual(
            lacking.map(() => '1309 is zero, and mandatory for a check'),
          );
        },
      ),
      { seed: 20_260_615, numRuns: 40 },
    );
  });

  describe('of a sound book', () => {
    let book: BookEntry[];
    let call: Call;
    let folder: string;
    beforeAll(async () => {
      // Plain letters only, which the check compares one by one.
      const sku = fc.constantFrom('A-1', null);
      const plain = fc.tuple(draft, sku).map(([each, code]) => ({
        ...each,
        account: '123456',
        name: 'לקוח לדוגמה',
        items: each.items.map((line) => ({ ...line, description: 'שירות לדוגמה', sku: code })),
      }));
      book = bookOf([
        ...documentTypes.map((type) => ({
          ...(fc.sample(plain, { seed: 7, numRuns: 1 })[0] as Draft),
          type,
          cancelled: true,
        })),
        ...fc.sample(plain, { seed: 11, numRuns: 6 }),
      ]);
      call = systemOf(book);
      ({ folder } = await exportUniform(call));
    });

    /** Copies the folder with one file changed. */
    const damaged = async (name: string, change: (bytes: Buffer) => void, without: readonly string[]) => {
      const [business = '', minute = ''] = folder.split('/').slice(-2);
      const copy = join(await mkdtemp(join(home, 'damaged-')), 'OPENFRMT', business, minute);
      await mkdir(copy, { recursive: true });
      for (const file of await readdir(folder)) {
        if (!without.includes(file)) {
          await copyFile(join(folder, file), join(copy, file));
        }
      }
      const bytes = await readFile(join(folder, name));
      change(bytes);
      await writeFile(join(copy, name), bytes);
      return copy;
    };

    it('every changed byte of every file is found', async () => {
      const next = random(42);
      for (const name of await readdir(folder)) {
        const { length } = await readFile(join(folder, name));
        for (let times = 0; times < 5; times += 1) {
          const at = next(length);
          const copy = await damaged(
            name,
            (bytes) => bytes.writeUInt8((bytes[at] ?? 0) ^ (1 + next(255)), at),
            [],
          );
          const { ok } = await check(call, copy);
          expect([name, at, ok]).toEqual([name, at, false]);
        }
      }
    });

    it('a day of INI.TXT that does not exist is a finding, and the others are not lost', async () => {
      const change = (bytes: Buffer) => void bytes.write('20261301', 366, 'latin1');
      const { json } = await runExport(call, 'check', {
        DIR: await damaged('INI.TXT', change, []),
        against: business.id,
      });
      const { findings } = json as Checked;
      expect(json).toMatchObject({ ok: false, compared: false });
      expect(findings.map(({ file, reason }) => `${file} ${reason}`)).toEqual(
        expect.arrayContaining([
          'INI.TXT is not the file of SHA256SUMS',
          'INI.TXT has no range of days, but 2026-13-01 to 2026-12-31: the book is not compared',
        ]),
      );
    });

    it.each([
      ['type', 22, '999'],
      ['number', 25, '77 '],
    ])('a %s of a document that was changed is found in that document alone', async (_what, at, value) => {
      const changed = (await readFile(join(folder, 'BKMVDATA.TXT'))).indexOf('C100');
      const copy = await damaged('BKMVDATA.TXT', (bytes) => void bytes.write(value, changed + at, 'latin1'), [
        'SHA256SUMS',
      ]);
      const { findings } = await check(call, copy);
      const header = findings.filter(({ field }) => field === 1203 || field === 1204);
      expect(header.map(({ reason }) => reason)).toContain(
        at === 22 ? 'is 999, and the book has 330' : 'is "77", and the book has "1"',
      );
      const all = findings.map(({ reason }) => reason).join('\n');
      expect(all).not.toMatch(/is not in the book|lacks/);
    });

    it('a record that is missing is reported once, and not by every record that follows', async () => {
      const [business = '', minute = ''] = folder.split('/').slice(-2);
      const copy = join(await mkdtemp(join(home, 'shorter-')), 'OPENFRMT', business, minute);
      await mkdir(copy, { recursive: true });
      for (const file of ['INI.TXT', 'book-end.json']) {
        await copyFile(join(folder, file), join(copy, file));
      }
      const lines = (await readFile(join(folder, 'BKMVDATA.TXT'), 'latin1')).split('\r\n');
      const missing = lines.findIndex((line) => line.startsWith('D110'));
      await writeFile(join(copy, 'BKMVDATA.TXT'), lines.toSpliced(missing, 1).join('\r\n'), 'latin1');
      const { findings } = await check(call, copy);
      const numbers = findings.filter(({ reason }) => reason.includes('after the record before it'));
      expect(numbers.map(({ record }) => record)).toEqual([missing + 1]);
      expect(findings.map(({ reason }) => reason).join('\n')).toMatch(/has \d+ D110, and the book has \d+/);
    });

    it('an export is as in the book after documents were cancelled and the business was renamed or moved', async () => {
      const cancelled_at = '2100-01-01T08:00:00.000Z';
      const since = book.map(
        (entry): BookEntry => ({
          ...entry,
          state: { ...entry.state, status: 'cancelled', cancelled_at },
        }),
      );
      expect(new Set(book.map(({ state }) => state.status)).size).toBe(2);
      const moved = systemOf(since, 3, { name: 'עסק אחר', address: 'רחוב אחר 2', city: 'חיפה' });
      expect((await check(moved, folder)).findings).toEqual([]);
    });

    it('a page of the book that is not read at once is read again', async () => {
      let refusals = 2;
      const restarting = (async (contract, request) => {
        if (contract.subject === readBook.subject && refusals > 0) {
          refusals -= 1;
          throw new ApiError('engine_error');
        }
        return call(contract, request);
      }) as Call;
      const { records } = await exportUniform(restarting);
      expect(records.C100).toBe(book.filter(({ document }) => document.type !== 'quote').length);
      expect(refusals).toBe(0);
    });

    it('an export whose reports cannot be printed leaves no folder', async () => {
      const out = await mkdtemp(join(home, 'failed-'));
      const failing = (async (contract, request) => {
        if (contract.subject === printReport.subject) {
          throw new ApiError('engine_error');
        }
        return call(contract, request);
      }) as Call;
      await expect(
        runExport(failing, 'uniform', { business: business.id, year: '2026', out }),
      ).rejects.toThrow(ApiError);
      const [parent = ''] = await readdir(join(out, 'OPENFRMT'));
      expect(await readdir(join(out, 'OPENFRMT', parent))).toEqual([]);
    });

    it('a changed byte of BKMVDATA.TXT is found by the tables and the book alone', async () => {
      const next = random(43);
      const { length } = await readFile(join(folder, 'BKMVDATA.TXT'));
      const alone = ['SHA256SUMS', 'BKMVDATA.zip'];
      for (let times = 0; times < 150; times += 1) {
        const at = next(length);
        const digit = 0x30 + next(10);
        const copy = await damaged(
          'BKMVDATA.TXT',
          (bytes) => {
            const before = bytes[at] ?? 0;
            // Most often a digit becomes another, which leaves the record well formed.
            const isDigit = before >= 0x30 && before <= 0x39;
            bytes.writeUInt8(isDigit && digit !== before ? digit : before ^ (1 + next(255)), at);
          },
          alone,
        );
        const { findings } = await check(call, copy);
        const inData = findings.filter(({ file }) => file !== 'BKMVDATA.zip');
        expect([at, inData.length > 0]).toEqual([at, true]);
      }
    });

    it('a document that the book has and the file lacks is found, and the other way round', async () => {
      const [first] = book.filter(({ document }) => document.type === 'order');
      const shorter = systemOf(book.filter((entry) => entry !== first));
      expect((await check(shorter, folder)).findings).toMatchObject([
        { file: 'BKMVDATA.TXT', field: 1204, reason: 'type 100 1 is not in the book' },
      ]);
      const longer = systemOf(
        book.flatMap((entry) =>
          entry === first
            ? [entry, { ...entry, document: { ...entry.document, id: randomUUID(), number: 2 } }]
            : [entry],
        ),
      );
      const { findings } = await check(longer, folder);
      expect(findings.map(({ reason }) => reason)).toContain('lacks order 2 of the book');
    });

    it('the last document is compared, also where it was issued in the minute of the run', async () => {
      const last = book.at(-1) as BookEntry;
      const issuedNow = { ...last.document, issued_at: new Date(Date.now() + 3_600_000).toISOString() };
      const next = { ...last, document: { ...issuedNow, id: randomUUID(), number: issuedNow.number + 1 } };
      const longer = await check(systemOf([...book, next]), folder);
      expect(longer.findings.map(({ reason }) => reason)).toEqual([
        `lacks ${next.document.type} ${next.document.number} of the book`,
      ]);
      expect((await check(systemOf(book, 3, {}, [next]), folder)).findings).toEqual([]);
    });

    it('an end that was moved before documents of an earlier minute is found, and one that is not there', async () => {
      const shorter = await damaged('book-end.json', (bytes) => void bytes.write('{"position":7 }'), [
        'SHA256SUMS',
      ]);
      const { findings } = await check(call, shorter);
      const at = book[0]?.document.issued_at;
      expect(findings).toContainEqual({
        file: 'book-end.json',
        record: null,
        field: null,
        reason: `ends at position 7, and the book had another document at ${at}, before the run`,
        section: null,
      });
      const without = await damaged('INI.TXT', () => {}, ['SHA256SUMS', 'book-end.json']);
      const { json } = await runExport(call, 'check', { DIR: without, against: business.id });
      expect(json).toMatchObject({
        compared: false,
        findings: [
          {
            file: 'book-end.json',
            reason: 'does not say where the export ends: the book is not compared',
          },
        ],
      });
    });

    it('a second run in the same minute has a folder of its own', async () => {
      const out = await mkdtemp(join(home, 'twice-'));
      const folders = [];
      for (let times = 0; times < 2; times += 1) {
        const { json } = await runExport(call, 'uniform', { business: business.id, year: '2026', out });
        folders.push((json as Exported).folder);
      }
      expect(new Set(folders).size).toBe(2);
      for (const each of folders) {
        expect((await check(call, each)).findings).toEqual([]);
      }
    });
  });

  describe('of files that were manipulated, without the sums and the book', () => {
    let lines: string[];
    let folder: string;
    beforeAll(async () => {
      const [example] = fc.sample(draft, { seed: 7, numRuns: 1 }) as [Draft];
      const plain = { ...example, cancelled: false, base: false, account: null };
      const three = (type: DocumentType) => Array<Draft>(3).fill({ ...plain, type, method: 'cash' });
      ({ folder } = await exportUniform(
        systemOf(bookOf([...three('tax_invoice_receipt'), ...three('receipt')])),
      ));
      lines = (await readFile(join(folder, 'BKMVDATA.TXT'), 'latin1')).split('\r\n');
    });

    /** Overwrites characters from a position of the authority's tables, which begin with 1. */
    const write = (line: string, from: number, text: string) =>
      line.slice(0, from - 1) + text + line.slice(from - 1 + text.length);

    /** Checks the files with other records, whose counts and numbers are made to fit. */
    const findingsOf = async (changed: readonly string[]): Promise<string[]> => {
      const [parent = '', minute = ''] = folder.split('/').slice(-2);
      const copy = join(await mkdtemp(join(home, 'manipulated-')), 'OPENFRMT', parent, minute);
      await mkdir(copy, { recursive: true });
      const records = changed.filter((line) => line !== '');
      const count = (code: string) => records.filter((line) => line.startsWith(code)).length;
      const fitting = records.map((line, index) => {
        const numbered = write(line, 5, String(index + 1).padStart(9, '0'));
        return line.startsWith('Z900')
          ? write(numbered, 46, String(records.length).padStart(15, '0'))
          : numbered;
      });
      await writeFile(join(copy, 'BKMVDATA.TXT'), [...fitting, ''].join('\r\n'), 'latin1');
      const ini = (await readFile(join(folder, 'INI.TXT'), 'latin1')).split('\r\n');
      const counted = ini.map((line, index) => {
        const found = index === 0 ? records.length : count(line.slice(0, 4));
        return line === '' ? '' : write(line, index === 0 ? 10 : 5, String(found).padStart(15, '0'));
      });
      await writeFile(join(copy, 'INI.TXT'), counted.join('\r\n'), 'latin1');
      const output = await runExport(call(), 'check', { DIR: copy });
      return (output.text ?? '')
        .split('\n')
        .filter((line) => line.startsWith('  ') && !line.includes('BKMVDATA.zip'));
    };
    const call = () => systemOf([]);
    /** Changes one record of a kind. */
    const withRecord = (code: string, which: number, change: (line: string) => string) => {
      const indexes = lines.flatMap((line, index) => (line.startsWith(code) ? [index] : []));
      const at = indexes.at(which) ?? -1;
      return { at, changed: lines.with(at, change(lines[at] ?? '')) };
    };

    it('files that were written again as they were have no finding', async () => {
      expect(await findingsOf(lines)).toEqual([]);
    });

    it('a document that is left out between two others is a gap in the numbers of its type', async () => {
      const isOf = (line: string) => /^[CD]1[012]0/.test(line) && line.slice(22, 27) === '3202 ';
      const without = lines.filter((line) => !isOf(line));
      expect(without.length).toBeLessThan(lines.length - 2);
      const next = without.findIndex((line) => line.startsWith('C100') && line.slice(22, 26) === '3203');
      expect(await findingsOf(without)).toEqual([
        `  BKMVDATA.TXT, record ${next + 1}, field 1204: type 320 has 1 and 3, and lacks 2`,
      ]);
    });

    it('an id of a customer with a wrong check digit is found', async () => {
      const { at, changed } = withRecord('C100', 1, (line) => write(line, 253, '777777716'));
      expect(await findingsOf(changed)).toEqual([
        `  BKMVDATA.TXT, record ${at + 1}, field 1215: is 777777716, an id of a customer with a wrong check digit`,
      ]);
    });

    it.each([
      [1307, '1', 51, '0000000012', '12'],
      [1308, '4', 61, '0000000600', '600'],
      [1309, '1', 71, '000000000123456', '123456'],
      [1310, '3', 86, '0000005001', '5001'],
      [1311, '1', 96, '20260801', '20260801'],
      [1313, '2', 119, '1', '1'],
      [1314, '1', 120, 'Visa', 'Visa'],
      [1315, '9', 140, '2', '2'],
    ])(
      'field %i of a payment of means %s is found, to which it does not belong',
      async (field, means, from, value, shown) => {
        // What a check has to have is there.
        const check = means === '2' ? '000000001200000006000000000001234560000005001' : '';
        const { at, changed } = withRecord('D120', 0, (line) =>
          write(write(line, 50, `${means}${check}`), from, value),
        );
        expect(await findingsOf(changed)).toEqual([
          `  BKMVDATA.TXT, record ${at + 1}, field ${field}: is "${shown}", and a payment of means ${means} (1306) has no such field (§4.5)`,
        ]);
      },
    );
  });

  it('a detailed VAT report names each sale that has no place in it, with its address, and fails', async () => {
    const out = join(home, 'pcn874', 'june');
    const options = { business: business.id, from: '2026-06-01', to: '2026-06-30', out };
    const entry = exampleEntry({ number: 1, business_id: business.id });
    const { document } = entry;
    const customer = { ...document.customer, tax_id: null, legal_type: null };
    const nameless = { ...entry, document: { ...document, id: randomUUID(), number: 2, customer } };
    const { text, failure } = await runExport(systemOf([entry, nameless]), 'pcn874', options);
    expect((await readFile(join(out, 'PCN874.TXT'), 'latin1')).split('\r\n')).toHaveLength(4);
    expect(text).toMatch(/file, each row rounded +6,000 +1,080 +0\n/);
    expect(text).toMatch(/left out +6,000 +1,080 +0\n/);
    expect(text).toMatch(/report of the period, rounded once +12,000 +2,160 +0\n/);
    expect(text).toContain(`7080.00  ${urls.viewUrlBase}/${document.public_id}`);
    expect(failure).toContain('1 sales above 5,000 ILS have no number of their buyer');
    const again = runExport(systemOf([entry]), 'pcn874', options);
    await expect(again).rejects.toThrow('PCN874.TXT exists: name another folder with --out');
    const sound = await runExport(systemOf([entry]), 'pcn874', { ...options, out: join(out, 'again') });
    expect(sound.failure).toBeUndefined();
    expect(sound.json).toMatchObject({ rows: 1, left_out: { documents: 0 } });
  });

  it('a detailed VAT report of a month that is not over is said to be so before it is made', async () => {
    const out = join(home, 'pcn874', 'early');
    const options = { business: business.id, from: '2099-12-01', to: '2099-12-31', out };
    const { output, printed } = run('export pcn874', options, systemOf([]));
    expect((await output).json).toMatchObject({ is_over: false, rows: 0 });
    expect(printed[0]).toBe(
      'The period is not over: what is issued until 2099-12-31 will not be in the file',
    );
  });

  it('the drive that the files are for begins their path', async () => {
    const out = await mkdtemp(join(home, 'drive-'));
    const options = { business: business.id, year: '2026', out, drive: 'f:' };
    const { json, text } = await runExport(systemOf([]), 'uniform', options);
    const { folder, path } = json as { folder: string; path: string };
    expect(path).toBe(`F:\\${folder.split('/').slice(-3).join('\\')}`);
    expect(text).toContain(`OPEN FORMAT has ended: ${path}`);
    expect((await readFile(join(folder, 'INI.TXT'), 'latin1')).slice(134, 184).trimEnd()).toBe(path);
    expect((await check(systemOf([]), folder)).findings).toEqual([]);
  });

  it.each([
    ['uniform', { year: '26', out: 'x' }, '--year takes four digits'],
    ['uniform', { year: '0000', out: 'x' }, '--year takes four digits, 1900 or later'],
    [
      'uniform',
      { from: '2026-02-30', to: '2026-03-01', out: 'x' },
      'Name the dates: --year Y, or --from and --to',
    ],
    ['uniform', { year: '2026', charset: 'utf-8', out: 'x' }, '--charset takes iso-8859-8 or cp862'],
    ['uniform', { year: '2026', drive: 'FF', out: 'x' }, '--drive takes the letter of a drive, such as F'],
    ['documents', { from: '2026-01-01', to: '2026-01-02', format: 'xml', out: 'x' }, '--format takes jsonl'],
  ])('export %s rejects %p before it calls a service', (verb, options, message) =>
    expect(
      run(`export ${verb}`, { business: business.id, ...(options as Record<string, string>) }).output,
    ).rejects.toThrow(message),
  );

  it('INI.TXT names the version of the package', async () => {
    const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    expect(softwareVersion).toBe((JSON.parse(text) as { version: string }).version);
  });
});
