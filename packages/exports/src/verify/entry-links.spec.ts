import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { exampleEntry } from '../../test/example-book.js';
import { checkLinks } from './entry-links.js';

const source = { id: randomUUID(), type: 'quote', number: 3, date: '2026-06-01' } as const;
const messages = (...args: Parameters<typeof exampleEntry>) =>
  checkLinks(exampleEntry(...args)).map(({ check, message }) => `${check}: ${message}`);

describe('checkLinks', () => {
  it('matching links, or none, have no findings', () => {
    expect(messages({ based_on: source }, { source })).toEqual([]);
    expect(messages({ based_on: null }, { source: null })).toEqual([]);
  });

  it('a source that is missing, different or not named is found', () => {
    expect(messages({ based_on: source }, { source: null })).toEqual([
      'links: the quote 3 that it is based on is not linked, or not in the book',
    ]);
    for (const change of [{ id: randomUUID() }, { number: 4 }, { type: 'order' as const }]) {
      expect(messages({ based_on: source }, { source: { ...source, ...change } })).toHaveLength(1);
    }
    expect(messages({ based_on: source }, { source: { ...source, number: 4 } })).toEqual([
      'links: it names the quote 3 as its source, and is linked to the quote 4',
    ]);
    expect(messages({ based_on: source }, { source: { ...source, date: '2026-06-02' } })).toEqual([
      'links: it names 2026-06-01 as the date of its source, which is of 2026-06-02',
    ]);
    expect(messages({ based_on: null }, { source })).toEqual([
      'links: it is linked to a source that it does not name',
    ]);
  });

  it('a source that the type cannot have, or that it lacks, is found', () => {
    expect(messages({ type: 'receipt', based_on: source }, { source })).toEqual([
      'links: a receipt cannot be based on a quote',
    ]);
    expect(messages({ type: 'credit_note', based_on: null }, { source: null })).toEqual([
      'links: it must be based on a document, and is not',
    ]);
  });
});
