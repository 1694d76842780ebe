import pg from 'pg';
import { ApiError } from '../../process/api-error.js';

const reasonLengthMax = 1_000;

/**
 * Why an attempt failed, for the operator. An ApiError is described by its code and cause; a value that PostgreSQL rejected only by
 * the SQLSTATE, since the message quotes the value.
 */
export function reasonOf(error: unknown): string {
  return storable(describe(error)).slice(0, reasonLengthMax);
}

function describe(error: unknown): string {
  if (error instanceof ApiError) {
    return error.cause === undefined ? error.code : `${error.code}: ${describe(error.cause)}`;
  }
  if (error instanceof pg.DatabaseError && error.code?.startsWith('22')) {
    return `the database rejected a value (${error.code})`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Replaces the character NUL, which PostgreSQL cannot store and a foreign message may contain. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
