import { type MsgHdrs, headers as natsHeaders } from '@nats-io/nats-core';
import { type Contract, compile, compileTolerant } from '@pinkas/contracts';
import type { ConcurrencyLimiter } from '../concurrency/concurrency-limiter.js';
import { ApiError } from '../process/api-error.js';
import { type CallContext, newContext } from '../process/context.js';
import type { Logger } from '../process/logger.js';
import { logContextOf } from '../tracing/log-context-of.js';
import { markFailed, type Span, SpanKind, setLogContext } from '../tracing/spans.js';
import type { Tracing } from '../tracing/tracing.js';
import { header, readTraceHeaders } from './headers.js';
import type { Handles } from './operation.js';
import { decode, encode, stripUnknown } from './payload.js';
import { outcomeOf, type RequestMetrics } from './request-metrics.js';
import { rpcAttributes } from './span-attributes.js';
import { toApiError } from './to-api-error.js';

/** A reply on its way out. */
export interface RpcReply {
  data: Uint8Array;
  headers?: MsgHdrs;
}

/** Turns the messages of one contract's subject into calls of its operation, and what the operation returns or throws into replies. */
export class ContractHandler {
  readonly #check: ReturnType<typeof compileTolerant>;
  readonly #strip: (reply: unknown) => unknown;

  constructor(
    readonly contract: Contract,
    private readonly handle: Handles<Contract>,
    private readonly parts: {
      limiter: ConcurrencyLimiter;
      metrics: RequestMetrics;
      tracing: Tracing;
      logger: Logger;
    },
  ) {
    const { request, reply, unknownMembers } = contract;
    this.#check = unknownMembers === 'refused' ? compile(request) : compileTolerant(request);
    this.#strip = stripUnknown(reply);
  }

  /** Never rejects. */
  reply(data: Uint8Array, headers: MsgHdrs | undefined): Promise<RpcReply> {
    const startedMs = performance.now();
    const context = this.#contextOf(headers);
    const span = { kind: SpanKind.SERVER, attributes: rpcAttributes(this.contract) };
    return this.parts.tracing.startEntrySpan(
      context,
      readTraceHeaders(headers),
      this.contract.subject,
      span,
      (serverSpan) => this.#replyIn(serverSpan, context, data, startedMs),
    );
  }

  async #replyIn(span: Span, context: CallContext, data: Uint8Array, startedMs: number): Promise<RpcReply> {
    const { metrics } = this.parts;
    const { subject } = this.contract;
    try {
      const reply = encode(this.#strip(await this.#handle(context, data)));
      metrics.answered(subject, 'ok', startedMs);
      return { data: reply };
    } catch (error) {
      const apiError = toApiError(error);
      markFailed(span, apiError.code, apiError.status >= 500);
      metrics.answered(subject, outcomeOf(apiError), startedMs);
      this.#log(apiError);
      return errorReply(apiError);
    }
  }

  #handle(context: CallContext, data: Uint8Array): Promise<unknown> {
    if (context.deadlineMs <= performance.now()) {
      throw new ApiError('engine_error', {
        cause: new Error('the deadline passed before the request arrived'),
      });
    }
    const request = this.#check(decode(data));
    if (!request.ok) {
      throw ApiError.invalid(request.errors);
    }
    setLogContext(logContextOf(request.value));
    return this.parts.limiter.run(() => this.handle(request.value));
  }

  #contextOf(headers: MsgHdrs | undefined): CallContext {
    const context = newContext(this.contract.timeoutMs, headers?.get(header.requestId) || undefined);
    const remaining = headers?.get(header.remainingMs);
    return remaining && Number.isFinite(Number(remaining))
      ? { ...context, deadlineMs: performance.now() + Number(remaining) }
      : context;
  }

  #log(apiError: ApiError): void {
    const { logger } = this.parts;
    const { subject } = this.contract;
    if (apiError.code === 'internal_error') {
      logger.error({ err: apiError.cause ?? apiError, subject }, 'rpc failed');
    } else if (apiError.cause !== undefined) {
      const event = apiError.status >= 500 ? 'rpc failed' : 'rpc rejected';
      logger.warn({ err: apiError.cause, code: apiError.code, subject }, event);
    }
  }
}

/** The reply that carries an error. */
export function errorReply(apiError: ApiError): RpcReply {
  const headers = natsHeaders();
  headers.set(header.errorText, apiError.code);
  headers.set(header.errorStatus, String(apiError.status));
  return { data: encode({ code: apiError.code, details: apiError.details }), headers };
}
