/** Whether an If-None-Match header (RFC 9110, 13.1.2) names this strong entity tag. */
export function matchesEntityTag(header: string, tag: string): boolean {
  if (header.trim() === '*') {
    return true;
  }
  return header.split(',').some((item) => item.trim().replace(/^W\//, '') === tag);
}
