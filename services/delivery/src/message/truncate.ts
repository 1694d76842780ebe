/** The stored length of a provider's text, in characters. */
const lengthMax = 300;

/** A provider's text on a single short line: it is stored and shown, and may contain anything. */
export function truncate(text: string): string {
  return (
    text
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, lengthMax)
      // PostgreSQL stores no half of a surrogate pair.
      .replaceAll(/\p{Cs}/gu, '')
  );
}
