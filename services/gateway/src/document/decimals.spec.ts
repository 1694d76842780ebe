import { describe, expect, it } from '@jest/globals';
import { decimalsOf } from './decimals.js';

describe('the decimals of a number', () => {
  it.each([
    [1, 0],
    [1.1, 1],
    [1.005, 3],
    [0.1 + 0.2, 17],
    [1e-7, 7],
    [1.5e-7, 8],
    [1e21, 0],
    [1.25e21, 0],
    [-0.25, 2],
    [100_000_000, 0],
  ])('of %p are %p', (value, decimals) => expect(decimalsOf(value)).toBe(decimals));
});
