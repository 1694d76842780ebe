import { describe, expect, it } from '@jest/globals';
import { KeyedQueue } from './keyed-queue.js';
import { QueueFullError } from './queue-full-error.js';

const never = new AbortController().signal;

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
