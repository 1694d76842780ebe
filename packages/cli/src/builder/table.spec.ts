import { describe, expect, it } from '@jest/globals';
import { terminalProgress } from './progress.js';
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

/** A stream that records what is written. */
function streamOf(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, stream: { isTTY, columns: 10, write } as unknown as NodeJS.WriteStream };
}

describe('progress', () => {
  it('progress uses one line of a terminal and erases it at the end', () => {
    const { written, stream } = streamOf(true);
    const progress = terminalProgress(stream, true);
    progress.show('1 document');
    progress.show('2');
    progress.end();
    progress.end();
    expect(written).toEqual(['\r\u001b[K1 documen', '\r\u001b[K2', '\r\u001b[K']);
  });

  it('a control sequence in a name does not reach the terminal', () => {
    const { written, stream } = streamOf(true);
    terminalProgress(stream, true).print('\u001b]0;x\u0007 1');
    terminalProgress(stream, true).show('\u001b[2J');
    expect(written).toEqual(['\ufffd]0;x\ufffd 1\n', '\r\u001b[K\ufffd[2J']);
  });

  it.each([
    ['there is no terminal', false, true],
    ['the output is JSON', true, false],
  ])('progress is not shown where %s', (_where, isTTY, enabled) => {
    const { written, stream } = streamOf(isTTY);
    const progress = terminalProgress(stream, enabled);
    progress.show('1 document');
    progress.end();
    expect(written).toEqual([]);
  });
});
