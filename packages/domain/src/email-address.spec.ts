import { describe, expect, it } from '@jest/globals';
import { normaliseEmailAddress, parseEmailAddress } from './email-address.js';

describe('an email address', () => {
  it('the domain of an address is written in ASCII, its local part as given', () => {
    expect(parseEmailAddress(' Customer@דוגמה.Example ')).toBe('Customer@xn--6dbbec0c.example');
  });

  it('the normalised form of an address has no capitals', () => {
    expect(normaliseEmailAddress('Customer@Shop.EXAMPLE')).toBe('customer@shop.example');
  });

  it.each([
    '',
    'customer',
    'a@b@c.example',
    'a b@c.example',
    '<a@c.example>',
    'a@',
    'a@c/d',
    'a@c:25',
    'a@[::1]',
  ])('%j is no address', (text) => expect(normaliseEmailAddress(text)).toBeNull());
});
