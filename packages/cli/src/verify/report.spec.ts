import { describe, expect, it } from '@jest/globals';
import type { VerificationResult } from '@pinkas/exports/verify';
import { checks } from '@pinkas/exports/verify';
import { jsonOf, reportOf } from './report.js';

const id = '00000000-0000-4000-8000-000000000000';
const result = (change: Partial<VerificationResult> = {}): VerificationResult => ({
  id,
  name: 'Example Ltd',
  documents: 1_200,
  byType: new Map([
    ['quote', 200],
    ['tax_invoice', 1_000],
  ]),
  findings: [],
  findingCount: 0,
  notes: [],
  noteCount: 0,
  pending: 0,
  deadLettered: 0,
  next: null,
  ...change,
});
const findings = [
  {
    check: 'numbers' as const,
    document_id: id,
    type: 'quote' as const,
    number: 3,
    message: 'before it number 2 is missing',
  },
  {
    check: 'numbers' as const,
    document_id: null,
    type: 'order' as const,
    number: null,
    message: 'number 1 is missing',
  },
];

describe('report', () => {
  it('the report of a sound book lists every check and ends with Proven', () => {
    const text = reportOf(result());
    expect(text).toContain(`Example Ltd  ${id}\n1,200 documents: quote 200, tax_invoice 1000`);
    for (const check of Object.keys(checks)) {
      expect(text).toMatch(new RegExp(`^ {2}${check} +ok `, 'm'));
    }
    expect(text).toMatch(/\n {2}Proven$/);
    expect(jsonOf(result())).toEqual({
      id,
      name: 'Example Ltd',
      documents: 1_200,
      ok: true,
      findings: [],
      findings_more: 0,
      notes: [],
      notes_more: 0,
      pending: 0,
      dead_lettered: 0,
    });
  });

  it('the report lists findings under their check, with the remedy', () => {
    const text = reportOf(result({ findings, findingCount: 2 }));
    expect(text).toMatch(/^ {2}numbers +FAILED /m);
    expect(text).toContain(
      `    quote 3 (${id}): before it number 2 is missing\n    order: number 1 is missing\n    What to do: `,
    );
    expect(text).toMatch(/\n {2}NOT PROVEN: 2 findings$/);
  });

  it('the report lists notes, and a book with notes is proven', () => {
    const message = 'it is paid in part, and 0.01 is left to pay';
    const note = { note: 'partly_paid', document_id: id, type: 'tax_invoice', number: 7, message } as const;
    const noted = result({ notes: [note], noteCount: 3 });
    expect(reportOf(noted)).toMatch(/\n {2}Proven$/);
    expect(reportOf(noted)).toContain(
      `  3 notes for the owner, no finding:\n    tax_invoice 7 (${id}): ${message}\n    And 2 notes more`,
    );
    expect(jsonOf(noted)).toMatchObject({ ok: true, notes: [note], notes_more: 2 });
  });

  it('the report counts further findings, pending and dead-lettered work', () => {
    const unsound = result({ findings, findingCount: 5, pending: 1, deadLettered: 2 });
    const text = reportOf(unsound);
    expect(text).toContain('And 3 findings more than the 1000 above');
    expect(text).toContain('1 piece of work is pending');
    expect(text).toContain('2 pieces of work are dead-lettered: pinkas queue dead');
    expect(jsonOf(unsound)).toMatchObject({ ok: false, findings_more: 3, pending: 1, dead_lettered: 2 });
  });
});
