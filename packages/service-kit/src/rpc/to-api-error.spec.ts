import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { QueueFullError } from '../concurrency/queue-full-error.js';
import { ApiError } from './api-error.js';
import { toApiError } from './to-api-error.js';

const databaseError = (code: string) => Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code });

describe('toApiError', () => {
  it('toApiError returns an ApiError as it is', () => {
    const apiError = new ApiError('not_found');
    expect(toApiError(apiError)).toBe(apiError);
  });

  it.each([
    ['a lock timeout', databaseError('55P03')],
    ['a deadlock', databaseError('40P01')],
    ['a database that shuts down', databaseError('57P01')],
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    [
      'a rollback on a lost connection',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['a full disk', databaseError('53100')],
    ['a full queue', new QueueFullError()],
    ['a timeout', AbortSignal.abort(new DOMException('late', 'TimeoutError')).reason],
  ])('toApiError maps %s to engine_error', (_what, error) => {
    const apiError = toApiError(error);
    expect(apiError).toMatchObject({ code: 'engine_error', cause: error });
  });

  it.each([
    ['a violated constraint', databaseError('23505')],
    ['a missing permission', databaseError('42501')],
    ['a programming error', new TypeError('x is not a function')],
    ['a call that its caller aborted', new DOMException('aborted', 'AbortError')],
  ])('toApiError maps %s to internal_error', (_what, error) => {
    expect(toApiError(error)).toMatchObject({ code: 'internal_error', cause: error });
  });
});
