import { type Msg, type NatsConnection, headers as natsHeaders, type Subscription } from '@nats-io/nats-core';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import type { ContractHandler } from '../rpc/contract-handler.js';
import { header } from '../rpc/headers.js';

/** The servers of NATS may learn only after this process of a subject that its version adds. */
const subscribeAgainMs = 60_000;

/** Handles the contracts to which every process of a service replies: without a queue, each message with the id of the process. */
export class BroadcastServer {
  readonly #handlers: ContractHandler[] = [];
  readonly #subscriptions = new Map<ContractHandler, Subscription>();
  #closed = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly processId: string,
  ) {}

  addContract(handler: ContractHandler): void {
    this.#handlers.push(handler);
  }

  listen(): void {
    for (const handler of this.#handlers) {
      this.#subscribe(handler);
    }
  }

  close(): void {
    this.#closed = true;
    for (const subscription of this.#subscriptions.values()) {
      subscription.unsubscribe();
    }
  }

  #subscribe(handler: ContractHandler): void {
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) {
        void this.#answer(handler, message);
      } else if (!this.#closed) {
        // Denied, which the log has: the server has ended the subscription.
        setTimeout(() => this.#closed || this.#subscribe(handler), subscribeAgainMs).unref();
      }
    };
    this.#subscriptions.set(handler, this.connection.subscribe(handler.contract.subject, { callback }));
  }

  async #answer(handler: ContractHandler, message: Msg): Promise<void> {
    const reportProgress = () => {
      const headers = this.#headers();
      headers.set(header.progress, '1');
      message.respond(undefined, { headers });
    };
    reportProgress();
    const reporting = setInterval(reportProgress, timeLimitsMs.progress).unref();
    const { data, headers = this.#headers() } = await handler.reply(message.data, message.headers);
    clearInterval(reporting);
    headers.set(header.process, this.processId);
    message.respond(data, { headers });
  }

  #headers() {
    const headers = natsHeaders();
    headers.set(header.process, this.processId);
    return headers;
  }
}
