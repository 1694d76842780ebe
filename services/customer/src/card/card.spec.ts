import { describe, expect, it } from '@jest/globals';
import { parseTaxId, snapshotOf } from './card.js';

describe('parseTaxId', () => {
  it.each([
    ['12344', '000012344'],
    ['000012344', '000012344'],
    ['777777715', '777777715'],
  ])('parseTaxId reads %s as %s', (text, taxId) => {
    expect(parseTaxId(text)).toBe(taxId);
  });

  it.each(['', '0000012344', '12 344', '12344a', '\u0661\u0662'])('parseTaxId rejects %j', (text) => {
    expect(parseTaxId(text)).toBeNull();
  });
});

describe('snapshotOf', () => {
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

  it('snapshotOf prefers the request and fills the rest from the card', () => {
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

  it('snapshotOf ignores a name beside an id', () => {
    expect(snapshotOf(card, { id: card.id, name: 'Another' }).name).toBe('Example Ltd');
  });

  it('snapshotOf treats blank text as absent', () => {
    expect(snapshotOf(card, { name: 'Example Ltd', address: '   ', city: ' ' })).toMatchObject({
      address: 'Card Street 1',
      city: null,
    });
  });
});
