import { describe, expect, it } from '@jest/globals';
import { normaliseAddress, parseAddress, parseEmailAddress, parsePhoneNumber } from './address.js';

describe('parsePhoneNumber', () => {
  it.each([
    ['050-1234567', '+972501234567'],
    ['050 123 4567', '+972501234567'],
    ['0501234567', '+972501234567'],
    ['077-1234567', '+972771234567'],
    ['02-1234567', '+97221234567'],
    ['03-0000000', '+97230000000'],
    ['+972-50-1234567', '+972501234567'],
    ['+972 (0)50 1234567', '+972501234567'],
    ['+44 7911 123456', '+447911123456'],
    ['+1 212 555 0100', '+12125550100'],
  ])('parsePhoneNumber reads %s as %s', (text, number) => expect(parsePhoneNumber(text)).toBe(number));

  it.each([
    '',
    '1234567',
    '501234567',
    '972501234567',
    '0501234',
    '050123456789012',
    '+1 555-555-5555',
    '+999 1234567',
    '050-1234567 ext 5',
    '--------',
    '0',
    '+',
  ])('parsePhoneNumber rejects %p', (text) => expect(parsePhoneNumber(text)).toBeNull());
});

describe('parseEmailAddress', () => {
  it('parseEmailAddress converts the domain to ASCII and keeps the local part', () => {
    expect(parseEmailAddress('Customer@Example.COM')).toBe('Customer@example.com');
    expect(parseEmailAddress('customer@דוגמה.example')).toBe('customer@xn--6dbbec0c.example');
    expect(parseEmailAddress('לקוח@example.com')).toBe('לקוח@example.com');
  });

  it.each([
    '',
    'customer',
    '@example.com',
    'customer@',
    'a b@example.com',
    'a@b@example.com',
    'a@exa mple.com',
    '<a@example.com>',
  ])('parseEmailAddress rejects %p', (text) => expect(parseEmailAddress(text)).toBeNull());

  it('normaliseAddress folds the letter case of an email address', () => {
    expect(normaliseAddress('email', 'Customer@Example.COM')).toBe('customer@example.com');
  });
});

describe('parseAddress', () => {
  it('parseAddress recognizes the channel of an address', () => {
    expect(parseAddress(' Customer@Example.com ')).toEqual({
      channel: 'email',
      address: 'customer@example.com',
    });
    expect(parseAddress('050-1234567')).toEqual({ channel: 'whatsapp', address: '+972501234567' });
    expect(parseAddress('customer')).toBeNull();
    expect(parseAddress('a b@example.com')).toBeNull();
  });
});
