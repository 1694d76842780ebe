import { describe, expect, it } from '@jest/globals';
import { mailAddress, normalAddress, phoneNumber, readAddress } from './address.js';

describe('a phone number', () => {
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
  ])('written %s is %s', (text, number) => expect(phoneNumber(text)).toBe(number));

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
  ])('written %p is none', (text) => expect(phoneNumber(text)).toBeNull());
});

describe('a mail address', () => {
  it('has its domain in ASCII, and keeps what stands before the @', () => {
    expect(mailAddress('Customer@Example.COM')).toBe('Customer@example.com');
    expect(mailAddress('customer@דוגמה.example')).toBe('customer@xn--6dbbec0c.example');
    expect(mailAddress('לקוח@example.com')).toBe('לקוח@example.com');
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
  ])('written %p is none', (text) => expect(mailAddress(text)).toBeNull());

  it('is one and the same in whatever letter case', () => {
    expect(normalAddress('email', 'Customer@Example.COM')).toBe('customer@example.com');
  });
});

describe('an address that a person writes', () => {
  it('says by itself what it is reached by', () => {
    expect(readAddress(' Customer@Example.com ')).toEqual({
      channel: 'email',
      address: 'customer@example.com',
    });
    expect(readAddress('050-1234567')).toEqual({ channel: 'whatsapp', address: '+972501234567' });
    expect(readAddress('customer')).toBeNull();
    expect(readAddress('a b@example.com')).toBeNull();
  });
});
