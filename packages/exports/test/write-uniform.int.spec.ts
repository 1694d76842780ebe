import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BookEntry, Business, Call, IssuedDocument } from '@pinkas/contracts';
import { exampleBusiness } from '@pinkas/testkit';
import { describeSoftware, runSummary, typeTotals, type WrittenUniform, writeUniform } from '../src/index.js';
import { exampleEntry } from './example-book.js';

/** Issuing with a book of one page, and a printer of blank pages. */
const systemOf = (entries: readonly BookEntry[]): Call =>
  (async ({ subject }) => {
    switch (subject) {
      case 'rpc.issuing.book_end.get.v1':
        return { position: entries.length, next_issued_at: null };
      case 'rpc.issuing.book.read.v1':
        return { entries, next_after: null };
      default:
        return { pdf: '' };
    }
  }) as Call;

const check = {
  method: 'check',
  amount: 7080,
  date: '2026-06-15',
  reference: null,
  check_number: null,
  check_date: '2026-08-01',
  bank_code: null,
  branch: null,
  account: null,
  card_last_digits: null,
  card_type: null,
} as const;

describe('writeUniform', () => {
  let out: string;
  beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'pinkas-uniform-'));
  });
  afterEach(() => rm(out, { recursive: true, force: true }));

  const written = (
    documents: readonly Partial<IssuedDocument>[],
    change: Partial<Business> = {},
    registration = '99999999',
  ): Promise<WrittenUniform> => {
    const business = exampleBusiness({ tax_id: '777777723', ...change });
    const request = {
      ...({
        business,
        from: '2026-01-01',
        to: '2026-12-31',
        charset: 'iso-8859-8',
        out,
        drive: 'F',
      } as const),
      software: describeSoftware({ registration, vendorTaxId: '', vendorName: '' }, business),
      startedAt: new Date('2026-12-31T08:25:00Z'),
      primaryId: '123456789012345',
    };
    return writeUniform(systemOf(documents.map((document) => exampleEntry(document))), request, () => {});
  };
  const textOf = async ({ folder }: WrittenUniform, name: string) =>
    (await readFile(join(folder, `${name}.html`), 'utf8'))
      .replaceAll(/<style>.*?<\/style>/gs, '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
      .replaceAll(/\s+/g, ' ');

  it('report 5.4 has the heading, the fixed sentence, the path, the range, the counts and the software, in this order', async () => {
    const made = await written([{ number: 1 }, { type: 'receipt', number: 1, payments: [check] }]);
    const text = await textOf(made, 'run-summary');
    const parts = [
      'הפקת קבצים במבנה אחיד עבור:',
      ...['777777723', made.report.business.name],
      'ביצוע ממשק פתוח הסתיים בהצלחה.',
      'F:\\OPENFRMT\\77777772.26\\12311025',
      ...['01012026', '31122026'],
      ...[
        'A100 רשומת פתיחה 1',
        'C100 כותרת מסמך 2',
        'D110 פרטי מסמך 1',
        'D120 פרטי קבלות 1',
        'Z900 רשומת סיום 1',
      ],
      ...['תוכנה: Pinkas', 'מספר תעודת הרישום: אין', '31/12/26', '10:25'],
      // What the product adds stands below.
      'מה שאינו בקבצים',
    ];
    const places = parts.map((part) => text.lastIndexOf(part));
    expect(parts.filter((_, index) => (places[index] ?? -1) < 0)).toEqual([]);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    // The path is that of the folder, which is below any folder of this machine.
    expect(made.folder).toBe(join(out, 'OPENFRMT', '77777772.26', '12311025'));
    // A check without its bank, branch, account and number.
    expect(text).toContain('1307 מספר הבנק שדה חובה שאין לו ערך בספר 1 400/1');
  });

  it('report 2.6 has a row for each of the 27 types, with zeros where there is none', async () => {
    const made = await written([{ number: 1 }, { number: 2 }, { type: 'proforma', number: 1 }]);
    const [table] = typeTotals(made.report).tables;
    expect(table?.rows).toHaveLength(28);
    expect(table?.rows.filter(([, , count]) => count !== '0')).toEqual([
      ['300', 'חשבונית/חשבונית עסקה', '1', '7,080.00'],
      ['305', 'חשבונית מס', '2', '14,160.00'],
      ['סך הכול', '', '3', ''],
    ]);
    expect(table?.rows[8]).toEqual(['330', 'חשבונית מס זיכוי', '0', '0.00']);
    expect(await textOf(made, 'totals-by-type')).toContain('910 דוח ייצור-יציאה 0 0.00');
  });

  it('the report of a run is JSON: what is stored of it shows the same', async () => {
    const { report } = await written([{ number: 1 }]);
    expect(runSummary(JSON.parse(JSON.stringify(report)))).toEqual(runSummary(report));
  });

  it.each([
    ['514713288', '514713288'],
    // An amuta and a cooperative society are of other registers.
    ['580000008', '000000000'],
    ['570000000', '000000000'],
    ['777777723', '000000000'],
  ])('the number of the register of companies of %s is %s', async (tax_id, expected) => {
    const { folder } = await written([], { tax_id });
    expect((await readFile(join(folder, 'INI.TXT'), 'latin1')).slice(186, 195)).toBe(expected);
  });

  it.each([
    ['99999999', '00000000', 'אין'],
    ['123456', '00123456', '123456'],
  ])('the number %s of the software is %s in INI.TXT', async (registration, written1006, shown) => {
    const made = await written([], {}, registration);
    expect((await readFile(join(made.folder, 'INI.TXT'), 'latin1')).slice(56, 64)).toBe(written1006);
    expect(runSummary(made.report).closing).toContain(`מספר תעודת הרישום: ${shown},`);
  });
});
