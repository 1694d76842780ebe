/**
 * Parses a complete URL; null where it is none. URL.canParse of Node 20 refuses what has a letter such as `ü` as soon as V8 has
 * compiled its caller.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
