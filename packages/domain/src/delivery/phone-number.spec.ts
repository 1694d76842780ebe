import { describe, expect, it } from '@jest/globals';
import { parsePhoneNumber } from './phone-number.js';

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
