import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  BookEntry,
  Call,
  DonationOutcome,
  IssuedDocument,
  RequestOf,
  readBook,
} from '@pinkas/contracts';
import { fromShekels, paymentMethods, sum, toShekels } from '@pinkas/domain';
import { exampleDocument } from '@pinkas/testkit';
import fc from 'fast-check';
import { donationLines, writeDonations } from '../src/index.js';

const payment = (amount: number, change: Partial<IssuedDocument['payments'][number]> = {}) => ({
  method: 'cash' as const,
  amount,
  date: '2026-03-01',
  reference: null,
  check_number: null,
  check_date: null,
  bank_code: null,
  branch: null,
  account: null,
  card_last_digits: null,
  card_type: null,
  ...change,
});

const entryOf = (change: Partial<IssuedDocument>, donation?: DonationOutcome): BookEntry => {
  const payments = change.payments ?? [];
  const total = toShekels(sum(payments.map(({ amount }) => fromShekels(amount))));
  return {
    document: exampleDocument({
      type: 'donation_receipt',
      date: '2026-03-01',
      totals: { subtotal: total, discount: 0, vat: 0, vat_rate: 0, total, currency: 'ILS' },
      ...change,
    }),
    state: {
      status: 'closed',
      paid: total,
      allocation_number: null,
      cancelled_at: null,
      ...(donation && { donation }),
    },
    allocation: null,
    delivery: { status: 'disabled', channel: null, scheduled_for: null },
    artifact_sha256: 'ab'.repeat(32),
    hash: 'cd'.repeat(32),
    series_position: 1,
    source: null,
    received: 0,
    invoiced: false,
    credited: null,
  };
};

/** A book, two documents a page. */
const systemOf = (book: readonly BookEntry[], calls: unknown[] = []): Call =>
  (async (_contract, request) => {
    calls.push(request);
    const { after, from = '', to = '9' } = request as RequestOf<typeof readBook>;
    const dated = book.filter(({ document: { date } }) => date >= from && date <= to);
    const first = after?.type === 'delivery_note' ? 0 : (after?.number ?? 0);
    const entries = dated.slice(first, first + 2);
    const next = first + 2 >= dated.length ? null : { type: 'donation_receipt', number: first + 2, id: 'x' };
    return { entries, next_after: next };
  }) as Call;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pinkas-donations-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const range = { businessId: '3f0c2b5e-6d0a-4c57-9a41-0d6c7b8e9f10', from: '2026-01-01', to: '2026-12-31' };
const linesOf = async (name: string) =>
  (await readFile(join(folder, 'out', name), 'utf8')).replace('\ufeff', '').trimEnd().split('\r\n');
const { customer } = exampleDocument();

const book = [
  entryOf(
    {
      number: 1,
      payments: [
        payment(100),
        payment(50, { method: 'check', check_date: '2026-05-01' }),
        payment(25.5, { method: 'check', check_date: '2027-01-01' }),
      ],
    },
    { status: 'reported', number: '4051, 4052, 4053', reason: null },
  ),
  entryOf(
    {
      number: 2,
      date: '2026-04-02',
      payments: [payment(10)],
      customer: { ...customer, tax_id: null, name: '=x' },
    },
    { status: 'refused', number: null, reason: 'x' },
  ),
  entryOf(
    {
      number: 3,
      date: '2026-04-03',
      payments: [payment(20, { method: 'wallet_method_1' })],
      customer: { ...customer, tax_id: null, name: 'Donor' },
      foreign_donor: { country: 'FR', passport: '12AB' },
    },
    { status: 'cancelled', number: '4054', reason: 'x' },
  ),
  { ...entryOf({ number: 4, payments: [payment(1)] }), document: exampleDocument({ type: 'order' }) },
];

describe('writeDonations', () => {
  it('a line is written for each report, with its number, and sums by month and means and by donor and tax year', async () => {
    const calls: unknown[] = [];
    const { files, sums } = await writeDonations(
      systemOf(book, calls),
      { ...range, folder: join(folder, 'out') },
      () => {},
    );
    expect(files).toEqual(['donations.csv', 'months.csv', 'donors.csv']);
    const donor = customer.tax_id;
    expect((await linesOf('donations.csv')).slice(1)).toEqual([
      expect.stringMatching(
        new RegExp(`^1,2026-03-01,[0-9a-f-]{36},reported,4051,cash,1,2026,100.00,identified,${donor},`),
      ),
      expect.stringContaining(',reported,4052,check,2,2026,50.00,'),
      expect.stringContaining(',reported,4053,check,2,2027,25.50,'),
      expect.stringMatching(/,refused,,cash,1,2026,10\.00,anonymous,999999999,'=x,,,receipt$/),
      expect.stringMatching(
        /,cancelled,4054,digital,10,2026,20\.00,foreign,888888888,Donor,FR,12AB,receipt$/,
      ),
    ]);
    expect(await linesOf('months.csv')).toEqual([
      'month,means,reports,amount,reported',
      '2026-03,cash,1,100.00,100.00',
      '2026-03,check,2,75.50,75.50',
      '2026-04,cash,1,10.00,0.00',
      '2026-04,digital,1,20.00,0.00',
    ]);
    expect((await linesOf('donors.csv')).slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^2026,identified,${donor},.*,,,2,150.00,150.00$`)),
      expect.stringMatching(new RegExp(`^2027,identified,${donor},.*,,,1,25.50,25.50$`)),
      '2026,anonymous,999999999,,,,1,10.00,0.00',
      '2026,foreign,888888888,Donor,FR,12AB,1,20.00,0.00',
    ]);
    expect(sums.book).toEqual({ receipts: 3, total: 20_550n });
    expect(sums.total.amount).toBe(20_550n);
    expect(calls).toMatchObject([
      { after: { type: 'delivery_note' }, from: '0001-01-01', to: '2025-12-31' },
      { after: { type: 'delivery_note' }, from: range.from, to: range.to },
      { after: { number: 2 }, from: range.from, to: range.to },
    ]);
    expect(await readFile(join(folder, 'out', 'SHA256SUMS'), 'utf8')).toMatch(
      /^[0-9a-f]{64} {2}donations\.csv$/m,
    );
  });

  it('a check of a later year is in the lists of its tax year as well, marked, and in no sum of the receipts', async () => {
    const next = { ...range, from: '2027-01-01', to: '2027-12-31' };
    const checks = (...dates: string[]) =>
      dates.map((check_date) => payment(10, { method: 'check', check_date }));
    const reported = { status: 'reported', reason: null } as const;
    const years = [
      ...book.slice(0, 3),
      entryOf(
        { number: 4, date: '2026-12-30', payments: checks('2027-06-01', '2027-03-01', '2028-01-01') },
        { ...reported, number: '4055, 4056' },
      ),
      entryOf({ number: 5, date: '2027-02-01', payments: [payment(5)] }, { ...reported, number: '4057' }),
    ];
    const { sums } = await writeDonations(
      systemOf(years),
      { ...next, folder: join(folder, 'out') },
      () => {},
    );
    expect((await linesOf('donations.csv')).slice(1)).toEqual([
      expect.stringMatching(/^1,2026-03-01,.*,reported,4053,check,2,2027,25\.50,.*,check_date$/),
      expect.stringMatching(/^4,2026-12-30,.*,reported,4055,check,2,2027,20\.00,.*,check_date$/),
      expect.stringMatching(/^5,2027-02-01,.*,reported,4057,cash,1,2027,5\.00,.*,receipt$/),
    ]);
    expect(await linesOf('months.csv')).toEqual([
      'month,means,reports,amount,reported',
      '2026-03,check,1,25.50,25.50',
      '2026-12,check,1,20.00,20.00',
      '2027-02,cash,1,5.00,5.00',
    ]);
    expect((await linesOf('donors.csv')).slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^2027,identified,${customer.tax_id},.*,,,3,50.50,50.50$`)),
    ]);
    expect([sums.book, sums.total.amount]).toEqual([{ receipts: 1, total: 500n }, 500n]);
    expect(sums.carried).toEqual({ lines: 2, amount: 4_550n, reported: 4_550n });
    // A part of the year has the checks of which the first is due in it.
    const part = { ...next, from: '2027-03-02', folder: join(folder, 'part') };
    expect((await writeDonations(systemOf(years), part, () => {})).sums.carried.lines).toBe(0);
  });

  it('a folder that has something is refused', async () => {
    await writeFile(join(folder, 'x'), '');
    await expect(writeDonations(systemOf([]), { ...range, folder }, () => {})).rejects.toMatchObject({
      reason: 'folder_taken',
    });
  });

  it('the lines of any receipts agree with their totals, to the agora', () => {
    const drawn = fc.array(
      fc.record({
        method: fc.constantFrom(...paymentMethods),
        agorot: fc.integer({ min: 1, max: 10_000_000_000 }),
        year: fc.integer({ min: 2025, max: 2028 }),
      }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(drawn, (payments) => {
        const entry = entryOf({
          payments: payments.map(({ method, agorot, year }) =>
            payment(agorot / 100, { method, check_date: method === 'check' ? `${year}-06-01` : null }),
          ),
        });
        expect(sum(donationLines(entry).map(({ amount }) => amount))).toBe(
          fromShekels(entry.document.totals.total),
        );
      }),
    );
  });
});
