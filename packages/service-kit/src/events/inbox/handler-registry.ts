import type { InboxHandler } from './inbox-handler.js';

/** The inbox handlers of one process by consumer. `startService` fills it before the first request arrives. */
export class HandlerRegistry {
  readonly #byConsumer = new Map<string, InboxHandler>();

  add(handler: InboxHandler): void {
    this.#byConsumer.set(handler.consumer, handler);
  }

  of(consumer: string): InboxHandler | undefined {
    return this.#byConsumer.get(consumer);
  }

  /** Whether a redrive may succeed: the consumer exists, and the body matches its event's schema. */
  isRedrivable({ consumer, body }: { consumer: string; body: string }): boolean {
    return this.of(consumer)?.canRead(body) ?? false;
  }
}
