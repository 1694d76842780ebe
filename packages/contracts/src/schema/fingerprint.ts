import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** The SHA-256 of a JSON value; the order of members does not matter. */
export function fingerprint(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest();
}

/** The fingerprint of a request for a document: of its body, or where there is more, of all of it, so that no release leaves a part out. */
export function requestFingerprint<Body>({
  body,
  ...more
}: {
  readonly body: Body;
  readonly set_offs?: unknown;
  readonly withheld?: unknown;
}): Buffer {
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  return fingerprint(given.length === 0 ? body : { body, ...Object.fromEntries(given) });
}
