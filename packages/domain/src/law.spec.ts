import { describe, expect, it } from '@jest/globals';
import { dayInIsrael } from './israel-calendar.js';
import { type LawRule, law, lawChanges, lawOn, lawText } from './law.js';

const rules = Object.entries<LawRule>(law);

describe('the table of law', () => {
  it.each(rules)('the source of %s was read again before its review date', (_name, { reviewBy }) => {
    // After reading it: add what has changed, and set the next date.
    expect(reviewBy >= dayInIsrael(new Date())).toBe(true);
  });

  it.each(rules)('%s has a source, a first day, and its values in the order of their days', (_name, rule) => {
    expect(rule.source).not.toBe('');
    const days = rule.values.map(({ from }) => from);
    expect(days.length).toBeGreaterThan(0);
    expect(days).toEqual([...new Set(days)].sort());
    for (const day of [...days, rule.reviewBy, ...(rule.until ? [rule.until] : [])]) {
      expect(new Date(day).toISOString().slice(0, 10)).toBe(day);
    }
  });

  it('lawOn is the value of a day, and undefined before the first', () => {
    expect(lawOn(law.vatRate, '2024-12-31')).toBe(17);
    expect(lawOn(law.vatRate, '2025-01-01')).toBe(18);
    expect(lawOn(law.donationReport, '2025-12-31')).toBeUndefined();
  });

  it('lawChanges has what begins or ends within the days, not what did before', () => {
    const changed = (day: string, days: number) =>
      lawChanges(day, days).map(({ rule, from, value }) => [rule.name.en, from, value]);
    const transmission = [law.uniformTransmission.name.en, '2027-01-01', 'when the files are made'];
    expect(changed('2026-12-01', 30)).toEqual([]);
    expect(changed('2026-12-02', 30)).toEqual([transmission]);
    expect(changed('2026-12-31', 30)).toEqual([transmission]);
    expect(changed('2027-01-01', 30)).toEqual([]);
    expect(changed('2028-12-10', 30)).toContainEqual([law.allocationThreshold.name.en, '2029-01-01', null]);
  });

  it('lawText has a value with its unit', () => {
    expect(lawText(law.allocationThreshold, 5_000)).toBe('5,000 ILS');
    expect(lawText(law.vatRate, 18)).toBe('18%');
    expect(lawText(law.refusalHearing, 2)).toBe('2 business days');
    expect(lawText(law.uniformStructure, '1.31')).toBe('1.31');
    expect(lawText(law.allocationDocuments, { tax_invoice: 305, credit_note: 330 })).toBe(
      'tax_invoice 305, credit_note 330',
    );
  });
});
