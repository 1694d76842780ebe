import { describe, expect, it } from '@jest/globals';
import { Closers } from './closers.js';
import { createLogger } from './logger.js';

describe('Closers', () => {
  it('closers run in the opposite order, each once, although one fails', async () => {
    const closers = new Closers(createLogger('test', 'silent'));
    const closed: string[] = [];
    closers.add('first', async () => closed.push('first'));
    closers.add('second', () => {
      closed.push('second');
      throw new Error('broken');
    });
    closers.add('third', () => closed.push('third'));
    await closers.close();
    await closers.close();
    expect(closed).toEqual(['third', 'second', 'first']);
  });
});
