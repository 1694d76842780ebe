import { ServerNats } from '@nestjs/microservices';
import type { NatsConnection, Subscription } from 'nats';
import { internalErrorReply, type Outgoing } from './operation.js';

/**
 * Nest's NATS transport on the connection of the process, with plain JSON on the wire: Nest's own envelope would make
 * each service speak a language that only Nest speaks, and its deserializer throws on malformed JSON.
 */
export class ContractServer extends ServerNats {
  constructor(
    private readonly connection: NatsConnection,
    queue: string,
  ) {
    super({
      queue,
      // The bytes go to the operation as they are; any id makes Nest answer rather than take the message for an event.
      deserializer: { deserialize: (data: Uint8Array) => ({ pattern: undefined, data, id: '' }) },
      serializer: {
        serialize: (packet: { response?: Outgoing }) => packet.response ?? internalErrorReply(),
      },
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: Nest types the client of an optional package as any.
  override createNatsClient(): Promise<any> {
    return Promise.resolve(this.connection);
  }

  /** Takes no more requests; those that have arrived are still answered, since the connection stays open. */
  override async close(): Promise<void> {
    const subscriptions = (this as unknown as { subscriptions: Subscription[] }).subscriptions;
    await Promise.all(subscriptions.splice(0).map((one) => (one.isClosed() ? undefined : one.drain())));
  }
}
