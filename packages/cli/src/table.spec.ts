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
});
