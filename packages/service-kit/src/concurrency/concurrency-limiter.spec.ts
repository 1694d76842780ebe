import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { QueueFullError } from './queue-full-error.js';

describe('ConcurrencyLimiter', () => {
  it('work beyond the limit is rejected at once and counted', async () => {
    let rejected = 0;
    const limiter = new ConcurrencyLimiter(1, () => {
      rejected += 1;
    });
    let finish = () => {};
    const running = limiter.run(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    await expect(limiter.run(async () => {})).rejects.toThrow(QueueFullError);
    expect([rejected, limiter.inFlight]).toEqual([1, 1]);
    finish();
    await running;
    expect(limiter.inFlight).toBe(0);
  });

  it('idle resolves when the last work has ended', async () => {
    const limiter = new ConcurrencyLimiter(2);
    const order: string[] = [];
    let finish = () => {};
    const running = limiter.run(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const idle = limiter.idle(10_000).then(() => order.push('idle'));
    // Later than the immediate in which idle looks at the work in flight.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('finished');
    finish();
    await Promise.all([running, idle]);
    expect(order).toEqual(['finished', 'idle']);
  });

  it('idle resolves after its timeout while work is in flight', async () => {
    const limiter = new ConcurrencyLimiter(1);
    void limiter.run(() => new Promise<void>(() => {}));
    await limiter.idle(1);
    expect(limiter.inFlight).toBe(1);
  });
});
