import { describe, expect, it } from '@jest/globals';
import { readGlyphWidths, withListedWidths } from './glyph-widths.js';

describe('withListedWidths', () => {
  const font = '<</Type /Font\n/W [0 [600.09766] 3 5 317.87109 6 [360 0 336] 19 21 636]\n/DW 0>>';

  it('the widths of ranges become lists with the same widths', () => {
    const widths = readGlyphWidths(font);
    expect([...widths]).toEqual([
      [0, 600.09766],
      [3, 317.87109],
      [4, 317.87109],
      [5, 317.87109],
      [6, 360],
      [7, 0],
      [8, 336],
      [19, 636],
      [20, 636],
      [21, 636],
    ]);
    const listed = withListedWidths(font, widths);
    expect(listed).toBe(
      '<</Type /Font\n/W [0 [600.09766] 3 [317.87109 317.87109 317.87109 360 0 336] 19 [636 636 636]]\n/DW 0>>',
    );
    expect(readGlyphWidths(listed)).toEqual(widths);
  });

  it('a font without widths stays as it is', () => {
    expect(withListedWidths('<</Type /Font>>', readGlyphWidths('<</Type /Font>>'))).toBe('<</Type /Font>>');
  });
});
