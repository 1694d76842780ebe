import { describe, expect, it } from '@jest/globals';
import { terminalProgress } from './progress.js';

/** A stream that remembers what was written. */
function streamOf(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, stream: { isTTY, columns: 10, write } as unknown as NodeJS.WriteStream };
}

describe('progress', () => {
  it('stands on one line of a terminal, which is empty again at the end', () => {
    const { written, stream } = streamOf(true);
    const progress = terminalProgress(stream, true);
    progress.show('1 document');
    progress.show('2');
    progress.end();
    progress.end();
    expect(written).toEqual(['\r\u001b[K1 documen', '\r\u001b[K2', '\r\u001b[K']);
  });

  it.each([
    ['there is no terminal', false, true],
    ['a program reads the answer', true, false],
  ])('is not shown where %s', (_where, isTTY, wanted) => {
    const { written, stream } = streamOf(isTTY);
    const progress = terminalProgress(stream, wanted);
    progress.show('1 document');
    progress.end();
    expect(written).toEqual([]);
  });
});
