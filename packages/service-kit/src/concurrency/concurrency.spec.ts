import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { periodic, type TickResult } from '../jobs/periodic-task.js';
import { currentContext, newContext, withContext } from '../process/context.js';
import { createLogger } from '../process/logger.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { KeyedQueue } from './keyed-queue.js';
import { LookTimer, timeoutSignal } from './look-timer.js';
import { QueueFullError } from './queue-full-error.js';
import { Semaphore } from './semaphore.js';
import { withTimeout } from './with-timeout.js';

const never = new AbortController().signal;
const logger = createLogger('test', 'silent');

/** A periodic task whose ticks are counted, and can be waited for. */
function countedTask(idleMs: number, tick: (count: number) => Promise<TickResult>) {
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  const task = periodic('test', idleMs, logger, async () => {
    count += 1;
    for (const { resolve } of waiting.filter((waiter) => waiter.at <= count)) {
      resolve();
    }
    return tick(count);
  });
  return {
    task,
    reached: (at: number) =>
      count >= at ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ at, resolve })),
  };
}

function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

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

describe('KeyedQueue', () => {
  const gate = () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };

  it('work on one key runs one at a time, in FIFO order', async () => {
    const queue = new KeyedQueue(10);
    const order: number[] = [];
    let inside = 0;
    const work = (index: number) => async () => {
      inside += 1;
      expect(inside).toBe(1);
      await Promise.resolve();
      order.push(index);
      inside -= 1;
    };
    await Promise.all([0, 1, 2, 3].map((index) => queue.run('a', never, work(index))));
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('work on one key does not delay work on another', async () => {
    const queue = new KeyedQueue(10);
    const { open, opened } = gate();
    const slow = queue.run('a', never, () => opened);
    expect(await queue.run('b', never, async () => 'ran')).toBe('ran');
    open();
    await slow;
  });

  it('work that leaves the queue keeps the order of the others', async () => {
    const queue = new KeyedQueue(10);
    const { open, opened } = gate();
    const order: string[] = [];
    const first = queue.run('a', never, async () => {
      await opened;
      order.push('first');
    });
    const impatient = queue.run('a', AbortSignal.timeout(1), async () => order.push('impatient'));
    const third = queue.run('a', never, async () => order.push('third'));
    await expect(impatient).rejects.toMatchObject({ name: 'TimeoutError' });
    open();
    await Promise.all([first, third]);
    expect(order).toEqual(['first', 'third']);
  });

  it('a full queue rejects at once', async () => {
    const queue = new KeyedQueue(1);
    const { open, opened } = gate();
    const first = queue.run('a', never, () => opened);
    await expect(queue.run('a', never, async () => {})).rejects.toThrow(QueueFullError);
    open();
    await first;
    await queue.run('a', never, async () => {});
  });

  it('the queue goes on after work that failed', async () => {
    const queue = new KeyedQueue(10);
    const failing = async () => {
      throw new Error('failed');
    };
    await expect(queue.run('a', never, failing)).rejects.toThrow('failed');
    expect(await queue.run('a', never, async () => 'next')).toBe('next');
  });
});

describe('PeriodicTask', () => {
  it('a periodic task ticks again at once while there is more', async () => {
    const { task, reached } = countedTask(3_600_000, async (count) => (count < 5 ? { done: 1 } : 'idle'));
    task.start();
    await reached(5);
    await task.stop();
  });

  it('a periodic task that has more to do, and does nothing of it, pauses for longer each time', async () => {
    let ticks = 0;
    const { task, reached } = countedTask(3_600_000, async (count) => {
      ticks = count;
      return { done: 0 };
    });
    task.start();
    await reached(1);
    task.trigger();
    // A pause that the trigger had ended would tick before this.
    await new Promise((resolve) => setImmediate(resolve));
    await task.stop();
    expect(ticks).toBe(1);
  });

  it('a trigger makes a periodic task tick at once, also during a tick', async () => {
    let triggerInTick = true;
    const { task, reached } = countedTask(3_600_000, async () => {
      if (triggerInTick) {
        task.trigger();
      }
      triggerInTick = false;
      return 'idle';
    });
    task.start();
    await reached(2);
    task.trigger();
    await reached(3);
    await task.stop();
  });

  it.each([
    ['soon', 5],
    ['long before a long pause ends', 3_600_000],
  ])('a periodic task ticks again after a tick that failed %s', async (_when, idleMs) => {
    const { task, reached } = countedTask(idleMs, async (count) => {
      if (count === 1) {
        throw new Error('failed');
      }
      return 'idle';
    });
    task.start();
    await reached(2);
    await task.stop();
  });

  it('a tick that knows when there is work shortens the pause', async () => {
    const { task, reached } = countedTask(3_600_000, async () => 5);
    task.start();
    await reached(3);
    await task.stop();
  });

  it('a tick never makes the pause longer', async () => {
    const { task, reached } = countedTask(5, async () => Number.POSITIVE_INFINITY);
    task.start();
    await reached(3);
    await task.stop();
  });

  it('stop waits for the current tick', async () => {
    let finished = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { task, reached } = countedTask(3_600_000, async () => {
      await held;
      finished = true;
      return { done: 1 };
    });
    task.start();
    await reached(1);
    const stopped = task.stop();
    release();
    await stopped;
    expect(finished).toBe(true);
  });
});

describe('Semaphore', () => {
  it('a semaphore runs no more work at once than its concurrency, in FIFO order', async () => {
    const semaphore = new Semaphore(2, 10);
    const gates = [gate(), gate(), gate(), gate()];
    const started: number[] = [];
    const runs = gates.map(({ opened }, index) =>
      semaphore.run(never, async () => {
        started.push(index);
        await opened;
      }),
    );
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
    gates[1]?.open();
    await runs[1];
    expect(started).toEqual([0, 1, 2]);
    for (const { open } of gates) {
      open();
    }
    await Promise.all(runs);
    expect(started).toEqual([0, 1, 2, 3]);
    expect(semaphore.isIdle).toBe(true);
  });

  it('owners take turns, each in FIFO order', async () => {
    const semaphore = new Semaphore(1, 10);
    const first = gate();
    const impatient = new AbortController();
    const ran: string[] = [];
    const runs = ['a', 'a', 'b', 'a', 'c', 'b'].map((owner, index) =>
      semaphore.run(
        never,
        async () => {
          ran.push(`${owner}${index}`);
          await first.opened;
        },
        owner,
      ),
    );
    const gone = semaphore.run(impatient.signal, async () => ran.push('gone'), 'c');
    impatient.abort(new Error('too late'));
    await expect(gone).rejects.toThrow('too late');
    first.open();
    await Promise.all(runs);
    expect(ran).toEqual(['a0', 'a1', 'b2', 'c4', 'a3', 'b5']);
    expect(semaphore.isIdle).toBe(true);
  });

  it('work that had to wait runs in the context of its own caller', async () => {
    const semaphore = new Semaphore(1, 10);
    const first = gate();
    const seen: (string | undefined)[] = [];
    const call = (id: string, work: () => Promise<void>) =>
      withContext(newContext(1_000, id), () =>
        semaphore.run(never, async () => {
          seen.push(currentContext()?.requestId);
          await work();
        }),
      );
    const runs = [
      call('first', () => first.opened),
      call('second', async () => {}),
      call('third', async () => {}),
    ];
    first.open();
    await Promise.all(runs);
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  it('a semaphore whose queue is full rejects at once', async () => {
    const semaphore = new Semaphore(1, 1);
    const first = gate();
    const running = semaphore.run(never, () => first.opened);
    const waiting = semaphore.run(never, async () => 'ran');
    await expect(semaphore.run(never, async () => {})).rejects.toThrow(QueueFullError);
    first.open();
    await running;
    await expect(waiting).resolves.toBe('ran');
  });

  it('queued work whose signal aborts leaves the queue', async () => {
    const semaphore = new Semaphore(1, 1);
    const first = gate();
    const running = semaphore.run(never, () => first.opened);
    const impatient = new AbortController();
    const gone = semaphore.run(impatient.signal, async () => 'ran');
    impatient.abort(new Error('too late'));
    await expect(gone).rejects.toThrow('too late');
    const next = semaphore.run(never, async () => 'ran');
    first.open();
    await running;
    await expect(next).resolves.toBe('ran');
  });

  it('a signal that aborts after the start neither rejects the work nor frees its place', async () => {
    const semaphore = new Semaphore(1, 0);
    const controller = new AbortController();
    const first = gate();
    const running = semaphore.run(controller.signal, async () => {
      await first.opened;
      return 'ran';
    });
    controller.abort(new Error('too late'));
    await expect(semaphore.run(never, async () => {})).rejects.toThrow(QueueFullError);
    first.open();
    await expect(running).resolves.toBe('ran');
  });

  it('work that fails frees its place', async () => {
    const semaphore = new Semaphore(1, 0);
    await expect(semaphore.run(never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(semaphore.run(never, async () => 'ran')).resolves.toBe('ran');
  });
});

describe('LookTimer', () => {
  /** Blocks the event loop in its check phase, which timers follow: those that are due by the clock run before anything is read. */
  const block = (ms: number) =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
        resolve();
      });
    });

  it('a process that got no processor time reads what has arrived before its wait is over', async () => {
    const sender = new Worker(
      `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', () => setTimeout(() => parentPort.postMessage('read'), 20));`,
      { eval: true },
    );
    try {
      await once(sender, 'online');
      const waitMs = 100;
      const message = once(sender, 'message');
      sender.postMessage('');
      const outcome = withTimeout(message, waitMs, () => 'over');
      await block(4 * waitMs);
      expect(await outcome).toEqual(['read']);
    } finally {
      await sender.terminate();
    }
  });

  it('a wait that is renewed is not over before its time begins again', async () => {
    let renewals = 0;
    await new Promise<void>((resolve) => {
      const timer = new LookTimer(80, resolve);
      // Three looks are made between two renewals, so that they add up to more than a wait has.
      const renewing = setInterval(() => {
        renewals += 1;
        timer.renew();
        if (renewals === 6) {
          clearInterval(renewing);
        }
      }, 35);
    });
    expect(renewals).toBe(6);
  });

  it('timeoutSignal aborts with a TimeoutError', async () => {
    const signal = timeoutSignal(1);
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('withTimeout', () => {
  const never = new Promise<string>(() => {});

  it('withTimeout resolves with the value of work that ends in time', async () => {
    await expect(withTimeout(Promise.resolve('done'), 10_000, () => 'late')).resolves.toBe('done');
  });

  it('withTimeout resolves with the substitute after the timeout', async () => {
    await expect(withTimeout(never, 1, () => null)).resolves.toBeNull();
  });

  it('withTimeout rejects with what onTimeout throws', async () => {
    const expire = () => {
      throw new Error('too late');
    };
    await expect(withTimeout(never, 1, expire)).rejects.toThrow('too late');
  });

  it('withTimeout rejects with the error of the work', async () => {
    await expect(withTimeout(Promise.reject(new Error('broken')), 10_000, () => null)).rejects.toThrow(
      'broken',
    );
  });

  it('an error of the work after the timeout is dropped', async () => {
    let fail = (_error: Error) => {};
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    await withTimeout(work, 1, () => null);
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
