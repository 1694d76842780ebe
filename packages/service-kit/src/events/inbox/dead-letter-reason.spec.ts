import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ApiError } from '../../rpc/api-error.js';
import { reasonOf, storable } from './dead-letter-reason.js';

const databaseError = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, 7, 'error'), { code });

describe('reasonOf', () => {
  it.each([
    ['an error', new Error('the renderer is unavailable'), 'the renderer is unavailable'],
    ['a thrown text', 'thrown text', 'thrown text'],
    ['an ApiError', new ApiError('not_found'), 'not_found'],
    [
      'an ApiError with its cause',
      new ApiError('engine_error', { cause: new Error('rpc.rendering.artifact.render.v1 has no responder') }),
      'engine_error: rpc.rendering.artifact.render.v1 has no responder',
    ],
    ['a violated constraint', databaseError('23505', 'duplicate key'), 'duplicate key'],
  ])('reasonOf describes %s', (_what, error, reason) => expect(reasonOf(error)).toBe(reason));

  it('reasonOf does not contain a value that PostgreSQL quotes', () => {
    const quoted = databaseError('22P02', 'invalid input syntax for type integer: "customer@example.com"');
    expect(reasonOf(quoted)).toBe('the database rejected a value (22P02)');
    expect(reasonOf(new ApiError('internal_error', { cause: quoted }))).not.toContain('customer');
  });

  it('reasonOf returns a text that PostgreSQL can store', () => {
    expect(reasonOf(new Error('a\0b'))).toBe('a\uFFFDb');
    expect(storable('\0')).toBe('\uFFFD');
    expect(reasonOf(new Error('x'.repeat(5_000)))).toHaveLength(1_000);
  });
});
