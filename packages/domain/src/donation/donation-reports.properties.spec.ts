import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromShekels, sum } from '../money/agorot.js';
import { paymentMethods } from '../payment-methods.js';
import { type DonatedPayment, donationMeansCodes, donationReports } from './donation-reports.js';

const day = fc
  .tuple(
    fc.integer({ min: 2024, max: 2029 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join('-'));

const drawnPayment: fc.Arbitrary<DonatedPayment> = fc
  .record({
    method: fc.constantFrom(...paymentMethods),
    agorot: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 10_000_000_000 })),
    date: day,
    check_date: fc.option(day),
    card_last_digits: fc.option(fc.constantFrom('0001', '1234', '9999')),
  })
  .map(({ method, agorot, date, check_date, card_last_digits }) => ({
    method,
    amount: agorot / 100,
    date,
    check_date: method === 'check' ? check_date : null,
    card_last_digits: method === 'credit_card' ? card_last_digits : null,
  }));

/** A receipt whose payments miss the total by an agora at most, as issuing lets them. */
const drawnReceipt = fc
  .record({
    date: day,
    payments: fc.array(drawnPayment, { minLength: 1, maxLength: 20 }),
    missed: fc.constantFrom(-1, 0, 1),
  })
  .map(({ date, payments, missed }) => {
    const paid = sum(payments.map(({ amount }) => fromShekels(amount)));
    return { date, payments, totals: { total: Math.max(0, Number(paid) + missed) / 100 } };
  });

describe('donationReports', () => {
  it('the reports of any receipt have its total as their sum, to the agora, and each a positive amount', () => {
    fc.assert(
      fc.property(drawnReceipt, (receipt) => {
        const reports = donationReports(receipt);
        expect(sum(reports.map(({ amount }) => amount))).toBe(fromShekels(receipt.totals.total));
        expect(reports.every(({ amount }) => amount > 0n)).toBe(true);
        expect(reports.map(({ index }) => index)).toEqual(reports.map((_, position) => position + 1));
      }),
    );
  });

  it('each report has one means, one card and one tax year, and no two reports have the same', () => {
    fc.assert(
      fc.property(drawnReceipt, (receipt) => {
        const reports = donationReports(receipt);
        for (const { means, cardLastDigits, taxYear, payments } of reports) {
          const wallets = payments.filter(({ method }) => method.startsWith('wallet_method_'));
          expect(wallets.length).toBe(means === 'digital' ? payments.length : 0);
          expect(new Set(payments.map(({ method }) => method)).size === 1 || means === 'digital').toBe(true);
          expect(new Set(payments.map(({ card_last_digits }) => card_last_digits))).toEqual(
            new Set([cardLastDigits]),
          );
          const received = Number(receipt.date.slice(0, 4));
          for (const { check_date, date } of payments) {
            const due = Number((check_date ?? date).slice(0, 4));
            expect(taxYear).toBe(means === 'check' ? Math.max(received, due) : received);
          }
          expect(donationMeansCodes[means]).toBeGreaterThan(0);
        }
        const keys = reports.map(({ means, cardLastDigits, taxYear }) =>
          [means, cardLastDigits, taxYear].join(),
        );
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  it('every payment is in one report, but for those of an amount that the rounding leaves nothing of', () => {
    fc.assert(
      fc.property(drawnReceipt, (receipt) => {
        const reported = donationReports(receipt).flatMap(({ payments }) => payments);
        const left = receipt.payments.filter((payment) => !reported.includes(payment));
        expect(reported.length + left.length).toBe(receipt.payments.length);
        expect(sum(left.map(({ amount }) => fromShekels(amount)))).toBeLessThanOrEqual(1n);
      }),
    );
  });
});
