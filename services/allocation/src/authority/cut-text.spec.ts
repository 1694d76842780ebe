import { describe, expect, it } from '@jest/globals';
import { cutText } from './cut-text.js';

describe('a text that is cut to a field', () => {
  it('stays as it is when it fits', () => {
    expect(cutText('א'.repeat(25), 25)).toBe('א'.repeat(25));
  });

  it('is on one line, without space at its ends, also where it is cut', () => {
    expect(cutText('  one\n\ttwo ', 25)).toBe('one two');
    expect(cutText('one two', 4)).toBe('one');
  });

  it('is never cut through a surrogate pair', () => {
    expect(cutText('a😀😀', 4)).toBe('a😀');
  });

  it('is never cut between a letter and its points, or through a joined character', () => {
    // Shin with a dot and a vowel: three code points, one letter.
    const pointed = 'שָׁ';
    expect(pointed).toHaveLength(3);
    expect(cutText(`${pointed}${pointed}`, 5)).toBe(pointed);
    expect(cutText('e\u0301e\u0301', 3)).toBe('e\u0301');
    expect(cutText('👩‍🚀👩‍🚀', 9)).toBe('👩‍🚀');
  });

  it('is not emptied by one character that is longer than the field', () => {
    expect(cutText(`a${'\u0301'.repeat(40)}`, 25)).toBe(`a${'\u0301'.repeat(24)}`);
  });
});
