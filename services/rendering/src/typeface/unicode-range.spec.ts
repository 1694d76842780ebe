import { describe, expect, it } from '@jest/globals';
import { charactersOf, inRange, readUnicodeRange } from './unicode-range.js';

describe('unicode range', () => {
  it('readUnicodeRange reads a range as a style sheet writes it', () => {
    expect(readUnicodeRange('U+590-5FF,U+20AA, u+1f600-1F64F')).toEqual([
      [0x590, 0x5ff],
      [0x20aa, 0x20aa],
      [0x1f600, 0x1f64f],
    ]);
  });

  it('inRange includes both ends of a range and nothing outside', () => {
    const range = readUnicodeRange('U+41-43, U+20AA');
    expect(['@', 'A', 'C', 'D', '₪'].map((item) => inRange(range, item.codePointAt(0) ?? 0))).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  it('charactersOf lists the characters of a range', () => {
    expect(charactersOf('U+41-43, U+1F600')).toBe('ABC😀');
  });
});
