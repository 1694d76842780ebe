import { QueueFullError } from '../concurrency/queue-full-error.js';
import { isTransientDatabaseError } from '../db/errors.js';
import { ApiError } from '../process/api-error.js';

/**
 * The error that a caller receives for any other: an ApiError itself; `engine_error`, which is retryable, for a transient error (a
 * timeout, a full queue, a lost connection); else `internal_error`. The error becomes its cause.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
  const isTransient = timedOut || error instanceof QueueFullError || isTransientDatabaseError(error);
  return new ApiError(isTransient ? 'engine_error' : 'internal_error', { cause: error });
}
