import { Problem } from '@pinkas/service-kit';

/**
 * Issuers of one series wait here, in the order of their coming, before they take a database connection: else a busy
 * series would hold every connection of the process with transactions that only wait for its row.
 */
export class SeriesLine {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #lengths = new Map<string, number>();

  /** @param lengthMax how many may stand in one line; further ones are refused at once. */
  constructor(private readonly lengthMax: number) {}

  /**
   * Runs `work` when all who came before are through.
   * @param waitMs how long to stand in the line at the most.
   * @throws Problem `engine_error` when the line is full or the wait is over.
   */
  async run<T>(series: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const length = this.#lengths.get(series) ?? 0;
    if (length >= this.lengthMax)
      throw new Problem('engine_error', { cause: new Error('the line of this series is full') });
    this.#lengths.set(series, length + 1);
    const before = this.#tails.get(series) ?? Promise.resolve();
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // Whoever gives up waiting must not let the next one pass those before.
    const tail = before.then(() => left);
    this.#tails.set(series, tail);
    try {
      await inTime(before, waitMs);
      return await work();
    } finally {
      leave();
      const remaining = (this.#lengths.get(series) ?? 1) - 1;
      if (remaining > 0) this.#lengths.set(series, remaining);
      else {
        this.#lengths.delete(series);
        if (this.#tails.get(series) === tail) this.#tails.delete(series);
      }
    }
  }
}

async function inTime(turn: Promise<void>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new Problem('engine_error', { cause: new Error('waited too long in the line of the series') }),
        ),
      Math.max(0, waitMs),
    );
  });
  try {
    await Promise.race([turn, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
