import pg from 'pg';
import { Problem } from '../problem.js';

const reasonLengthMax = 1_000;

/**
 * Why a step failed, for the operator's eyes. A problem is told with its code and its cause. Of a value that PostgreSQL could
 * not take only the code is told, since its message quotes the value.
 */
export function reasonOf(error: unknown): string {
  return storable(describe(error)).slice(0, reasonLengthMax);
}

function describe(error: unknown): string {
  if (error instanceof Problem)
    return error.cause === undefined ? error.code : `${error.code}: ${describe(error.cause)}`;
  if (error instanceof pg.DatabaseError && error.code?.startsWith('22'))
    return `the database refused a value (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

/** A text that PostgreSQL can keep: it has no room for the character NUL, which a stranger's message may hold. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
