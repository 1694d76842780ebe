import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Problem } from '../problem.js';
import { reasonOf, storable } from './dead-letter-reason.js';

const databaseError = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, 7, 'error'), { code });

describe('the reason of a step that failed', () => {
  it.each([
    ['an error', new Error('the printer is away'), 'the printer is away'],
    ['no error', 'thrown text', 'thrown text'],
    ['a problem', new Problem('not_found'), 'not_found'],
    [
      'a problem with its cause',
      new Problem('engine_error', { cause: new Error('nobody answers rpc.rendering.artifact.render.v1') }),
      'engine_error: nobody answers rpc.rendering.artifact.render.v1',
    ],
    ['a broken constraint', databaseError('23505', 'duplicate key'), 'duplicate key'],
  ])('tells %s', (_what, error, reason) => expect(reasonOf(error)).toBe(reason));

  it('does not repeat a value that PostgreSQL quotes', () => {
    const quoted = databaseError('22P02', 'invalid input syntax for type integer: "customer@example.com"');
    expect(reasonOf(quoted)).toBe('the database refused a value (22P02)');
    expect(reasonOf(new Problem('internal_error', { cause: quoted }))).not.toContain('customer');
  });

  it('can be stored, whatever it holds', () => {
    expect(reasonOf(new Error('a\0b'))).toBe('a\uFFFDb');
    expect(storable('\0')).toBe('\uFFFD');
    expect(reasonOf(new Error('x'.repeat(5_000)))).toHaveLength(1_000);
  });
});
