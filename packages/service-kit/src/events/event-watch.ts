import type { NatsConnection, Subscription } from '@nats-io/nats-core';
import { type EventContract, type EventOf, events } from '@pinkas/contracts';
import { withTimeout } from '../concurrency/with-timeout.js';
import { decode } from '../rpc/payload.js';
import { EventValidators } from './event-validators.js';

/** Watches the events of one document as they are published, without a consumer: what is missed here is only not seen. */
export class EventWatch {
  readonly #validators = new EventValidators();

  constructor(private readonly connection: NatsConnection) {}

  /** Sees what is published from now on. Close it. */
  open(documentId: string): DocumentWatch {
    return new DocumentWatch(this.connection.subscribe(`evt.*.*.*.v1.${documentId}`), this.#validators);
  }
}

/** The events of one document since the watch was opened. */
export class DocumentWatch {
  readonly #seen = new Map<EventContract, unknown>();
  #changed: (() => void) | undefined;

  constructor(
    private readonly subscription: Subscription,
    private readonly validators: EventValidators,
  ) {
    void this.#read();
  }

  /** The latest body of an event, if one was seen. */
  latest<E extends EventContract>(event: E): EventOf<E> | undefined {
    return this.#seen.get(event) as EventOf<E> | undefined;
  }

  /** Resolves when all of the events were seen, or after the timeout. */
  async until(wanted: readonly EventContract[], timeoutMs: number): Promise<void> {
    const isComplete = () => wanted.every((event) => this.#seen.has(event));
    if (isComplete() || timeoutMs <= 0) {
      return;
    }
    const complete = new Promise<void>((resolve) => {
      this.#changed = () => {
        if (isComplete()) {
          resolve();
        }
      };
    });
    await withTimeout(complete, timeoutMs, () => {});
    this.#changed = undefined;
  }

  close(): void {
    this.subscription.unsubscribe();
  }

  async #read(): Promise<void> {
    for await (const { subject, data } of this.subscription) {
      const event = events.find((candidate) => subject.startsWith(`${candidate.subject}.`));
      if (!event) {
        continue;
      }
      const checked = this.validators.check(event, decode(data));
      if (!checked.ok) {
        continue;
      }
      this.#seen.set(event, checked.value);
      this.#changed?.();
    }
  }
}
