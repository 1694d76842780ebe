import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { BookEntry } from '@pinkas/contracts';
import { exampleBusiness } from '@pinkas/testkit/examples';
import { drawnBook } from '../properties/drawn-book.js';
import { runExport, systemOf } from '../properties/exported-book.js';

const packages = [
  '@accounter/shaam-uniform-format-generator@0.1.1',
  '@accounter-toolkit/pcn874-generator@0.3.0',
  // Both require it, and neither declares it.
  'tslib@2.8.1',
] as const;
/** The CI that releases sets it: there packages that cannot be fetched are a failure. */
const isRequired = process.env.GENERATOR_TESTS === 'required';
const business = exampleBusiness({ tax_id: '777777723' });

jest.setTimeout(300_000);

/** What they export of which this test makes use. */
interface Shaam {
  parseA000: (line: string) => Record<string, string>;
  parseA000Sum: (line: string) => Record<string, string>;
  parseA100: (line: string) => Record<string, string>;
  parseC100: (line: string) => Record<string, string>;
  parseD110: (line: string) => Record<string, string>;
  parseD120: (line: string) => Record<string, string>;
  parseZ900: (line: string) => Record<string, string>;
}
interface Pcn874 {
  pcnGenerator: (header: object, transactions: readonly object[], options: object) => string;
}

/** The programs of others for these files, as far as they are right; where they differ from the paper, the test states it. */
describe('the files of the book, with the packages of others', () => {
  let home: string;
  let isFetched = false;
  let book: BookEntry[];
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'pinkas-outside-'));
    await writeFile(join(home, 'package.json'), '{"private":true}');
    const { PATH, HOME } = process.env;
    const options = { cwd: home, timeout: 240_000, env: { PATH, HOME, CI: '1' } };
    try {
      await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...packages], options);
      isFetched = true;
    } catch (error) {
      if (isRequired) {
        throw error;
      }
      process.stderr.write(`outside packages: ${packages.join(', ')} cannot be fetched\n`);
    }
    book = drawnBook(business, 100, 7);
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const load = <T>(name: string): T => createRequire(join(home, 'package.json'))(name) as T;
  const range = { business: business.id, from: '2000-01-01', to: '2099-12-31' };

  it('every record is read by @accounter/shaam-uniform-format-generator, but for what it has otherwise than the paper', async () => {
    if (!isFetched) {
      return;
    }
    const shaam = load<Shaam>('@accounter/shaam-uniform-format-generator');
    const call = systemOf(business, book);
    const exported = await runExport(call, 'uniform', '', { ...range, out: join(home, 'uniform') });
    const { folder } = exported as { folder: string };
    const linesOf = async (name: string) => {
      const text = new TextDecoder('iso-8859-8').decode(await readFile(join(folder, name)));
      return text.trimEnd().split('\r\n');
    };
    const [header = '', ...sums] = await linesOf('INI.TXT');
    const lines = await linesOf('BKMVDATA.TXT');
    const of = (code: string) => lines.filter((line) => line.startsWith(code));
    expect(shaam.parseA000(header)).toMatchObject({
      ...{ vatId: '777777723', systemConstant: '&OF1.31&', totalRecords: String(lines.length) },
      ...{ startDate: '20000101', endDate: '20991231', softwareType: '2', baseCurrency: 'ILS' },
    });
    expect(sums.map((line) => shaam.parseA000Sum(line))).toEqual(
      ['A100', 'C100', 'D110', 'D120', 'Z900'].map((code) => ({
        code,
        recordCount: String(of(code).length),
      })),
    );
    expect(shaam.parseA100(lines[0] ?? '')).toMatchObject({ recordNumber: '1', vatId: '777777723' });
    expect(shaam.parseZ900(lines.at(-1) ?? '')).toMatchObject({ totalRecords: String(lines.length) });
    // It wants a branch, which §5.5 note 3 has where 1034 is 1, and has no donation receipts (§5.1): with one of both it reads.
    const inBranch = (line: string) => `${line.slice(0, 289)}1      ${line.slice(296)}`;
    for (const line of of('D110').filter((line) => line.slice(22, 25) !== '405')) {
      expect(shaam.parseD110(inBranch(line))).toMatchObject({
        documentType: line.slice(22, 25),
        documentNumber: line.slice(25, 45).trim(),
        goodsServiceDescription: line.slice(93, 123).trim(),
        lineTotal: line.slice(270, 285),
        documentDate: line.slice(296, 304),
      });
    }
    const [line = ''] = of('D110');
    expect(() => shaam.parseD110(line)).toThrow('branchId');
    expect(() => shaam.parseD110(inBranch(line.replace(/^(.{22}).{3}/, '$1405')))).toThrow('documentType');
    // §2.5 e has 444 characters, and §2.3 f a sign before each amount.
    expect(() => shaam.parseC100(of('C100')[0] ?? '')).toThrow('expected 445 characters, got 444');
    expect(() => shaam.parseD120(of('D120')[0] ?? '')).toThrow('lineAmount');
  });

  it('the detailed VAT report is that of @accounter-toolkit/pcn874-generator, but for what it lacks of the paper', async () => {
    if (!isFetched) {
      return;
    }
    const { pcnGenerator } = load<Pcn874>('@accounter-toolkit/pcn874-generator');
    const sold = book.filter(({ document: { totals } }) => totals.total > 0);
    const [first, last] = [sold[0]?.document.date ?? '', sold.at(-1)?.document.date ?? ''];
    expect([first, last].every((day) => day.startsWith('2000-01'))).toBe(true);
    const out = join(home, 'pcn874');
    const month = { from: '2000-01-01', to: '2000-01-31' };
    await runExport(systemOf(business, sold), 'pcn874', '', { business: business.id, ...month, out });
    const [header = '', ...rest] = (await readFile(join(out, 'PCN874.TXT'), 'latin1'))
      .trimEnd()
      .split('\r\n');
    const rows = rest.slice(0, -1);
    expect(rows.length).toBeGreaterThan(5);
    const made = pcnGenerator(
      {
        licensedDealerId: header.slice(1, 10),
        reportMonth: header.slice(10, 16),
        generationDate: header.slice(17, 25),
        taxableSalesAmount: Number(header.slice(25, 37)),
        taxableSalesVat: Number(header.slice(37, 47)),
        salesRecordCount: Number(header.slice(69, 78)),
        zeroValOrExemptSalesCount: Number(header.slice(78, 90)),
        otherInputsVat: 0,
        equipmentInputsVat: 0,
        inputsCount: 0,
        totalVat: Number(header.slice(119, 131)),
      },
      rows.map((row) => ({
        entryType: `${row.slice(0, 1)}1`,
        vatId: row.slice(1, 10),
        invoiceDate: row.slice(10, 18),
        refGroup: row.slice(18, 22),
        refNumber: row.slice(22, 31),
        totalVat: Number(row.slice(31, 40)),
        invoiceSum: Number(row.slice(40, 51)),
      })),
      {},
    );
    // It writes LF, and no end of the last line; it has no place for an allocation number (API description v1.0, chapter 6).
    expect(made.split('\n')).toEqual([
      header,
      ...rows.map((row) => row.replace(/.{9}$/, '000000000')),
      rest.at(-1),
    ]);
  });
});
