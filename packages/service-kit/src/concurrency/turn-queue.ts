import type { Queue, QueueAddOptions } from 'p-queue';

type Run = () => Promise<unknown>;
interface Entry {
  readonly id: string | undefined;
  readonly run: Run;
}
/** The data that a `Semaphore` enqueues with its work. */
export type TurnOptions = QueueAddOptions & { readonly turnOf?: string };

/** A queue in which owners take turns: one entry of each, in the order of arrival, and then the next of each. */
export class TurnQueue implements Queue<Run, TurnOptions> {
  /** In the order of their turns; none is empty. */
  readonly #byOwner = new Map<string, Entry[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enqueue(run: Run, { turnOf = '', id }: Partial<TurnOptions> = {}): void {
    const entries = this.#byOwner.get(turnOf) ?? [];
    entries.push({ id, run });
    this.#byOwner.set(turnOf, entries);
    this.#size += 1;
  }

  dequeue(): Run | undefined {
    const [next] = this.#byOwner;
    if (!next) {
      return undefined;
    }
    const [owner, entries] = next;
    const entry = entries.shift();
    this.#size -= 1;
    this.#byOwner.delete(owner);
    if (entries.length > 0) {
      this.#byOwner.set(owner, entries);
    }
    return entry?.run;
  }

  remove(id: string): void {
    for (const [owner, entries] of this.#byOwner) {
      const index = entries.findIndex((entry) => entry.id === id);
      if (index !== -1) {
        entries.splice(index, 1);
        this.#size -= 1;
        if (entries.length === 0) {
          this.#byOwner.delete(owner);
        }
        return;
      }
    }
  }

  filter(): Run[] {
    return [...this.#byOwner.values()].flatMap((entries) => entries.map(({ run }) => run));
  }

  setPriority(): void {
    throw new Error('the order of turns has no priorities');
  }
}
