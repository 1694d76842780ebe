import { setTimeout as pause } from 'node:timers/promises';
import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { LookTimer } from '../concurrency/look-timer.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { ConnectionState } from '../process/nats-connection.js';
import { header } from './headers.js';

const movePauseMs = 10;
const repeatPauseMs = 100;

/** Why a call has no reply. */
class NoReplyError extends Error {
  override readonly name = 'NoReplyError';
}

class NoResponderError extends NoReplyError {}

/** The connection was lost while the call was in flight: whether it was handled is not known. */
export class ConnectionLostError extends NoReplyError {}

/** The receiver of the requests of other processes on the same connection. */
export interface RequestReceiver {
  /** Accepts no more requests; those that have arrived are handled. */
  pause(): Promise<void>;
  resume(): void;
}

interface PendingCall {
  readonly subject: string;
  readonly resolve: (reply: Msg) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: LookTimer;
  /** Since its last message. */
  readonly silence: LookTimer;
}

/**
 * Receives the replies to the calls of this process, over one subscription.
 *
 * A handler reports progress twice a second until it replies (ADR 0029). So a call ends early when its handler has died, hangs
 * or is cut off: after `silence` without a message, and at once when the connection to NATS is lost.
 */
export class ReplyInbox {
  readonly #pending = new Map<string, PendingCall>();
  readonly #state: ConnectionState;
  readonly #subject: string;
  #subscribed = false;
  #calls = 0;
  /** While this process moves to another server. */
  #moving: Promise<void> | undefined;
  /** Paused during the move, since the server that is left sends it requests until the connection closes. */
  receiver: RequestReceiver | undefined;

  constructor(
    private readonly connection: NatsConnection,
    inboxPrefix?: string,
  ) {
    this.#subject = createInbox(inboxPrefix);
    this.#state = new ConnectionState(connection, {
      serverEnds: () => {
        // Alone, it serves those that are connected until it ends, and accepts no one else. It need not tell their addresses.
        if (connection.info?.cluster === undefined) {
          return;
        }
        this.#moving ??= this.#move().finally(() => {
          this.#moving = undefined;
        });
      },
      serverSilent: () => {
        // Another server answers at once; without one, this one may only be waiting for processor time.
        if (connection.info?.cluster !== undefined) {
          void connection.reconnect().catch(() => {});
        }
      },
      disconnected: () => this.#rejectWhere(() => true, 'lost its connection to NATS', ConnectionLostError),
      publishDenied: (subject) =>
        this.#rejectWhere((call) => call.subject === subject, 'may not be called by this process'),
    });
  }

  /** @returns whether NATS is connected, after at most `timeoutMs`: what is sent in between is lost. */
  connectedWithin(timeoutMs: number): Promise<boolean> {
    return this.#state.connectedWithin(timeoutMs);
  }

  /**
   * Sends a request to `subject`, and waits for its reply at most `timeoutMs`. While the subject has no handler, as in the moment
   * in which the only replica connects again, it is sent again for `reconnect`.
   * @param headersFor its headers, by the time that is left when it is sent.
   * @throws ConnectionLostError; NoReplyError when NATS is not connected, no time is left to send it, the subject has no handler, or no reply comes.
   */
  async request(
    subject: string,
    data: Uint8Array,
    headersFor: (leftMs: number) => MsgHdrs,
    timeoutMs: number,
  ): Promise<Msg> {
    const startedMs = performance.now();
    const leftMs = () => timeoutMs - (performance.now() - startedMs);
    let firstSentMs: number | undefined;
    for (;;) {
      await withTimeout(Promise.resolve(this.#moving), leftMs(), () => {});
      if (!(await this.#state.connectedWithin(Math.min(leftMs(), timeLimitsMs.reconnect)))) {
        throw new NoReplyError(`${subject} cannot be called: NATS is not connected`);
      }
      const remainingMs = Math.floor(leftMs());
      if (remainingMs <= 0) {
        throw new NoReplyError(`${subject} cannot be called: no time is left`);
      }
      firstSentMs ??= performance.now();
      try {
        return await this.#send(subject, data, headersFor(remainingMs), remainingMs);
      } catch (error) {
        const waitedMs = performance.now() - firstSentMs;
        if (
          !(error instanceof NoResponderError) ||
          waitedMs > timeLimitsMs.reconnect ||
          leftMs() < repeatPauseMs
        ) {
          throw error;
        }
        await pause(repeatPauseMs);
      }
    }
  }

  #send(subject: string, data: Uint8Array, headers: MsgHdrs, timeoutMs: number): Promise<Msg> {
    this.#subscribe();
    const token = String(++this.#calls);
    return new Promise<Msg>((resolve, reject) => {
      const deadline = new LookTimer(timeoutMs, () => this.#reject(token, 'timed out'));
      const isSilent = () => this.#reject(token, 'has a handler that does not respond');
      const silence = new LookTimer(timeLimitsMs.silence, isSilent).unref();
      this.#pending.set(token, { subject, resolve, reject, deadline, silence });
      this.connection.publish(subject, data, { reply: `${this.#subject}.${token}`, headers });
    });
  }

  /**
   * Connects to another server before this one, which is about to end, closes the connection: replies that arrive in between
   * would be lost. New calls wait until those in flight have ended, for `moveServer` at most.
   */
  async #move(): Promise<void> {
    const untilMs = performance.now() + timeLimitsMs.moveServer;
    await this.receiver?.pause();
    while (this.#pending.size > 0 && performance.now() < untilMs) {
      await pause(movePauseMs);
    }
    await this.#state.reconnect();
    this.receiver?.resume();
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
      call.silence.renew();
      return;
    }
    // The status by which the server states that no one subscribes.
    if (message.data.length === 0 && message.headers?.code === 503) {
      const call = this.#end(token);
      call?.reject(new NoResponderError(`${call.subject} has no responder`));
    } else {
      this.#end(token)?.resolve(message);
    }
  }

  #end(token: string): PendingCall | undefined {
    const call = this.#pending.get(token);
    if (call) {
      this.#pending.delete(token);
      call.deadline.end();
      call.silence.end();
    }
    return call;
  }

  #reject(token: string, reason: string, Reason = NoReplyError): void {
    const call = this.#end(token);
    call?.reject(new Reason(`${call.subject} ${reason}`));
  }

  #rejectWhere(isConcerned: (call: PendingCall) => boolean, reason: string, Reason = NoReplyError): void {
    for (const [token, call] of [...this.#pending]) {
      if (isConcerned(call)) {
        this.#reject(token, reason, Reason);
      }
    }
  }
}
