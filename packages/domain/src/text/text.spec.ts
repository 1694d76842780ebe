import { describe, expect, it } from '@jest/globals';
import { isEmailAddress, normaliseEmailAddress, parseEmailAddress } from './email-address.js';
import { pastedEmail, pastedPhone, pastedTaxId } from './pasted.js';
import { isBlank, nameKey, namesAsTyped, storedTexts, trimmed, visibleLength } from './text.js';
import { readTypedNumber } from './typed-number.js';

describe('a text', () => {
  it.each([
    ...[
      '',
      ' ',
      '\u00a0',
      '\u3000',
      '\u0085',
      '\u200b',
      '\u200f',
      '\u061c',
      '\u2060',
      '\u00ad',
      '\u2800',
      '\u3164',
      '\ufe0f',
    ],
    ...[
      '\u180e',
      '\u115f',
      '\u001c',
      '\u0001',
      '\ufffe',
      '\ufff9',
      '\u{e0041}\u{e0042}',
      '\u0301',
      '\u{1d159}',
      '\ufffc',
    ],
  ])('a text of %j alone is blank', (text) => {
    expect(isBlank(`${text}${text}`)).toBe(true);
    expect(visibleLength(`${text}${text}`)).toBe(0);
  });

  it.each(['א', '7', '.', '😀', '\ufffd', '\u200fx\u200f'])('%j can be seen', (text) => {
    expect(isBlank(text)).toBe(false);
    expect(visibleLength(text)).toBe(1);
  });

  it('every line break of a stored text is a line feed, at any depth', () => {
    const sent = {
      notes: 'a\r\nb\rc\u2028d\u0085e\vf',
      items: [{ description: 'x\r\n\r\ny', quantity: 1 }],
      none: null,
    };
    const stored = { notes: 'a\nb\nc\nd\ne\nf', items: [{ description: 'x\n\ny', quantity: 1 }], none: null };
    expect(storedTexts(sent)).toEqual(stored);
  });

  it('trimming takes white space by the property of Unicode', () => {
    expect(trimmed('\u0085\ufeff \u3000a b\u2029\t')).toBe('a b');
  });
});

describe('nameKey', () => {
  it.each([
    ['whatever the letter case', 'Example Ltd', 'EXAMPLE ltd'],
    ['white space around and between the words', '  Example\u00a0 \tLtd ', 'Example Ltd'],
    ['whether letters are composed or decomposed', 'Caf\u00e9', 'Cafe\u0301'],
    ['with a sharp s and with two', 'Straße', 'STRASSE'],
    ['with a line break between the words', 'Example\r\nLtd', 'Example Ltd'],
    ['with marks of direction and joiners', '\u200fלקוח\u200e לדוג\u2060מה\ufeff', 'לקוח לדוגמה'],
    ['with a control character', 'Example\u0001 Ltd', 'Example Ltd'],
    ['in Hebrew with folded spaces', 'לקוח   לדוגמה', 'לקוח לדוגמה'],
  ])('nameKey treats two names as one %s', (_case, one, other) => {
    expect(nameKey(one)).toBe(nameKey(other));
  });

  it('nameKey distinguishes names that differ in a character', () => {
    expect(nameKey('Example Ltd')).not.toBe(nameKey('Example Ltd.'));
  });
});

describe('namesAsTyped', () => {
  it.each([
    ['בע״מ', 'בע"מ', 'בע”מ', 'בע″מ', "בע''מ", 'בעמ'],
    ['ג׳ורג׳', "ג'ורג'", 'ג’ורג’', 'ג′ורג′', 'גורג'],
    ['שָׁלוֹם', 'שלום'],
    ['O’Example', "o'example", 'OEXAMPLE'],
  ])('%s is found as any of its spellings', (...spellings) => {
    expect(new Set(spellings.map((spelling) => namesAsTyped(spelling).joined)).size).toBe(1);
  });

  it.each([['תל־דוגמה', 'תל-דוגמה', 'תל‐דוגמה', 'תל – דוגמה', 'תל דוגמה']])(
    'a hyphen is any hyphen, or a blank, or left out: %s',
    (...spellings) => {
      expect(new Set(spellings.map((spelling) => namesAsTyped(spelling).spaced))).toEqual(
        new Set(['תל דוגמה']),
      );
      expect(namesAsTyped('תל־דוגמה').joined).toBe(namesAsTyped('תלדוגמה').joined);
    },
  );

  it('a text of signs alone has no form, and letters stay', () => {
    expect(namesAsTyped(' "-\' ')).toEqual({ joined: '', spaced: '' });
    expect(namesAsTyped('A.B & C_1')).toEqual({ joined: 'a.b & c_1', spaced: 'a.b & c_1' });
  });
});

describe('an email address', () => {
  it.each([
    ['Customer@Example.COM', 'Customer@example.com'],
    ['customer@דוגמה.co.il', 'customer@xn--6dbbec0c.co.il'],
    ['לקוח@example.com', 'לקוח@example.com'],
    ["o'neil+tag@123.com", "o'neil+tag@123.com"],
    [`${'x'.repeat(64)}@example.com`, `${'x'.repeat(64)}@example.com`],
  ])('mail to %s is sent to %s', (text, address) => expect(parseEmailAddress(text)).toBe(address));

  it('the normalised form of an address has no capitals', () => {
    expect(normaliseEmailAddress('Customer@Shop.EXAMPLE')).toBe('customer@shop.example');
  });

  it.each([
    ...[
      '',
      'customer',
      '@example.com',
      'customer@',
      'a b@example.com',
      'a@b@example.com',
      'a@exa mple.com',
      ' a@example.com',
    ],
    ...[
      '<a@example.com>',
      'mailto:a@example.com',
      'a@example.com\u200f',
      'a@ex\u00adample.com',
      '.a@example.com',
      'a..b@example.com',
    ],
    ...[
      '"a b"@example.com',
      '"a@b"@example.com',
      'a@[127.0.0.1]',
      'a@[IPv6:2001:db8::1]',
      'a@[::1]',
      'a@c/d.com',
      'a@c.com:25',
    ],
    ...[
      'a@b',
      'a@localhost',
      'a@1',
      'a@127.1',
      'a@0x7f.1',
      'a@0.0.0.1',
      'a@12.34',
      'a@example.com.',
      'a@-example.com',
      'a@b_c.com',
    ],
    ...[
      `${'x'.repeat(65)}@example.com`,
      `${'א'.repeat(33)}@example.com`,
      `a@${'x'.repeat(64)}.com`,
      'a@xn--zz--.com',
    ],
    `${'y'.repeat(30)}@${'דוגמהארוכה'.repeat(3)}.${`${'x'.repeat(60)}.`.repeat(3)}com`,
  ])('%j is no address', (text) => expect(parseEmailAddress(text)).toBeNull());
});

it('an address in a domain with an umlaut stays one, however often it is asked for', () => {
  const refused = Array.from({ length: 60_000 }).findIndex(() => !isEmailAddress('a@ü.test'));
  expect(refused).toBe(-1);
});

describe('what was pasted', () => {
  it.each([
    ['<a@example.com>', 'a@example.com'],
    ['mailto:a@example.com?subject=b', 'a@example.com'],
    ['"A B" <a@example.com>;', 'a@example.com'],
    [' a@example.com\u200f\n', 'a@example.com'],
    ['a b@example.com', 'a b@example.com'],
  ])('%j is read as the address %s', (pasted, address) => expect(pastedEmail(pasted)).toBe(address));

  it.each([
    ['\u202a050-1234567\u202c', '050-1234567'],
    ['(050) 123-4567', '050 123-4567'],
    ['+972 (0)50\u2011123\u00a04567', '+972 50-123 4567'],
    ['tel:050.123.4567', '050-123-4567'],
    ['050-1234567 ext 5', '050-1234567 ext 5'],
  ])('%j is read as the phone number %s', (pasted, phone) => expect(pastedPhone(pasted)).toBe(phone));

  it.each([
    ['51-444444-7', '514444447'],
    ['\u200f514 444 447\u200f', '514444447'],
    ['ח.פ. 514444447', '514444447'],
    ['51444444X', '51444444X'],
  ])('%j is read as the tax id %s', (pasted, taxId) => expect(pastedTaxId(pasted)).toBe(taxId));
});

describe('a typed number', () => {
  it.each([
    ['1,500', 1500],
    ['1 500.5', 1500.5],
    ["1'234'567.25", 1234567.25],
    ['\u200f1,180.00\u00a0\u200f₪', 1180],
    ['\u2066₪1\u202f180\u2069', 1180],
    ['1,180.00 ש"ח', 1180],
    ['１１８０．５', 1180.5],
    ['.5', 0.5],
    ['012', 12],
    ['0.0000001', 1e-7],
    ['\u221220', -20],
  ])('%j is %d', (typed, value) => expect(readTypedNumber(typed)).toEqual({ value }));

  it.each([
    ['0,500', ['0.5', '500']],
    [',500', ['0.5', '500']],
    ['00,500', ['0.5', '500']],
    ['1,2345', ['1.2345', '12345']],
    ['1.180.000', ['1180', '1180000']],
    ['2.500,000', ['2.5', '2500']],
    ['12,50', ['12.5']],
    ['1.180,00', ['1.18', '1180']],
    ['1 50', ['150']],
    ['1e3', []],
    ['$5', []],
    ['10%', []],
    ['1.0000000000000000001', []],
    ['99999999999999', []],
    ['', []],
    ['5-', []],
  ])('%j is no number, and may be meant as %j', (typed, readings) =>
    expect(readTypedNumber(typed)).toEqual({ value: null, readings }),
  );

  it.each([
    ['1,180.5', 1180.5],
    ['0.500', 0.5],
    ['1180.500', 1180.5],
    ['1,180.000', 1180],
  ])('%j is the amount %d', (typed, value) => expect(readTypedNumber(typed, 'money')).toEqual({ value }));

  it.each([
    ['1.180', ['1.18', '1180']],
    ['-1.180', ['-1.18', '-1180']],
    ['1.234', []],
    ['1.234,56', ['1234.56']],
    ['118.005', []],
    ['0.001', []],
  ])('%j is no amount, and may be meant as %j', (typed, readings) =>
    expect(readTypedNumber(typed, 'money')).toEqual({ value: null, readings }),
  );

  it('a percentage has its own sign and no currency', () => {
    expect(readTypedNumber('10 %', 'percent')).toEqual({ value: 10 });
    expect(readTypedNumber('10 ₪', 'percent')).toEqual({ value: null, readings: [] });
  });
});
