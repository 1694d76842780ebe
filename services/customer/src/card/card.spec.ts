import { describe, expect, it } from '@jest/globals';
import { nameKey, snapshotOf, taxIdIn } from './card.js';

describe('two names are the same customer', () => {
  it.each([
    ['whatever the letter case', 'Example Ltd', 'EXAMPLE ltd'],
    ['whatever white space stands around and between the words', '  Example\u00a0 \tLtd ', 'Example Ltd'],
    ['whether letters are composed or decomposed', 'Caf\u00e9', 'Cafe\u0301'],
    ['with a sharp s and with two', 'Straße', 'STRASSE'],
    ['in Hebrew with folded spaces', 'לקוח   לדוגמה', 'לקוח לדוגמה'],
  ])('%s', (_case, one, other) => {
    expect(nameKey(one)).toBe(nameKey(other));
  });

  it('only if every letter is the same', () => {
    expect(nameKey('Example Ltd')).not.toBe(nameKey('Example Ltd.'));
  });
});

describe('a search text', () => {
  it.each([
    ['12344', '000012344'],
    ['000012344', '000012344'],
    ['777777715', '777777715'],
  ])('%s may be the tax id %s', (text, taxId) => {
    expect(taxIdIn(text)).toBe(taxId);
  });

  it.each(['', '0000012344', '12 344', '12344a', '\u0661\u0662'])('%j may be no tax id', (text) => {
    expect(taxIdIn(text)).toBeNull();
  });
});

describe('the snapshot', () => {
  const card = {
    id: '4b0b9e0e-1f43-4d55-8d4c-000000000001',
    name: 'Example Ltd',
    tax_id: '000012344',
    legal_type: 'hevra_baam',
    email: 'card@example.com',
    phone: null,
    address: 'Card Street 1',
    city: null,
  } as const;

  it('takes what the request said, and from the card what it did not say', () => {
    expect(
      snapshotOf(card, { name: 'EXAMPLE ltd', tax_id: '12344', email: 'new@example.com', city: 'Haifa' }),
    ).toEqual({
      ...card,
      name: 'EXAMPLE ltd',
      tax_id: '12344',
      email: 'new@example.com',
      city: 'Haifa',
    });
  });

  it('ignores a name beside an id', () => {
    expect(snapshotOf(card, { id: card.id, name: 'Another' }).name).toBe('Example Ltd');
  });

  it('takes a text of white space only as not said', () => {
    expect(snapshotOf(card, { name: 'Example Ltd', address: '   ', city: ' ' })).toMatchObject({
      address: 'Card Street 1',
      city: null,
    });
  });
});
