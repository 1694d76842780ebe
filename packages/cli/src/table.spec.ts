import { describe, expect, it } from '@jest/globals';
import { table } from './table.js';

describe('table', () => {
  it('columns are aligned without white space at the end of a line', () => {
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

  it('a table can have 200,000 rows', () =>
    expect(
      table(
        ['id'],
        Array.from({ length: 200_000 }, () => ['1']),
      ).length,
    ).toBe(2 + 200_000 * 2));
});
