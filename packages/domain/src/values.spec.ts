import { describe, expect, it } from '@jest/globals';
import { contrast } from './contrast.js';
import { isPaymentMethod, misplacedPaymentFields, paymentMethods } from './payment-methods.js';
import { nextAttemptAt } from './retry-schedule.js';
import { hasValidCheckDigit, normaliseTaxId, registryOf } from './tax-id.js';
import { directionRuns, fieldDirection, isolatedText } from './text-direction.js';

const everyField = {
  reference: 'a',
  check_number: 'b',
  check_date: '2026-06-15',
  bank_code: 12,
  branch: 'c',
  account: 'd',
  card_last_digits: '1234',
  card_type: 'e',
};
const checkFields = ['check_number', 'check_date', 'bank_code', 'branch', 'account'];
const cardFields = ['card_last_digits', 'card_type'];

describe('contrast', () => {
  it('the contrast of two colors is measured as in WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#ffffff', '#ffffff')).toBeCloseTo(1, 5);
    // The lightest grey with a contrast of 4.5 on white, and the next lighter one.
    expect(contrast('#767676', '#ffffff')).toBeGreaterThan(4.5);
    expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
  });
});

describe('misplacedPaymentFields', () => {
  it.each([
    ['cash', ['reference', ...checkFields, ...cardFields]],
    ['check', ['reference', ...cardFields]],
    ['credit_card', ['reference', ...checkFields]],
    ['bank_transfer', [...checkFields, ...cardFields]],
    ['wallet_method_3', [...checkFields, ...cardFields]],
  ] as const)('a payment by %s does not take %j', (method, misplaced) => {
    expect(misplacedPaymentFields(method, everyField)).toEqual(misplaced);
    expect(misplacedPaymentFields(method, {})).toEqual([]);
  });
});

describe('isPaymentMethod', () => {
  it('isPaymentMethod accepts every means of payment and nothing else', () => {
    for (const method of paymentMethods) {
      expect(isPaymentMethod(method)).toBe(true);
    }
    for (const other of ['bitcoin', '', undefined, 1]) {
      expect(isPaymentMethod(other)).toBe(false);
    }
  });
});

describe('nextAttemptAt', () => {
  const since = new Date('2026-06-15T08:00:00Z');

  it('a failed attempt is repeated after 5 s, 30 s, 2 min, 10 min, 1 h, then every hour, for up to a day', () => {
    const pauses: number[] = [];
    let now = since;
    for (let attempts = 1; ; attempts += 1) {
      const next = nextAttemptAt(attempts, since, now);
      if (!next) {
        break;
      }
      pauses.push((next.getTime() - now.getTime()) / 1_000);
      now = next;
    }
    expect(pauses.slice(0, 7)).toEqual([5, 30, 120, 600, 3_600, 3_600, 3_600]);
    expect(new Set(pauses.slice(4))).toEqual(new Set([3_600]));
    const hours = (now.getTime() - since.getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
  });
});

describe('hasValidCheckDigit', () => {
  it.each(['777777715', '514713288', '039337423', '999999998', '18', '12344', '123455'])(
    'the tax id %s is valid',
    (taxId) => {
      expect(hasValidCheckDigit(taxId)).toBe(true);
    },
  );

  it.each([
    '777777716',
    '123456789',
    '012345678',
    '888888888',
    '000000000',
    '12345',
    '',
    '5147132881',
    '51471328a',
  ])('the tax id %s is invalid', (taxId) => {
    expect(hasValidCheckDigit(taxId)).toBe(false);
  });

  it('the check digit is the same with and without leading zeros', () => {
    expect(normaliseTaxId('18')).toBe('000000018');
    expect(hasValidCheckDigit('000000018')).toBe(true);
  });
});

describe('registryOf', () => {
  it.each([
    ['514713288', 'company'],
    ['570000018', 'cooperative'],
    ['580123453', 'amuta'],
    ['540000007', null],
    ['039337423', null],
    ['514713289', null],
    ['51471', null],
  ])(
    'the prefix of %s names the register %s, where it is certain and the number valid',
    (taxId, registry) => {
      expect(registryOf(taxId)).toBe(registry);
    },
  );
});

describe('fieldDirection', () => {
  it.each([
    ['רחוב הרצל 12', 'rtl', 'rtl'],
    ['IBM ישראל בע"מ', 'rtl', 'ltr'],
    ['ישראל IBM', 'rtl', 'ltr'],
    ['شارع 5', 'rtl', 'rtl'],
    ['1 Example Street', 'ltr', 'ltr'],
    ['Улица 7, חיפה', 'rtl', 'ltr'],
    ['12/4', 'ltr', 'ltr'],
    ['', 'ltr', 'ltr'],
  ])('%s is laid out %s in a Hebrew document and %s in an English one', (text, hebrew, english) => {
    expect(fieldDirection(text, 'he')).toBe(hebrew);
    expect(fieldDirection(text, 'en')).toBe(english);
  });
});

describe('directionRuns', () => {
  it.each([
    ['הנחה של -5% היום', ['-5%']],
    ['-10°C בלילה', ['-10°C']],
    ['טלפון +972-50-123-4567.', ['+972-50-123-4567']],
    ['חיוג +972-52 מחו"ל', ['+972-52']],
    ['טלפון 050 123 4567, שלוחה 3', ['050 123 4567']],
    ['(02) 623-4567', ['(02) 623-4567']],
    ['שינוי של +3.5 או −7', ['+3.5', '−7']],
    ['זיכוי -₪150 או -$5', ['-₪150', '-$5']],
    ['זיכוי -150 ₪', ['-150 ₪']],
    ['ירידה של -.5%', ['-.5%']],
    ['03-1234567 (2 קווים)', ['03-1234567']],
    ['02-6234567 (03-1234567)', ['02-6234567', '03-1234567']],
    ['0123456789 2 יחידות', ['0123456789']],
    ['050-1234567 03-7654321', ['050-1234567', '03-7654321']],
    ['+44 (0)20 7946 0000', ['+44 (0)20 7946 0000']],
    ['מ-01.02.2026 עד 05.02.2026', []],
    ['הזמנה 01234567890123', []],
    ['הַ-5%', []],
    ['ב-5% פחות', []],
    ['פריטים 5-10', []],
    ['מק"ט A-12', []],
    ['12 34', []],
    ['', []],
  ])('the signed numbers and phone numbers of a text are separate runs: %s', (text, isolated) => {
    const runs = directionRuns(text);
    expect(runs.map((run) => run.text).join('')).toBe(text);
    expect(runs.filter((run) => run.isolated).map((run) => run.text)).toEqual(isolated);
  });
});

describe('isolatedText', () => {
  it.each([
    ['a name of the language', 'חברה לדוגמה בע"מ', 'he', 'חברה לדוגמה בע"מ'],
    ['a name of the language', 'Example Ltd.', 'en', 'Example Ltd.'],
    ['a name of the other direction', 'Example Ltd.', 'he', '\u2066Example Ltd.\u2069'],
    ['a name of the other direction', 'חברה בע"מ', 'en', '\u2067חברה בע"מ\u2069'],
    ['a Hebrew name that begins with Latin letters', 'IBM ישראל בע"מ', 'he', '\u2067IBM ישראל בע"מ\u2069'],
    ['a phone number in a Hebrew name', 'מוקד +972-3-123-4567', 'he', 'מוקד \u2066+972-3-123-4567\u2069'],
  ] as const)('isolatedText keeps the order of %s: %s', (_what, text, language, isolated) => {
    expect(isolatedText(text, language)).toBe(isolated);
  });
});
