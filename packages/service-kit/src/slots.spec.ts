import { describe, expect, it } from '@jest/globals';
import { Slots, SlotsFull } from './slots.js';

function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const never = new AbortController().signal;

describe('print slots', () => {
  it('run no more at once than they may, and the others in the order of their arrival', async () => {
    const slots = new Slots(2, 10);
    const gates = [gate(), gate(), gate(), gate()];
    const started: number[] = [];
    const runs = gates.map((one, index) =>
      slots.run(never, async () => {
        started.push(index);
        await one.opened;
      }),
    );
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
    gates[1]?.open();
    await runs[1];
    expect(started).toEqual([0, 1, 2]);
    for (const one of gates) one.open();
    await Promise.all(runs);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('refuse at once when too many wait', async () => {
    const slots = new Slots(1, 1);
    const first = gate();
    const running = slots.run(never, () => first.opened);
    const waiting = slots.run(never, async () => 'ran');
    await expect(slots.run(never, async () => {})).rejects.toThrow(SlotsFull);
    first.open();
    await running;
    await expect(waiting).resolves.toBe('ran');
  });

  it('let go of who no longer waits', async () => {
    const slots = new Slots(1, 1);
    const first = gate();
    const running = slots.run(never, () => first.opened);
    const impatient = new AbortController();
    const gone = slots.run(impatient.signal, async () => 'ran');
    impatient.abort(new Error('too late'));
    await expect(gone).rejects.toThrow('too late');
    const next = slots.run(never, async () => 'ran');
    first.open();
    await running;
    await expect(next).resolves.toBe('ran');
  });

  it('are free again after a failure', async () => {
    const slots = new Slots(1, 0);
    await expect(slots.run(never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(slots.run(never, async () => 'ran')).resolves.toBe('ran');
  });
});
