import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { ConnectionState } from '../process/nats-connection.js';
import { header } from './headers.js';

/** Why a call has no reply. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError';
}

interface PendingCall {
  readonly subject: string;
  readonly resolve: (reply: Msg) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: NodeJS.Timeout;
  silence: NodeJS.Timeout;
}

/**
 * Receives the replies to the calls of this process, over one subscription.
 *
 * A handler reports progress every second until it replies (ADR 0029). So a call ends early when its handler has died, hangs
 * or is cut off: after `silence` without a message, and at once when the connection to NATS is lost.
 */
export class ReplyInbox {
  readonly #pending = new Map<string, PendingCall>();
  readonly #state: ConnectionState;
  readonly #subject: string;
  #subscribed = false;
  #calls = 0;

  constructor(
    private readonly connection: NatsConnection,
    inboxPrefix?: string,
  ) {
    this.#subject = createInbox(inboxPrefix);
    this.#state = new ConnectionState(connection, {
      disconnected: () => this.#rejectWhere(() => true, 'lost its connection to NATS'),
      publishDenied: (subject) =>
        this.#rejectWhere((call) => call.subject === subject, 'may not be called by this process'),
    });
  }

  /**
   * Sends a request to `subject`, and waits for its reply at most `timeoutMs`.
   * @throws NoReplyError when NATS is not connected, nobody handles the subject, or no reply comes.
   */
  async request(subject: string, data: Uint8Array, headers: MsgHdrs, timeoutMs: number): Promise<Msg> {
    const startedMs = performance.now();
    if (!(await this.#state.connectedWithin(Math.min(timeoutMs, timeLimitsMs.reconnect)))) {
      throw new NoReplyError(`${subject} cannot be called: NATS is not connected`);
    }
    this.#subscribe();
    const token = String(++this.#calls);
    return new Promise<Msg>((resolve, reject) => {
      const fail = (reason: string) => this.#reject(token, reason);
      this.#pending.set(token, {
        subject,
        resolve,
        reject,
        deadline: setTimeout(() => fail('timed out'), timeoutMs - (performance.now() - startedMs)),
        silence: setTimeout(() => fail('has a handler that does not respond'), timeLimitsMs.silence),
      });
      this.connection.publish(subject, data, { reply: `${this.#subject}.${token}`, headers });
    });
  }

  #subscribe(): void {
    if (this.#subscribed) {
      return;
    }
    this.#subscribed = true;
    this.connection.subscribe(`${this.#subject}.*`, {
      callback: (error, message) =>
        error ? this.#rejectWhere(() => true, `has no reply: ${error.message}`) : this.#receive(message),
    });
  }

  #receive(message: Msg): void {
    const token = message.subject.slice(this.#subject.length + 1);
    const call = this.#pending.get(token);
    if (!call) {
      return;
    }
    if (message.headers?.has(header.progress)) {
      call.silence.refresh();
      return;
    }
    // The status by which the server says that nobody subscribes.
    if (message.data.length === 0 && message.headers?.code === 503) {
      this.#reject(token, 'has no responder');
    } else {
      this.#end(token)?.resolve(message);
    }
  }

  #end(token: string): PendingCall | undefined {
    const call = this.#pending.get(token);
    if (call) {
      this.#pending.delete(token);
      clearTimeout(call.deadline);
      clearTimeout(call.silence);
    }
    return call;
  }

  #reject(token: string, reason: string): void {
    const call = this.#end(token);
    call?.reject(new NoReplyError(`${call.subject} ${reason}`));
  }

  #rejectWhere(isConcerned: (call: PendingCall) => boolean, reason: string): void {
    for (const [token, call] of [...this.#pending]) {
      if (isConcerned(call)) {
        this.#reject(token, reason);
      }
    }
  }
}
