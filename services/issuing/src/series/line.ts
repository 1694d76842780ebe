import { Problem } from '@pinkas/service-kit';

/**
 * Those who want the same thing wait here, in the order of their coming, before they take a database connection: else a
 * busy series, say, would hold every connection of the process with transactions that only wait for its row.
 */
export class Line {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #lengths = new Map<string, number>();

  /** @param lengthMax how many may stand in one line; further ones are refused at once. */
  constructor(private readonly lengthMax: number) {}

  /**
   * Runs `work` when all who came before are through.
   * @param waitMs how long to stand in the line at the most.
   * @throws Problem `engine_error` when the line is full or the wait is over.
   */
  async run<T>(wanted: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const length = this.#lengths.get(wanted) ?? 0;
    if (length >= this.lengthMax) throw new Problem('engine_error', { cause: new Error('the line is full') });
    this.#lengths.set(wanted, length + 1);
    const before = this.#tails.get(wanted) ?? Promise.resolve();
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // Whoever gives up waiting must not let the next one pass those before.
    const tail = before.then(() => left);
    this.#tails.set(wanted, tail);
    try {
      await inTime(before, waitMs);
      return await work();
    } finally {
      leave();
      const remaining = (this.#lengths.get(wanted) ?? 1) - 1;
      if (remaining > 0) this.#lengths.set(wanted, remaining);
      else {
        this.#lengths.delete(wanted);
        if (this.#tails.get(wanted) === tail) this.#tails.delete(wanted);
      }
    }
  }
}

async function inTime(turn: Promise<void>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem('engine_error', { cause: new Error('waited too long in the line') })),
      Math.max(0, waitMs),
    );
  });
  try {
    await Promise.race([turn, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
