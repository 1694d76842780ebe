import { describe, expect, it } from '@jest/globals';
import { currentContext, newContext, withContext } from '../process/context.js';
import { QueueFullError } from './queue-full-error.js';
import { Semaphore } from './semaphore.js';

function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const never = new AbortController().signal;

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
