import { describe, expect, it } from '@jest/globals';
import { groupedIban, isIban, plainIban } from './iban.js';

describe('an IBAN', () => {
  // The examples of the registry of ISO 13616.
  it.each(['IL620108000000099999999', 'GB29NWBK60161331926819', 'DE89370400440532013000'])(
    'an IBAN is %s, whose check digits are right',
    (iban) => {
      expect(isIban(iban)).toBe(true);
    },
  );

  it.each([
    'IL620108000000099999998',
    'IL6201080000000999999990',
    'il620108000000099999999',
    'IL62 0108 0000 0009 9999 999',
    '620108000000099999999',
    '',
  ])('an IBAN is not %p', (text) => {
    expect(isIban(text)).toBe(false);
  });

  it('an IBAN is stored without spaces and printed in groups of four', () => {
    expect(plainIban('il62 0108-0000 0009 9999 999')).toBe('IL620108000000099999999');
    expect(groupedIban('IL620108000000099999999')).toBe('IL62 0108 0000 0009 9999 999');
  });
});
