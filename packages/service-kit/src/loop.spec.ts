import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';
import { Loop } from './loop.js';

const logger = createLogger('test', 'silent');

/** A loop whose turns are counted, and which can be waited for. */
function countedLoop(idleMs: number, turn: (count: number) => Promise<'more' | 'idle'>) {
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  const loop = new Loop({
    name: 'test',
    idleMs,
    logger,
    turn: async () => {
      count += 1;
      for (const one of waiting.filter((waiter) => waiter.at <= count)) one.resolve();
      return turn(count);
    },
  });
  return {
    loop,
    turns: () => count,
    reached: (at: number) =>
      count >= at ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ at, resolve })),
  };
}

describe('a loop', () => {
  it('goes on at once while there is more', async () => {
    const { loop, reached } = countedLoop(60_000, async (count) => (count < 5 ? 'more' : 'idle'));
    loop.start();
    await reached(5);
    await loop.stop();
  });

  it('turns at once when nudged, also when the nudge comes during a turn', async () => {
    let nudgeInTurn = true;
    const { loop, reached } = countedLoop(60_000, async () => {
      if (nudgeInTurn) loop.nudge();
      nudgeInTurn = false;
      return 'idle';
    });
    loop.start();
    await reached(2);
    loop.nudge();
    await reached(3);
    await loop.stop();
  });

  it('outlives a turn that fails, and tries again after a pause', async () => {
    const { loop, reached } = countedLoop(5, async (count) => {
      if (count === 1) throw new Error('failed');
      return 'idle';
    });
    loop.start();
    await reached(2);
    await loop.stop();
  });

  it('finishes the turn in hand before it stops', async () => {
    let finished = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { loop, reached } = countedLoop(60_000, async () => {
      await held;
      finished = true;
      return 'more';
    });
    loop.start();
    await reached(1);
    const stopped = loop.stop();
    release();
    await stopped;
    expect(finished).toBe(true);
  });
});
