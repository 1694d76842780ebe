import { describe, expect, it } from '@jest/globals';
import { cashToState } from './cash-rounding.js';

const cash = (amount: number) => ({ method: 'cash', amount }) as const;
const card = (amount: number) => ({ method: 'credit_card', amount }) as const;

describe('cashToState', () => {
  it.each([
    ['cash that was rounded up', [cash(100)], 9996n, 9996n],
    ['cash that was rounded down', [cash(99.9)], 9995n, 9995n],
    ['cash besides a card', [card(50), cash(50)], 9996n, 4996n],
    ['cash that is right', [cash(99.96)], 9996n, null],
    ['cash that is off by more than it is rounded by', [cash(100)], 9994n, null],
    ['two cash payments', [cash(50), cash(50)], 9996n, null],
    ['no cash', [card(100)], 9996n, null],
    ['cash of which nothing would be left', [card(99.96), cash(0.02)], 9996n, null],
  ] as const)('the cash to state is decided for %s', (_what, payments, total, expected) => {
    expect(cashToState(payments, total)).toBe(expected);
  });
});
