import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { zipFiles } from '@pinkas/exports';
import { checkFolder } from '../src/export/check/check-folder.js';

/** Texts by the column where they begin, which is 1 in a record; spaces elsewhere. Made by hand: no writer is used. */
type Columns = Readonly<Record<number, string>>;

function placed(length: number, columns: Columns): string {
  let record = ' '.repeat(length);
  for (const [first, text] of Object.entries(columns)) {
    record = record.slice(0, Number(first) - 1) + text + record.slice(Number(first) - 1 + text.length);
  }
  return record;
}

const vatNumber = '777777723';
const primaryId = '123456789012345';
const zeros = (count: number) => '0'.repeat(count);
const amount = (agorot: number) => `${agorot < 0 ? '-' : '+'}${String(Math.abs(agorot)).padStart(14, '0')}`;

/** A000 of a run over 2026. */
const iniHeader = (change: Columns = {}): string =>
  placed(466, {
    ...{
      1: 'A000',
      10: zeros(15),
      25: vatNumber,
      34: primaryId,
      49: '&OF1.31&',
      57: zeros(8),
      65: 'Example',
    },
    ...{
      85: '1',
      105: vatNumber,
      114: 'Example',
      134: '2',
      135: 'OPENFRMT\\77777772.26\\12311200',
      185: '000',
    },
    ...{ 187: zeros(18), 215: 'Example', 363: zeros(4), 367: '2026010120261231', 383: '202612311200' },
    ...{ 395: '01', 397: 'ZIP', 417: 'ILS', 420: '0' },
    ...change,
  });
/** C100 of type 305: 100.00 and 18.00 of VAT. */
const header = (change: Columns = {}): string =>
  placed(444, {
    ...{ 1: 'C100', 14: vatNumber, 23: '305', 26: '1', 46: '202606150907', 58: 'Customer', 253: zeros(17) },
    ...{ 270: amount(0), 288: amount(10_000), 303: amount(0), 318: amount(10_000), 333: amount(1_800) },
    ...{ 348: amount(11_800), 363: `+${zeros(11)}`, 375: 'C1', 401: '20260615', 425: '0000001' },
    ...change,
  });
const line = (change: Columns = {}): string =>
  placed(339, {
    ...{ 1: 'D110', 14: vatNumber, 23: '305', 26: '1', 46: '0001', 50: '000', 73: '0', 94: 'Service' },
    ...{ 204: 'יחידה', 224: '+0000000000010000', 241: amount(10_000), 256: amount(0), 271: amount(10_000) },
    ...{ 286: '1800', 297: '20260615', 305: '0000001' },
    ...change,
  });
const payment = (change: Columns = {}): string =>
  placed(222, {
    ...{ 1: 'D120', 14: vatNumber, 23: '400', 26: '1', 46: '0001', 50: `1${zeros(45)}${zeros(8)}` },
    ...{ 104: amount(59_000), 119: '0', 140: '0', 148: '20260615', 156: '0000001' },
    ...change,
  });
/** C100 of a receipt of 590.00, as note 4 has it. */
const receipt = (change: Columns = {}): string =>
  header({
    ...{ 23: '400', 288: amount(59_000), 318: amount(59_000), 333: amount(0), 348: amount(59_000) },
    ...change,
  });
/** D110 of a receipt that names invoice 305/1. */
const baseLine = (change: Columns = {}): string =>
  line({ 23: '400', 50: '3051', 241: amount(59_000), 271: amount(59_000), 286: '0000', ...change });
const item = (change: Columns = {}): string =>
  placed(298, {
    ...{ 1: 'M100', 14: vatNumber, 63: 'A-1', 83: 'Item', 173: 'יחידה', 193: `+${zeros(11)}`.repeat(3) },
    ...{ 229: zeros(20) },
    ...change,
  });
const check = { 50: `2${'0000000012'}${'0000000600'}${'000000000123456'}${'0000005001'}20260801` };

const hebrewByte = (letter: string) => Buffer.from([0xe0 + (letter.codePointAt(0) ?? 0) - 0x5d0]);
const encoded = (text: string): Buffer =>
  Buffer.concat(
    [...text].map((letter) => (/[א-ת]/.test(letter) ? hebrewByte(letter) : Buffer.from(letter, 'latin1'))),
  );

describe('the check of the uniform structure, on files that were made by hand', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'pinkas-check-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  /** What the check finds in files of these records, which are numbered and counted here. */
  async function findingsOf(records: readonly string[], ini: Columns = {}): Promise<string[]> {
    const folder = join(await mkdtemp(join(home, 'run-')), 'OPENFRMT', '77777772.26', '12311200');
    await mkdir(folder, { recursive: true });
    const opening = placed(95, { 1: 'A100', 14: vatNumber, 23: primaryId, 38: '&OF1.31&' });
    const count = String(records.length + 2).padStart(15, '0');
    const closing = placed(110, { 1: 'Z900', 14: vatNumber, 23: primaryId, 38: '&OF1.31&', 46: count });
    const all = [opening, ...records, closing].map((record, index) => {
      const number = String(index + 1).padStart(9, '0');
      return `${record.slice(0, 4)}${number}${record.slice(13)}`;
    });
    const codes = ['C100', 'D110', 'D120', 'M100'].filter((code) =>
      all.some((record) => record.startsWith(code)),
    );
    const sums = codes.map((code) => {
      const found = all.filter((record) => record.startsWith(code)).length;
      return `${code}${String(found).padStart(15, '0')}`;
    });
    const data = join(folder, 'BKMVDATA.TXT');
    await writeFile(
      join(folder, 'INI.TXT'),
      encoded([iniHeader({ 10: count, ...ini }), ...sums, ''].join('\r\n')),
    );
    await writeFile(data, encoded([...all, ''].join('\r\n')));
    await zipFiles(join(folder, 'BKMVDATA.zip'), [{ path: data, name: 'BKMVDATA.TXT' }], new Date());
    const { findings } = await checkFolder(folder, null, () => {});
    return findings.found.map(
      ({ file, record, field, reason, section }) =>
        `${file === 'INI.TXT' ? 'INI ' : ''}${record} ${field}: ${reason}${section === null ? '' : ` §${section}`}`,
    );
  }

  const blank = (length: number) => ' '.repeat(length);
  it.each<[string, readonly string[], Columns]>([
    ['an invoice', [header(), line()], {}],
    [
      '§2.3 g: amounts without a value that are blank',
      [header({ 270: blank(15), 303: blank(15), 363: blank(12) }), line({ 256: blank(15) })],
      {},
    ],
    [
      '§2.3 g, §2.4 i: exclamation marks in what is optional or reserved',
      [
        header({ 108: '!'.repeat(50), 270: '!'.repeat(15), 400: '!', 432: '!'.repeat(13) }),
        line({ 319: '!'.repeat(21) }),
      ],
      { 5: '!'.repeat(5) },
    ],
    ['§5.5 note 4: a receipt', [receipt(), payment()], {}],
    [
      '§5.5 note 4: a receipt with tax that was withheld, whose payments are 1223',
      [receipt({ 363: '+00000010000' }), payment()],
      {},
    ],
    [
      '§5.5 note 4: a receipt whose zeros are blank',
      [receipt({ 303: blank(15), 333: blank(15) }), payment()],
      {},
    ],
    ['§5.5 note 6: a receipt that is based on an invoice', [receipt(), baseLine(), payment()], {}],
    [
      '§2.4 d: numbers with zeros before them',
      [header({ 26: '00000000000000000001' }), line({ 26: '00000000000000000001' })],
      {},
    ],
    [
      '§2.4 d: numbers of a series',
      [
        header({ 26: 'AA123' }),
        line({ 26: 'AA123' }),
        header({ 26: 'BB7', 425: '0000002' }),
        line({ 26: 'BB7', 305: '0000002' }),
      ],
      {},
    ],
    [
      '§4.3: a count of the stock, which has no customer',
      [header({ 23: '840', 58: blank(50), 375: blank(15) }), line({ 23: '840' })],
      {},
    ],
    ['§4.4: a line whose SKU has no M100', [header(), line({ 74: 'A-1' })], {}],
    ['§4.8: an item of a stock', [item(), header(), line({ 74: 'A-1' })], {}],
    ['§4.5: a check', [receipt(), payment(check)], {}],
    [
      '§4.5: a receipt of nothing, without a payment',
      [receipt({ 288: amount(0), 318: amount(0), 348: amount(0) })],
      {},
    ],
    ['§5.5 note 3: branches', [header({ 409: 'TLV' }), line({ 290: 'TLV' })], { 420: '1' }],
    ['§2.2: the path with the drive', [header(), line()], { 135: 'F:\\OPENFRMT\\77777772.26\\12311200' }],
  ])('%s is allowed', async (_what, records, ini) => {
    expect(await findingsOf(records, ini)).toEqual([]);
  });

  it.each<[string, readonly string[], Columns]>([
    [
      '2 1219: is 0.00, and 1223 of a receipt is the same: 590.00 §5.5 note 4',
      [receipt({ 288: amount(0) }), payment()],
      {},
    ],
    [
      '2 1221: is 500.00, and 1223 of a receipt is the same: 590.00 §5.5 note 4',
      [receipt({ 318: amount(50_000) }), payment()],
      {},
    ],
    [
      '2 1220: is -10.00, and zero in a receipt §5.5 note 4',
      [receipt({ 303: amount(-1_000) }), payment()],
      {},
    ],
    ['2 1222: is 90.00, and zero in a receipt §5.5 note 4', [receipt({ 333: amount(9_000) }), payment()], {}],
    [
      '2 1223: is 590.00, and 1312 of its payments is 490.00 together §5.5 note 4',
      [receipt({ 363: '+00000010000' }), payment({ 104: amount(49_000) })],
      {},
    ],
    [
      '2 1224: is 100.00, and only a receipt has tax that was withheld §4.3',
      [header({ 363: '+00000010000' }), line()],
      {},
    ],
    ['2 1224: is below zero §2.4 l', [receipt({ 363: '-00000010000' }), payment()], {}],
    [
      '2 1219: is 590.00, and 1267 of its lines is 580.00 together §4.3',
      [receipt(), baseLine({ 241: amount(58_000), 271: amount(58_000) }), payment()],
      {},
    ],
    [
      '3 1257: and 1256 are given together or not at all §5.5 note 6',
      [receipt(), baseLine({ 53: blank(20) }), payment()],
      {},
    ],
    ['2 null: has no D120 §4.5', [receipt()], {}],
    [
      '2 null: has no D110 §4.4',
      [header({ 288: amount(0), 318: amount(0), 333: amount(0), 348: amount(0) })],
      {},
    ],
    [
      '2 null: is no receipt, and has a D120 §4.5',
      [header(), line(), payment({ 23: '305', 104: amount(11_800) })],
      {},
    ],
    [
      '3 1307: is zero, and mandatory for a check §4.5',
      [receipt(), payment({ ...check, 51: zeros(10) })],
      {},
    ],
    [
      '3 1310: is zero, and mandatory for a check §4.5',
      [receipt(), payment({ ...check, 86: zeros(10) })],
      {},
    ],
    ['3 1313: is 5, which is none of its codes §4.5', [receipt(), payment({ 50: '3', 119: '5' })], {}],
    ['3 1258: is 4, which is none of its codes §4.4', [header(), line({ 73: '4' })], {}],
    ['2 1213: is "XY", which is no code of a country §2.4 g', [header({ 236: 'XY' }), line()], {}],
    ['2 1218: is "NIS", which is no code of a currency §2.4 f', [header({ 285: 'NIS' }), line()], {}],
    ['2 1207: is mandatory for this type, and blank §4.3', [header({ 58: blank(50) }), line()], {}],
    ['2 1225: is mandatory for this type, and blank §4.3', [header({ 375: '!'.repeat(15) }), line()], {}],
    [
      '2 1204: is "ABCDEF1", which is no number §2.4 d',
      [header({ 26: 'ABCDEF1' }), line({ 26: 'ABCDEF1' })],
      {},
    ],
    [
      '2 1231: is blank, and the business has branches (1034) §5.5 note 3',
      [header(), line({ 290: 'TLV' })],
      { 420: '1' },
    ],
    ['2 1235: is reserved, and not blank §2.4 i', [header({ 432: '!x' }), line()], {}],
    ['3 1264: is mandatory, and blank §2.3 g', [header(), line({ 224: blank(17) })], {}],
    ['2 1459: is mandatory, and blank §2.3 g', [item({ 173: blank(20) }), header(), line()], {}],
    [
      '2 1222: has "+0000000000180x" instead of a sign and digits §2.3 f',
      [header({ 333: '+0000000000180x' }), line()],
      {},
    ],
    ['2 1220: is a negative zero §2.4 k', [header({ 303: `-${zeros(14)}` }), line()], {}],
    ['INI 1 1030: is mandatory, and blank §2.3 g', [header(), line()], { 397: blank(20) }],
    ['INI 1 1032: is mandatory, and blank §2.3 g', [header(), line()], { 417: blank(3) }],
    ['INI 1 1032: is "NIS", which is no code of a currency §2.4 f', [header(), line()], { 417: 'NIS' }],
    ['INI 1 1014: is mandatory in double entry, and neither 1 nor 2 §3.1', [header(), line()], { 185: '2' }],
  ])('%s', async (finding, records, ini) => {
    expect(await findingsOf(records, ini)).toContain(finding);
  });

  it('a gap in a series is found within the series, and not between two of them', async () => {
    const numbered = (number: string, link: string) => [
      header({ 26: number, 425: link }),
      line({ 26: number, 305: link }),
    ];
    const records = [
      ...numbered('A1', '0000001'),
      ...numbered('B9', '0000002'),
      ...numbered('A3', '0000003'),
    ];
    expect(await findingsOf(records)).toEqual(['6 1204: type 305 A has 1 and 3, and lacks 2']);
  });
});
