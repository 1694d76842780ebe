import { describe, expect, it } from '@jest/globals';
import { hasValidCheckDigit, normaliseTaxId } from './tax-id.js';

describe('hasValidCheckDigit', () => {
  it.each(['777777715', '514713288', '039337423', '999999998', '18', '12344', '123455'])(
    'the tax id %s is valid',
    (taxId) => {
      expect(hasValidCheckDigit(taxId)).toBe(true);
    },
  );

  it.each([
    '777777716',
    '123456789',
    '012345678',
    '888888888',
    '000000000',
    '12345',
    '',
    '5147132881',
    '51471328a',
  ])('the tax id %s is invalid', (taxId) => {
    expect(hasValidCheckDigit(taxId)).toBe(false);
  });

  it('the check digit is the same with and without leading zeros', () => {
    expect(normaliseTaxId('18')).toBe('000000018');
    expect(hasValidCheckDigit('000000018')).toBe(true);
  });
});
