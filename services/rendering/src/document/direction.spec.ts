import { describe, expect, it } from '@jest/globals';
import { directionOf } from './direction.js';

describe('the direction of a text', () => {
  it.each([
    ['רחוב הרצל 12', 'rtl'],
    ['12 רחוב הרצל', 'rtl'],
    ['(א) Example', 'rtl'],
    ['شارع 5', 'rtl'],
    ['1 Example Street', 'ltr'],
    ['Улица 7, חיפה', 'ltr'],
    ['12/4', undefined],
    ['', undefined],
  ])('is that of its first letter: %s', (text, direction) => {
    expect(directionOf(text)).toBe(direction);
  });
});
