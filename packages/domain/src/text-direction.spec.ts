import { describe, expect, it } from '@jest/globals';
import { directionRuns, fieldDirection } from './text-direction.js';

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
    ['טלפון 050 123 4567, שלוחה 3', ['050 123 4567']],
    ['(02) 623-4567', ['(02) 623-4567']],
    ['שינוי של +3.5 או −7', ['+3.5', '−7']],
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
