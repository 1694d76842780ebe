import { describe, expect, it } from '@jest/globals';
import { parseEmailAddress } from '@pinkas/domain';
import { normaliseAddress, parseAddress, parseRecipient } from './address.js';

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

describe('parseRecipient', () => {
  it('parseRecipient reads an address of the channel only', () => {
    expect(parseRecipient('email', ' Customer@Example.com ')).toBe('Customer@example.com');
    expect(parseRecipient('email', '050-1234567')).toBeNull();
    expect(parseRecipient('whatsapp', '050-1234567')).toBe('+972501234567');
    expect(parseRecipient('whatsapp', 'customer@example.com')).toBeNull();
  });
});
