import { describe, expect, it } from '@jest/globals';
import { table } from './table.js';

describe('a table', () => {
  it('aligns its columns, and leaves no white space at the end of a line', () => {
    expect(
      table(
        ['id', 'name'],
        [
          ['1', 'א'],
          ['22', ''],
        ],
      ),
    ).toBe('ID  NAME\n1   א\n22');
  });

  it('takes as many rows as there are failures on a bad day', () =>
    expect(
      table(
        ['id'],
        Array.from({ length: 200_000 }, () => ['1']),
      ).length,
    ).toBe(2 + 200_000 * 2));
});
