import { describe, expect, it } from '@jest/globals';
import {
  formatDate,
  formatInstantDay,
  formatInstantTime,
  formatMoney,
  formatPercent,
  formatQuantity,
  shekels,
} from './figures.js';

describe('figures', () => {
  it('formatMoney writes two decimals and separates thousands', () => {
    expect([0, 0.1, 1234.5, 999_999_999_999.99, -150].map(formatMoney)).toEqual([
      '0.00',
      '0.10',
      '1,234.50',
      '999,999,999,999.99',
      '-150.00',
    ]);
  });

  it('formatQuantity writes the decimals that a quantity has', () => {
    expect([1, 0.0001, 1000000, 2.5].map(formatQuantity)).toEqual(['1', '0.0001', '1,000,000', '2.5']);
  });

  it('formatPercent writes no needless decimals', () => {
    expect([0, 18, 17.5, 33.33].map(formatPercent)).toEqual(['0%', '18%', '17.5%', '33.33%']);
  });

  it('days are written as each language writes them, those of instants as they are in Israel', () => {
    expect(formatDate('2026-03-08', 'he')).toBe('08/03/2026');
    expect(formatDate('2026-03-08', 'en')).toBe('8 Mar 2026');
    expect(formatDate('2026-11-22', 'en')).toBe('22 Nov 2026');
    expect(formatInstantDay('2026-03-09T22:30:00Z', 'he')).toBe('10/03/2026');
    expect(formatInstantDay('2026-07-09T21:30:00Z', 'en')).toBe('10 Jul 2026');
  });

  it('times of day are written as they are in Israel, in winter and in summer', () => {
    expect(formatInstantTime('2026-03-09T22:30:00Z')).toBe('00:30');
    expect(formatInstantTime('2026-07-09T21:05:59Z')).toBe('00:05');
  });

  it('shekels puts the sign where each language writes it', () => {
    expect(shekels(1234.5, 'he').text).toBe('<bdi dir="ltr">1,234.50</bdi> ₪');
    expect(shekels(-1234.5, 'en').text).toBe('<bdi dir="ltr">-₪1,234.50</bdi>');
  });
});
