import { describe, expect, it } from '@jest/globals';
import { truncateUtf16 } from './truncate-utf16.js';

describe('truncateUtf16', () => {
  it('truncateUtf16 keeps a text that fits', () => {
    expect(truncateUtf16('א'.repeat(25), 25)).toBe('א'.repeat(25));
  });

  it('truncateUtf16 returns a single line without surrounding space', () => {
    expect(truncateUtf16('  one\n\ttwo ', 25)).toBe('one two');
    expect(truncateUtf16('one two', 4)).toBe('one');
  });

  it('truncateUtf16 never splits a surrogate pair', () => {
    expect(truncateUtf16('a😀😀', 4)).toBe('a😀');
  });

  it('truncateUtf16 never splits a grapheme', () => {
    // Shin with a dot and a vowel: three code points, one letter.
    const pointed = 'שָׁ';
    expect(pointed).toHaveLength(3);
    expect(truncateUtf16(`${pointed}${pointed}`, 5)).toBe(pointed);
    expect(truncateUtf16('e\u0301e\u0301', 3)).toBe('e\u0301');
    expect(truncateUtf16('👩‍🚀👩‍🚀', 9)).toBe('👩‍🚀');
  });

  it('truncateUtf16 returns part of a grapheme that is longer than the field', () => {
    expect(truncateUtf16(`a${'\u0301'.repeat(40)}`, 25)).toBe(`a${'\u0301'.repeat(24)}`);
  });
});
