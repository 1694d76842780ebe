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
    const { after } = request as RequestOf<typeof readBook>;
    const first = after?.type === 'delivery_note' ? 0 : (after?.number ?? 0);
    const entries = book.slice(first, first + 2);
    const next = first + 2 >= book.length ? null : { type: 'donation_receipt', number: first + 2, id: 'x' };
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
      expect.stringMatching(/,refused,,cash,1,2026,10\.00,anonymous,999999999,'=x,,$/),
      expect.stringMatching(/,cancelled,4054,digital,10,2026,20\.00,foreign,888888888,Donor,FR,12AB$/),
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
    expect(calls[0]).toMatchObject({ after: { type: 'delivery_note' }, from: range.from, to: range.to });
    expect(await readFile(join(folder, 'out', 'SHA256SUMS'), 'utf8')).toMatch(
      /^[0-9a-f]{64} {2}donations\.csv$/m,
    );
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
