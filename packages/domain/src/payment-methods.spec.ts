import { describe, expect, it } from '@jest/globals';
import { isPaymentMethod, misplacedPaymentFields, paymentMethods } from './payment-methods.js';

const everyField = {
  reference: 'a',
  check_number: 'b',
  check_date: '2026-06-15',
  bank_code: 12,
  branch: 'c',
  account: 'd',
  card_last_digits: '1234',
  card_type: 'e',
};
const checkFields = ['check_number', 'check_date', 'bank_code', 'branch', 'account'];
const cardFields = ['card_last_digits', 'card_type'];

describe('misplacedPaymentFields', () => {
  it.each([
    ['cash', ['reference', ...checkFields, ...cardFields]],
    ['check', ['reference', ...cardFields]],
    ['credit_card', ['reference', ...checkFields]],
    ['bank_transfer', [...checkFields, ...cardFields]],
    ['wallet_method_3', [...checkFields, ...cardFields]],
  ] as const)('a payment by %s does not take %j', (method, misplaced) => {
    expect(misplacedPaymentFields(method, everyField)).toEqual(misplaced);
    expect(misplacedPaymentFields(method, {})).toEqual([]);
  });
});

describe('isPaymentMethod', () => {
  it('isPaymentMethod accepts every means of payment and nothing else', () => {
    for (const method of paymentMethods) {
      expect(isPaymentMethod(method)).toBe(true);
    }
    for (const other of ['bitcoin', '', undefined, 1]) {
      expect(isPaymentMethod(other)).toBe(false);
    }
  });
});
