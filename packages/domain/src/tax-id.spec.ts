import { describe, expect, it } from '@jest/globals';
import { hasValidCheckDigit, normaliseTaxId, registryOf } from './tax-id.js';

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

describe('registryOf', () => {
  it.each([
    ['514713288', 'company'],
    ['570000018', 'cooperative'],
    ['580123453', 'amuta'],
    ['540000007', null],
    ['039337423', null],
    ['514713289', null],
    ['51471', null],
  ])(
    'the prefix of %s names the register %s, where it is certain and the number valid',
    (taxId, registry) => {
      expect(registryOf(taxId)).toBe(registry);
    },
  );
});
