import type { Logger } from './logger.js';

/** The resources of a process, closed in the opposite order of their opening. */
export class Closers {
  readonly #closers: { name: string; close: () => unknown }[] = [];

  constructor(private readonly logger: Logger) {}

  add(name: string, close: () => unknown): void {
    this.#closers.push({ name, close });
  }

  /** Closes everything once, one after the other; an error does not keep the rest from being closed. */
  async close(): Promise<void> {
    for (const { name, close } of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.logger.warn({ err: error, part: name }, 'close failed');
      }
    }
  }
}
