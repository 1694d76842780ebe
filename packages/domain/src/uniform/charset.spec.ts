import { describe, expect, it } from '@jest/globals';
import { encodeText, encodeTrimmed } from './charset.js';

describe('encodeText', () => {
  it('every character of ISO-8859-8 has its own byte', () => {
    // Bytes without a character, and those of marks of direction, have none.
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => {
      const character = new TextDecoder('iso-8859-8').decode(Uint8Array.of(byte));
      return !/[\p{Cc}\p{Cf}\ufffd\u00a0\u2017]/u.test(character);
    });
    const text = new TextDecoder('iso-8859-8').decode(Uint8Array.from(bytes));
    expect(encodeText(text, 'iso-8859-8')).toEqual({ bytes, rewritten: false, replaced: false });
  });

  it('CP-862 has Hebrew at 0x80, accented letters at 0xA0, frames at 0xB3 and Greek at 0xE0', () => {
    const { bytes } = encodeText('את¢áñ»│┐└▀αßµπ≈■', 'cp862');
    expect(bytes).toEqual([
      ...[0x80, 0x9a, 0x9b, 0xa0, 0xa4, 0xaf, 0xb3, 0xbf, 0xc0, 0xdf, 0xe0, 0xe1, 0xe6, 0xe3, 0xf7, 0xfe],
    ]);
  });

  it.each([
    ['שָׁלוֹם', 'שלום', true, false],
    ['מע״מ 5׳ – €', 'מע"מ 5\' - EUR', true, false],
    ['Café №1\u200f\tב', 'Cafe No1 ב', true, false],
    ['Ж😀', '??', false, true],
  ])('%s is written as %s', (text, written, rewritten, replaced) => {
    const encoded = encodeText(text, 'iso-8859-8');
    expect(new TextDecoder('iso-8859-8').decode(Uint8Array.from(encoded.bytes))).toBe(written);
    expect(encoded).toMatchObject({ rewritten, replaced });
  });
});

describe('encodeTrimmed', () => {
  it('a text of which nothing is left is a question mark, and an empty one is empty', () => {
    expect(encodeTrimmed(' \u200f\t', 'cp862')).toEqual({ bytes: [0x3f], rewritten: false, replaced: true });
    expect(encodeTrimmed(' ', 'cp862')).toEqual({ bytes: [], rewritten: false, replaced: false });
  });
});
