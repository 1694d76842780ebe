import { describe, expect, it } from '@jest/globals';
import { checks } from './checks.js';
import { jsonOf, reportOf } from './report.js';
import type { BusinessProof } from './verify-business.js';

const id = '00000000-0000-4000-8000-000000000000';
const proof = (change: Partial<BusinessProof> = {}): BusinessProof => ({
  id,
  name: 'Example Ltd',
  documents: 1_200,
  byType: new Map([
    ['quote', 200],
    ['tax_invoice', 1_000],
  ]),
  faults: [],
  faultCount: 0,
  underWay: 0,
  parked: 0,
  ...change,
});
const faults = [
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

describe('the report of a book', () => {
  it('names every check, and says that the book is proven', () => {
    const text = reportOf(proof());
    expect(text).toContain(`Example Ltd  ${id}\n1,200 documents: quote 200, tax_invoice 1000`);
    for (const check of Object.keys(checks)) expect(text).toMatch(new RegExp(`^ {2}${check} +ok `, 'm'));
    expect(text).toMatch(/\n {2}Proven$/);
    expect(jsonOf(proof())).toEqual({
      id,
      name: 'Example Ltd',
      documents: 1_200,
      ok: true,
      faults: [],
      faults_more: 0,
      under_way: 0,
      parked: 0,
    });
  });

  it('says below its check what is wrong, of which document, and what to do', () => {
    const text = reportOf(proof({ faults, faultCount: 2 }));
    expect(text).toMatch(/^ {2}numbers +FAULTY /m);
    expect(text).toContain(
      `    quote 3 (${id}): before it number 2 is missing\n    order: number 1 is missing\n    What to do: `,
    );
    expect(text).toMatch(/\n {2}NOT PROVEN: 2 faults$/);
  });

  it('says how much more there is: faults, steps under way, steps that were given up', () => {
    const faulty = proof({ faults, faultCount: 5, underWay: 1, parked: 2 });
    const text = reportOf(faulty);
    expect(text).toContain('And 3 faults more than the 1000 above');
    expect(text).toContain('1 step is under way');
    expect(text).toContain('2 steps wait for what was given up: pinkas queue dead');
    expect(jsonOf(faulty)).toMatchObject({ ok: false, faults_more: 3, under_way: 1, parked: 2 });
  });
});
