/** The widths of a font's glyphs by their codes, in thousandths of its size. */
export type GlyphWidths = ReadonlyMap<number, number>;

/** The entry of a font of two-byte codes, as Chromium writes it: `3 [278 556]` by the glyph, `19 27 556` for a range. */
const entry = /\/W \[((?:[^[\]]|\[[^\]]*\])*)\]/;

/** @param font the dictionary of a descendant font. */
export function readGlyphWidths(font: string): GlyphWidths {
  const widths = new Map<number, number>();
  for (const [, first = '', list, last, each] of (entry.exec(font)?.[1] ?? '').matchAll(
    /(\d+)\s*(?:\[([^\]]*)\]|\s(\d+)\s+(\S+))/g,
  )) {
    if (list === undefined) {
      for (let code = Number(first); code <= Number(last); code += 1) {
        widths.set(code, Number(each));
      }
    } else {
      for (const [index, width] of list.trim().split(/\s+/).entries()) {
        widths.set(Number(first) + index, Number(width));
      }
    }
  }
  return widths;
}

/** The same font with its widths in lists alone: some readers ignore ranges, and tear the figures of a number apart. */
export function withListedWidths(font: string, widths: GlyphWidths): string {
  const lists: string[] = [];
  let before = Number.NaN;
  for (const [code, width] of [...widths].sort(([a], [b]) => a - b)) {
    lists.push(code === before + 1 ? ` ${width}` : `${lists.length === 0 ? '' : '] '}${code} [${width}`);
    before = code;
  }
  return font.replace(entry, `/W [${lists.join('')}${lists.length === 0 ? '' : ']'}]`);
}
