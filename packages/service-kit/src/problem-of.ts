import { databaseIsBusyOrAway } from './db/database.js';
import { Problem } from './problem.js';
import { SlotsFull } from './slots.js';

/**
 * What a caller is told of an error: itself where it is a problem; `engine_error`, and so to come again, where it is one
 * that passes (a lock, a connection or a turn that was waited for too long, a server that went away); else
 * `internal_error`. The error stays its cause.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
  const passes = databaseIsBusyOrAway(error) || error instanceof SlotsFull || timedOut;
  return new Problem(passes ? 'engine_error' : 'internal_error', { cause: error });
}
