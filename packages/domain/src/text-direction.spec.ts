import { describe, expect, it } from '@jest/globals';
import { directionRuns, fieldDirection, isolatedText } from './text-direction.js';

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
