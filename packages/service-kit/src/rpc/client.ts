import { setTimeout as delay } from 'node:timers/promises';
import { type Msg, type NatsConnection, headers as natsHeaders } from '@nats-io/nats-core';
import { type Contract, compileTolerant, isErrorCode, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError } from '../process/api-error.js';
import { currentContext, newContext, remainingMs } from '../process/context.js';
import { logContextOf } from '../tracing/log-context-of.js';
import { attributesOf, currentTraceHeaders, inSpan, SpanKind } from '../tracing/spans.js';
import { header, writeContext, writeTraceHeaders } from './headers.js';
import { decode, encode, stripUnknown } from './payload.js';
import { ConnectionLostError, ReplyInbox, type RequestReceiver } from './reply-inbox.js';
import { rpcAttributes } from './span-attributes.js';

interface CompiledContract {
  strip: (request: unknown) => unknown;
  check: ReturnType<typeof compileTolerant>;
}

/** Before a call is repeated whose connection was lost, or whose idempotency key is in progress: less than a document usually takes. */
const repeatPauseMs = 250;

/** Calls the contracts of other services. */
export class RpcClient {
  readonly #compiled = new Map<string, CompiledContract>();

  readonly #replies: ReplyInbox;

  /** @param inboxPrefix where replies arrive, if not at the default of every client. */
  constructor(connection: NatsConnection, inboxPrefix?: string) {
    this.#replies = new ReplyInbox(connection, inboxPrefix);
  }

  /** Paused while this process moves to another server of NATS. */
  set receiver(receiver: RequestReceiver) {
    this.#replies.receiver = receiver;
  }

  /** @returns whether NATS is connected, after at most `timeoutMs`. */
  connectedWithin(timeoutMs: number): Promise<boolean> {
    return this.#replies.connectedWithin(timeoutMs);
  }

  /**
   * Waits at most the contract's timeout, and never past the deadline of the current context. Where the contract allows it, a call
   * whose connection is lost is sent again.
   * @throws ApiError with the code of the reply; `engine_error` when NATS is not connected, there is no responder, no reply in
   * time, no sign of life from its handler for four seconds, or a reply that violates the contract.
   */
  call<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return this.#callAgain(contract, request, false);
  }

  /**
   * The same, called again while another request with the same idempotency key is in progress: its reply is then that of the other.
   * @throws like `call`; `request_in_progress` when the time is over.
   */
  callOrWait<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return this.#callAgain(contract, request, true);
  }

  async #callAgain<C extends Contract>(
    contract: C,
    request: RequestOf<C>,
    waitsInProgress: boolean,
  ): Promise<ReplyOf<C>> {
    const endMs = performance.now() + remainingMs(contract.timeoutMs);
    let waits = waitsInProgress;
    for (;;) {
      try {
        return await this.#callOnce(contract, request, endMs);
      } catch (error) {
        const { code, cause } = error as ApiError;
        const isLost = contract.isRepeatable && cause instanceof ConnectionLostError;
        // What was sent first may still be handled.
        waits ||= isLost;
        const isTransient = isLost || (waits && code === 'request_in_progress');
        if (!isTransient || performance.now() + repeatPauseMs >= endMs) {
          throw error;
        }
        await delay(repeatPauseMs);
      }
    }
  }

  #callOnce<C extends Contract>(contract: C, request: RequestOf<C>, endMs: number): Promise<ReplyOf<C>> {
    return inSpan(
      contract.subject,
      {
        kind: SpanKind.CLIENT,
        attributes: { ...rpcAttributes(contract), ...attributesOf(logContextOf(request)) },
      },
      async () => {
        const { strip, check } = this.#compile(contract);
        const message = await this.#request(contract, encode(strip(request)), endMs);
        const body = decode(message.data);
        if (message.headers?.has(header.errorText)) {
          throw parseErrorReply(contract, body);
        }
        const checked = check(body);
        if (checked.ok) {
          return checked.value as ReplyOf<C>;
        }
        const { path, message: words } = checked.errors[0] ?? {};
        throw engineError(`the reply of ${contract.subject} violates its contract: ${path} ${words}`);
      },
    );
  }

  async #request(contract: Contract, data: Uint8Array, endMs: number): Promise<Msg> {
    const timeoutMs = Math.floor(endMs - performance.now());
    if (timeoutMs <= 0) {
      throw engineError(`no time left to call ${contract.subject}`);
    }
    const { requestId } = currentContext() ?? newContext(timeoutMs);
    const trace = currentTraceHeaders();
    const headersFor = (leftMs: number) => {
      const headers = natsHeaders();
      writeContext(headers, requestId, leftMs);
      writeTraceHeaders(headers, trace);
      return headers;
    };
    try {
      return await this.#replies.request(contract.subject, data, headersFor, timeoutMs);
    } catch (error) {
      throw new ApiError('engine_error', { cause: error });
    }
  }

  #compile(contract: Contract): CompiledContract {
    let compiled = this.#compiled.get(contract.subject);
    if (!compiled) {
      compiled = {
        strip: contract.unknownMembers === 'refused' ? (request) => request : stripUnknown(contract.request),
        check: compileTolerant(contract.reply),
      };
      this.#compiled.set(contract.subject, compiled);
    }
    return compiled;
  }
}

function engineError(message: string): ApiError {
  return new ApiError('engine_error', { cause: new Error(message) });
}

function parseErrorReply(contract: Contract, body: unknown): ApiError {
  const { code, details } = (body ?? {}) as { code?: unknown; details?: Record<string, unknown> };
  if (isErrorCode(code)) {
    return new ApiError(code, details ? { details } : {});
  }
  return engineError(`${contract.subject} replied with an unknown code`);
}
