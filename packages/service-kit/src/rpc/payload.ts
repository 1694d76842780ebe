import { compileTolerant } from '@pinkas/contracts';
import type { TSchema } from 'typebox';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Plain JSON in UTF-8, as `nats request` in a terminal would send it. */
export function encode(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** The JSON value of a message; undefined where it is malformed. Never throws. */
export function decode(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data));
  } catch {
    return undefined;
  }
}

/**
 * Compiles a schema into a function that removes the members which the schema does not name, including those that a newer release
 * has stored. A value that does not match is returned as it is: its reader rejects it.
 */
export function stripUnknown(schema: TSchema): (value: unknown) => unknown {
  const check = compileTolerant(schema);
  return (value) => {
    const checked = check(value);
    return checked.ok ? checked.value : value;
  };
}
