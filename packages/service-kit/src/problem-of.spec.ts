import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Problem } from './problem.js';
import { problemOf } from './problem-of.js';
import { SlotsFull } from './slots.js';

const databaseError = (code: string) => Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code });

describe('what a caller is told', () => {
  it('of a problem is the problem', () => {
    const problem = new Problem('not_found');
    expect(problemOf(problem)).toBe(problem);
  });

  it.each([
    ['a lock that was waited for too long', databaseError('55P03')],
    ['transactions that waited for one another', databaseError('40P01')],
    ['a database that shuts down', databaseError('57P01')],
    ['a connection that is gone', new Error('Connection terminated unexpectedly')],
    ['a process that is full', new SlotsFull()],
    ['a turn that did not come', AbortSignal.abort(new DOMException('late', 'TimeoutError')).reason],
  ])('of %s is to come again', (_what, error) => {
    const problem = problemOf(error);
    expect(problem).toMatchObject({ code: 'engine_error', cause: error });
  });

  it.each([
    ['a broken constraint', databaseError('23505')],
    ['a missing permission', databaseError('42501')],
    ['a mistake in the program', new TypeError('x is not a function')],
    ['a call that was given up by its caller', new DOMException('aborted', 'AbortError')],
  ])('of %s is an error of ours', (_what, error) => {
    expect(problemOf(error)).toMatchObject({ code: 'internal_error', cause: error });
  });
});
