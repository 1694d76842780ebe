import { describe, expect, it } from '@jest/globals';
import { Line } from './line.js';

describe('the line of a series', () => {
  const gate = () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };

  it('lets one through at a time, in the order of their coming', async () => {
    const line = new Line(10);
    const order: number[] = [];
    let inside = 0;
    const work = (index: number) => async () => {
      inside += 1;
      expect(inside).toBe(1);
      await Promise.resolve();
      order.push(index);
      inside -= 1;
    };
    await Promise.all([0, 1, 2, 3].map((index) => line.run('a', 1_000, work(index))));
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('does not let other series wait', async () => {
    const line = new Line(10);
    const { open, opened } = gate();
    const slow = line.run('a', 1_000, () => opened);
    expect(await line.run('b', 1_000, async () => 'through')).toBe('through');
    open();
    await slow;
  });

  it('gives up after the wait, without letting those behind pass those before', async () => {
    const line = new Line(10);
    const { open, opened } = gate();
    const order: string[] = [];
    const first = line.run('a', 1_000, async () => {
      await opened;
      order.push('first');
    });
    const impatient = line.run('a', 1, async () => order.push('impatient'));
    const third = line.run('a', 1_000, async () => order.push('third'));
    await expect(impatient).rejects.toMatchObject({ code: 'engine_error' });
    open();
    await Promise.all([first, third]);
    expect(order).toEqual(['first', 'third']);
  });

  it('refuses at once when it is full', async () => {
    const line = new Line(1);
    const { open, opened } = gate();
    const first = line.run('a', 1_000, () => opened);
    await expect(line.run('a', 1_000, async () => {})).rejects.toMatchObject({ code: 'engine_error' });
    open();
    await first;
    await line.run('a', 1_000, async () => {});
  });

  it('goes on after one that failed', async () => {
    const line = new Line(10);
    await expect(
      line.run('a', 1_000, async () => {
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    expect(await line.run('a', 1_000, async () => 'next')).toBe('next');
  });
});
