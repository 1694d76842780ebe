import type { Step } from './step.js';

/** The steps of one process by the names of their consumers. The kit fills it before the first request arrives. */
export class Steps {
  readonly #byConsumer = new Map<string, Step>();

  add(step: Step): void {
    this.#byConsumer.set(step.consumer, step);
  }

  /** Whether a redrive may succeed: the step exists, and its event is what it expects. */
  canCarryOut({ consumer, body }: { consumer: string; body: string }): boolean {
    return this.of(consumer)?.canRead(body) ?? false;
  }

  of(consumer: string): Step | undefined {
    return this.#byConsumer.get(consumer);
  }
}
