import {
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  headers as natsHeaders,
  type Subscription,
} from '@nats-io/nats-core';
import { type NatsContext, ServerNats } from '@nestjs/microservices';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { withTimeout } from '../concurrency/with-timeout.js';
import { ApiError } from '../process/api-error.js';
import type { RpcClient } from './client.js';
import { type ContractHandler, errorReply, type RpcReply } from './contract-handler.js';
import { header } from './headers.js';
import type { RequestReceiver } from './reply-inbox.js';

const progressHeaders = natsHeaders();
progressHeaders.set(header.progress, '1');

/**
 * Nest's NATS transport on the connection of the process, with plain JSON as the payload: Nest's own envelope is known to Nest
 * only, and its deserializer throws on malformed JSON.
 */
export class ContractServer extends ServerNats implements RequestReceiver {
  /** The requests that have no reply yet. */
  readonly #inFlight = new Set<Msg>();
  #reporting: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param client of the same connection, which knows when it moves to another server. */
  constructor(
    private readonly connection: NatsConnection,
    private readonly client: RpcClient,
    queue: string,
  ) {
    super({
      queue,
      // The bytes go to the handler as they are. Without an id Nest would take the message for an event, and not reply.
      deserializer: { deserialize: (data: Uint8Array) => ({ pattern: undefined, data, id: '' }) },
      serializer: {
        serialize: (packet: { response?: RpcReply }) =>
          packet.response ?? errorReply(new ApiError('internal_error')),
      },
    });
    client.receiver = this;
  }

  /** Subscribes to the handler's subject when the server starts to listen. */
  addContract(handler: ContractHandler): void {
    this.addHandler(handler.contract.subject, (data: Uint8Array, context: NatsContext) =>
      handler.reply(data, context.getHeaders() as MsgHdrs | undefined),
    );
  }

  // biome-ignore lint/suspicious/noExplicitAny: Nest types the client of an optional package as any.
  override createNatsClient(): Promise<any> {
    return Promise.resolve(this.connection);
  }

  /** Called by Nest for each request. Until the reply its caller is informed regularly that it is being handled. */
  override getPublisher(message: Msg, id: string, context: NatsContext): (response: unknown) => unknown {
    this.#inFlight.add(message);
    this.#reporting ??= setInterval(() => this.#reportProgress(), timeLimitsMs.progress).unref();
    const publish = super.getPublisher(message, id, context);
    return async (response) => {
      this.#inFlight.delete(message);
      // The client drops what is published while it has no connection.
      await this.client.connectedWithin(timeLimitsMs.reconnect);
      publish(response);
    };
  }

  /** Nest would log each lost connection as an error; the kit logs what happens to it. */
  override handleStatusUpdates(): Promise<void> {
    return Promise.resolve();
  }

  #reportProgress(): void {
    for (const message of this.#inFlight) {
      message.respond(undefined, { headers: progressHeaders });
    }
  }

  pause(): Promise<void> {
    return this.#drain(timeLimitsMs.moveServer);
  }

  async #drain(withinMs: number): Promise<void> {
    const drained = Promise.all(
      subscriptionsOf(this)
        .splice(0)
        .map((subscription) => (subscription.isClosed() ? undefined : subscription.drain())),
    );
    await withTimeout(drained, withinMs, () => {});
  }

  resume(): void {
    if (!this.#closed) {
      this.bindEvents(this.connection);
    }
  }

  /**
   * Accepts no more requests: those that the server sends until it has learned so are handled, unless their callers have given
   * them up. The connection stays open for the replies.
   */
  override close(): Promise<void> {
    this.#closed = true;
    return this.#drain(timeLimitsMs.silence);
  }
}

/**
 * The subscriptions of Nest's server, which it keeps in a private field.
 * @throws where this release of Nest has no such field.
 */
export function subscriptionsOf(server: ServerNats): Subscription[] {
  const { subscriptions } = server as unknown as { subscriptions?: Subscription[] };
  if (!Array.isArray(subscriptions)) {
    throw new Error('ServerNats of @nestjs/microservices has no subscriptions');
  }
  return subscriptions;
}
