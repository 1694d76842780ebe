import { describe, expect, it } from '@jest/globals';
import { readingOrder, SourceTexts } from './reading-order.js';

/** Runs of one line, from left to right. */
const line = (...texts: string[]) => texts.map((text) => ({ text, line: '1' }));
const inOrder = (runs: readonly { text: string; line: string }[], source: string) =>
  readingOrder(runs, source)?.map((index) => runs[index]?.text);

describe('readingOrder', () => {
  it('the runs of a line are read as the source says, whatever side they are on', () => {
    expect(inOrder(line('12', ' הרצל ', 'Zoom', 'רחוב '), 'רחוב Zoom הרצל 12')).toEqual([
      'רחוב ',
      'Zoom',
      ' הרצל ',
      '12',
    ]);
  });

  it('the runs of the same letters are distinguished by their spaces', () => {
    expect(inOrder(line(' שירות', 'Ltd', ' שירות '), 'שירות Ltd')).toBeUndefined();
    expect(inOrder(line('שירות', 'kg', ' שירות '), ' שירות kgשירות')).toEqual([' שירות ', 'kg', 'שירות']);
  });

  it('a line is read before the next, and the space between them is not drawn', () => {
    const runs = [
      { text: 'שתיים', line: '1' },
      { text: 'one ', line: '1' },
      { text: '4', line: '2' },
      { text: 'three ', line: '2' },
    ];
    expect(inOrder(runs, 'one שתיים three 4')).toEqual(['one ', 'שתיים', 'three ', '4']);
  });

  it('no order is given where none says the source', () => {
    expect(readingOrder(line('אחת', 'two'), 'two three')).toBeNull();
  });

  it('a hundred equal runs do not take forever', () => {
    const runs = line(...Array.from({ length: 100 }, () => 'א '), 'x');
    expect(readingOrder(runs, 'א '.repeat(99))).toBeNull();
  });
});

describe('SourceTexts', () => {
  it('a source is found by its letters in any order, and each of the same letters once', () => {
    const sources = new SourceTexts([
      { text: 'קבלה 12', language: 'he' },
      { text: '21 קבלה', language: 'he' },
      { text: ' ', language: 'en' },
    ]);
    expect(sources.take('12קבלה')?.text).toBe('קבלה 12');
    expect(sources.take('12קבלה')?.text).toBe('21 קבלה');
    expect(sources.take('13קבלה')).toBeUndefined();
    expect(sources.take(' ')).toBeUndefined();
  });
});
