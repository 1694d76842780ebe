import { describe, expect, it } from '@jest/globals';
import { lacksDonationReport } from '../test-mode/provoked-donation.js';
import { type DonatedBusiness, decideDonation, isApprovedOn } from './donation-decision.js';
import {
  type DonatedPayment,
  donationReports,
  donorOf,
  joinNumbers,
  splitNumbers,
} from './donation-reports.js';

const liveBook = '3f0c2b5e-6d0a-4c57-9a41-0d6c7b8e9f10';
const institution: DonatedBusiness = {
  legal_type: 'amuta',
  tax_id: '580000008',
  tax_authority_connected: true,
  donation_approval: { valid_until: '2026-12-31' },
};
const receipt = {
  business_id: liveBook,
  type: 'donation_receipt' as const,
  date: '2026-03-01',
  items: [{ sku: null }],
  totals: { total: 100 },
};

describe('decideDonation', () => {
  it.each(['amuta', 'public_institution'] as const)(
    'decideDonation requires a report of the receipt of an approved and connected %s',
    (legal_type) =>
      expect(decideDonation(receipt, { ...institution, legal_type })).toEqual({ required: true }),
  );

  it.each([
    ['another type', { type: 'receipt' as const }, {}, 'no donation receipt'],
    ['a date before the law', { date: '2025-12-31' }, {}, '2026-01-01'],
    ['a company', {}, { legal_type: 'hevra_baam' as const }, 'neither an NPO'],
    ['an institution without an approval', {}, { donation_approval: undefined }, 'section 46'],
    ['an approval that has ended', { date: '2027-01-01' }, {}, 'section 46'],
    ['no tax id', {}, { tax_id: null }, 'no tax id'],
    ['no connection', {}, { tax_authority_connected: false }, 'not connected'],
    ['an amount of zero', { totals: { total: 0 } }, {}, 'no amount'],
  ])(
    'decideDonation requires no report with %s, and gives the reason',
    (_what, document, business, reason) => {
      expect(decideDonation({ ...receipt, ...document }, { ...institution, ...business })).toEqual({
        required: false,
        reason: expect.stringContaining(reason),
      });
    },
  );

  it('an approval holds up to and on its last day, and one without an end always', () => {
    expect(isApprovedOn(institution, '2026-12-31')).toBe(true);
    expect(isApprovedOn(institution, '2027-01-01')).toBe(false);
    expect(isApprovedOn({ donation_approval: { valid_until: null } }, '2050-01-01')).toBe(true);
    expect(isApprovedOn({}, '2026-01-01')).toBe(false);
  });

  it('a receipt of an approved institution that is not connected lacks its report', () => {
    expect(lacksDonationReport(receipt, { ...institution, tax_authority_connected: false })).toBe(true);
    expect(lacksDonationReport(receipt, institution)).toBe(false);
    expect(lacksDonationReport({ ...receipt, date: '2025-06-01' }, institution)).toBe(false);
    expect(lacksDonationReport(receipt, { ...institution, donation_approval: undefined })).toBe(false);
  });
});

const payment = (change: Partial<DonatedPayment>): DonatedPayment => ({
  method: 'cash',
  amount: 10,
  date: '2026-12-20',
  check_date: null,
  card_last_digits: null,
  ...change,
});
const reportsOf = (payments: readonly DonatedPayment[], total: number) =>
  donationReports({ date: '2026-12-20', payments, totals: { total } }).map(
    ({ index, means, taxYear, amount, payments: own }) => [index, means, taxYear, amount, own.length],
  );

describe('donationReports', () => {
  it('payments by one means are one report, in the order of their first payment', () => {
    const payments = [
      payment({ method: 'bank_transfer', amount: 50 }),
      payment({ amount: 1 }),
      payment({ method: 'wallet_method_1', amount: 3 }),
      payment({ amount: 2 }),
      payment({ method: 'wallet_method_5', amount: 4 }),
    ];
    expect(reportsOf(payments, 60)).toEqual([
      [1, 'bank_transfer', 2026, 5_000n, 1],
      [2, 'cash', 2026, 300n, 2],
      [3, 'digital', 2026, 700n, 2],
    ]);
  });

  it('two cards are two reports, since a report names the last digits of one', () => {
    const card = (card_last_digits: string | null) => payment({ method: 'credit_card', card_last_digits });
    expect(reportsOf([card('1111'), card('2222'), card('1111'), card(null)], 40)).toEqual([
      [1, 'credit_card', 2026, 2_000n, 2],
      [2, 'credit_card', 2026, 1_000n, 1],
      [3, 'credit_card', 2026, 1_000n, 1],
    ]);
  });

  it('a report has the checks that are due in one tax year, which is not before that of their receipt', () => {
    const check = (check_date: string | null) => payment({ method: 'check', check_date });
    expect(
      reportsOf(
        [check('2026-12-25'), check('2027-01-25'), check(null), check('2025-11-01'), check('2027-02-25')],
        50,
      ),
    ).toEqual([
      [1, 'check', 2026, 3_000n, 3],
      [2, 'check', 2027, 2_000n, 2],
    ]);
  });

  it('the agora by which payments may miss the total goes to the largest amount that is no sum of checks', () => {
    const payments = [
      payment({ method: 'check', amount: 100 }),
      payment({ amount: 2 }),
      payment({ method: 'bank_transfer', amount: 5 }),
    ];
    expect(reportsOf(payments, 107.01).map(([, , , amount]) => amount)).toEqual([10_000n, 200n, 501n]);
    expect(reportsOf([payment({ method: 'check', amount: 5 })], 4.99)).toEqual([[1, 'check', 2026, 499n, 1]]);
  });
});

describe('donorOf', () => {
  it('a donor is known by an id of nine digits, as anonymous, or as a foreign resident', () => {
    expect(donorOf({ customer: { tax_id: '39337423' } })).toEqual({ kind: 'identified', id: '039337423' });
    expect(donorOf({ customer: { tax_id: null } })).toEqual({ kind: 'anonymous', id: '999999999' });
    expect(donorOf({ customer: { tax_id: null }, foreign_donor: { country: 'US' } })).toEqual({
      kind: 'foreign',
      id: '888888888',
    });
  });
});

describe('joinNumbers', () => {
  it('the printed numbers of a receipt are split again into those of its reports', () => {
    expect(splitNumbers(joinNumbers(['123', 'A-4']))).toEqual(['123', 'A-4']);
    expect(joinNumbers(['123'])).toBe('123');
  });
});
