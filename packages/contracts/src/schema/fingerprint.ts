import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** The SHA-256 of a JSON value; the order of members does not matter. */
export function fingerprint(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest();
}
