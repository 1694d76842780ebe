const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * A text cut to a field of the authority, on one line. Only whole characters are kept, as a reader sees them: never half of a
 * surrogate pair, nor a letter without its points. The length is counted in UTF-16 units, the strictest way of counting that a
 * field may have.
 * @param unitsMax the length of the field.
 */
export function truncateUtf16(text: string, unitsMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= unitsMax) {
    return line;
  }
  let kept = '';
  for (const { segment } of graphemes.segment(line)) {
    if (kept.length + segment.length > unitsMax) {
      break;
    }
    kept += segment;
  }
  // One character with more marks than the field is long: the field must not be empty.
  return kept.trim() || truncateCodePoints(line, unitsMax);
}

function truncateCodePoints(text: string, unitsMax: number): string {
  let kept = '';
  for (const pair of text) {
    if (kept.length + pair.length > unitsMax) {
      break;
    }
    kept += pair;
  }
  return kept;
}
