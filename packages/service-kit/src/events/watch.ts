import { compileTolerant, type EventContract, type EventOf, events } from '@pinkas/contracts';
import type { NatsConnection, Subscription } from 'nats';
import { decode } from '../rpc/wire.js';

const checks = new Map<EventContract, ReturnType<typeof compileTolerant>>();

/** The event of a message, and its body; undefined where it is none of ours. */
function read(subject: string, data: Uint8Array): { event: EventContract; body: unknown } | undefined {
  const event = events.find((one) => subject.startsWith(`${one.subject}.`));
  if (!event) return undefined;
  const check = checks.get(event) ?? compileTolerant(event.body);
  checks.set(event, check);
  const checked = check(decode(data));
  return checked.ok ? { event, body: checked.value } : undefined;
}

/**
 * Sees the events of one document as they are published, without being one of their consumers: what is missed here is
 * not lost, only not seen.
 */
export class EventWatch {
  constructor(private readonly connection: NatsConnection) {}

  /** Starts to watch; what is published from now on is seen. Close it. */
  open(documentId: string): DocumentWatch {
    return new DocumentWatch(this.connection.subscribe(`evt.*.*.*.v1.${documentId}`));
  }
}

/** The events of one document, from the moment of opening. */
export class DocumentWatch {
  readonly #seen = new Map<EventContract, unknown>();
  #changed: (() => void) | undefined;

  constructor(private readonly subscription: Subscription) {
    void this.#read();
  }

  async #read(): Promise<void> {
    for await (const message of this.subscription) {
      const seen = read(message.subject, message.data);
      if (!seen) continue;
      this.#seen.set(seen.event, seen.body);
      this.#changed?.();
    }
  }

  /** The latest body of an event, if one was seen. */
  latest<E extends EventContract>(event: E): EventOf<E> | undefined {
    return this.#seen.get(event) as EventOf<E> | undefined;
  }

  /** Waits until all of these events were seen, or the time is over. */
  async until(wanted: readonly EventContract[], timeoutMs: number): Promise<void> {
    const complete = () => wanted.every((event) => this.#seen.has(event));
    if (complete() || timeoutMs <= 0) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#changed = undefined;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#changed = () => {
        if (complete()) done();
      };
    });
  }

  close(): void {
    this.subscription.unsubscribe();
  }
}
