/** The longest Idempotency-Key, in code points (interface, section 8). */
export const idempotencyKeyMax = 128;

/**
 * The text of an Idempotency-Key header. Node reads headers as Latin-1; what is UTF-8 in truth is read as such, so that
 * the limit counts characters and not bytes.
 */
export function readIdempotencyKey(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    return header.trim();
  }
}
