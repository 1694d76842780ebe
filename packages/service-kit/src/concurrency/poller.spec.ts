import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../process/logger.js';
import { Poller, type TickResult } from './poller.js';

const logger = createLogger('test', 'silent');

/** A poller whose ticks are counted, and can be waited for. */
function countedPoller(idleMs: number, tick: (count: number) => Promise<TickResult>) {
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  const poller = new Poller({
    name: 'test',
    idleMs,
    logger,
    tick: async () => {
      count += 1;
      for (const { resolve } of waiting.filter((waiter) => waiter.at <= count)) {
        resolve();
      }
      return tick(count);
    },
  });
  return {
    poller,
    reached: (at: number) =>
      count >= at ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ at, resolve })),
  };
}

describe('Poller', () => {
  it('a poller ticks again at once while there is more', async () => {
    const { poller, reached } = countedPoller(60_000, async (count) => (count < 5 ? 'more' : 'idle'));
    poller.start();
    await reached(5);
    await poller.stop();
  });

  it('a trigger makes the poller tick at once, also during a tick', async () => {
    let triggerInTick = true;
    const { poller, reached } = countedPoller(60_000, async () => {
      if (triggerInTick) {
        poller.trigger();
      }
      triggerInTick = false;
      return 'idle';
    });
    poller.start();
    await reached(2);
    poller.trigger();
    await reached(3);
    await poller.stop();
  });

  it.each([
    ['soon', 5],
    ['long before a long pause ends', 60_000],
  ])(
    'a poller ticks again after a tick that failed %s',
    async (_when, idleMs) => {
      const { poller, reached } = countedPoller(idleMs, async (count) => {
        if (count === 1) {
          throw new Error('failed');
        }
        return 'idle';
      });
      poller.start();
      await reached(2);
      await poller.stop();
    },
    10_000,
  );

  it('a tick that knows when there is work shortens the pause', async () => {
    const { poller, reached } = countedPoller(60_000, async () => 5);
    poller.start();
    await reached(3);
    await poller.stop();
  });

  it('a tick never makes the pause longer', async () => {
    const { poller, reached } = countedPoller(5, async () => Number.POSITIVE_INFINITY);
    poller.start();
    await reached(3);
    await poller.stop();
  });

  it('stop waits for the current tick', async () => {
    let finished = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { poller, reached } = countedPoller(60_000, async () => {
      await held;
      finished = true;
      return 'more';
    });
    poller.start();
    await reached(1);
    const stopped = poller.stop();
    release();
    await stopped;
    expect(finished).toBe(true);
  });
});
