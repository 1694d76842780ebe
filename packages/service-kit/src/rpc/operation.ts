import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, type NatsContext, Payload } from '@nestjs/microservices';
import { type Contract, compile, compileTolerant, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type MsgHdrs, headers as natsHeaders } from 'nats';
import { newContext } from '../context.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { Problem } from '../problem.js';
import { problemOf } from '../problem-of.js';
import { markFailed, noteSubject, type Span, SpanKind } from '../tracing/spans.js';
import { subjectOf } from '../tracing/subject-of.js';
import type { Tracing } from '../tracing/tracing.js';
import { outcomeOf, RequestMetrics } from './request-metrics.js';
import { rpcAttributes } from './rpc-attributes.js';
import { decode, encode, fitted, header, saidTrace } from './wire.js';

/** A reply on its way out: bytes and headers. */
export interface Outgoing {
  data: Uint8Array;
  headers?: MsgHdrs;
}

/** A class that handles one contract. */
export interface Handles<C extends Contract> {
  handle(request: RequestOf<C>): Promise<ReplyOf<C>>;
}

const contractKey = Symbol('pinkas:contract');

/** The contract that a class handles, if it is an operation. */
export function contractOf(target: object): Contract | undefined {
  return Reflect.getMetadata(contractKey, target) as Contract | undefined;
}

/** How many requests the process works on at once, and where it says no. */
export class Admission {
  #inFlight = 0;
  #idle: (() => void) | undefined;
  readonly metrics: RequestMetrics;

  constructor(
    private readonly inFlightMax: number,
    readonly logger: Logger,
    metrics: Metrics,
    readonly tracing: Tracing,
  ) {
    this.metrics = new RequestMetrics(metrics, () => this.#inFlight);
  }

  /** Runs `work` unless the process is full, in which case it refuses at once. */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.inFlightMax) {
      this.metrics.turnedAway();
      throw new Problem('engine_error', { cause: new Error('the process is full') });
    }
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  /** Resolves when nothing is in flight, or after the time given. */
  async idle(timeoutMs: number): Promise<void> {
    // What arrived last is on its way through the transport, some microtasks before it is admitted.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Set by the kit before the first message arrives; Nest makes the operations, so it cannot be passed to them. */
const admissions = new WeakMap<object, Admission>();

/** Ties the operations of one process to its admission. */
export function admitThrough(operation: object, admission: Admission): void {
  admissions.set(operation, admission);
}

/**
 * Makes a class the handler of a contract: its `handle` gets requests that match the schema, and what it returns or
 * throws becomes the reply. A `Problem` travels with its code and details, anything else as `problemOf` has it, with a line
 * in the log.
 */
export function Operation<C extends Contract>(contract: C) {
  const request = contract.request as Contract['request'];
  const check = contract.unknownMembers === 'refused' ? compile(request) : compileTolerant(request);
  const fit = fitted(contract.reply as Contract['reply']);
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
  return <T extends new (...dependencies: any[]) => Handles<C>>(target: T): void => {
    const answer = async function (this: Handles<C>, data: Uint8Array, nats: NatsContext): Promise<Outgoing> {
      const admission = admissions.get(this);
      if (!admission) throw new Error(`${target.name} was not started by the kit`);
      const startedMs = performance.now();
      const incoming = nats.getHeaders() as MsgHdrs | undefined;
      const deadline = Number(incoming?.get(header.deadline));
      const context = newContext(contract.timeoutMs, incoming?.get(header.requestId) || undefined);
      const bounded =
        Number.isFinite(deadline) && deadline > 0 ? { ...context, deadlineMs: deadline } : context;
      const answered = async (span: Span): Promise<Outgoing> => {
        try {
          if (bounded.deadlineMs <= Date.now())
            throw new Problem('engine_error', { cause: new Error('too late') });
          const request = check(decode(data));
          if (!request.ok) throw Problem.invalid(request.faults);
          noteSubject(subjectOf(request.value));
          const reply = await admission.admit(() => this.handle(request.value as RequestOf<C>));
          admission.metrics.answered(contract.subject, 'ok', startedMs);
          return { data: encode(fit(reply)) };
        } catch (error) {
          const problem = problemOf(error);
          markFailed(span, problem.code, problem.status >= 500);
          admission.metrics.answered(contract.subject, outcomeOf(problem), startedMs);
          return toErrorReply(problem, contract, admission.logger);
        }
      };
      const described = { kind: SpanKind.SERVER, attributes: rpcAttributes(contract) };
      return admission.tracing.enter(bounded, saidTrace(incoming), contract.subject, described, answered);
    };
    Object.defineProperty(target.prototype, 'answer', { value: answer, configurable: true, writable: true });
    const descriptor = Object.getOwnPropertyDescriptor(target.prototype, 'answer') as PropertyDescriptor;
    Payload()(target.prototype, 'answer', 0);
    Ctx()(target.prototype, 'answer', 1);
    MessagePattern(contract.subject)(target.prototype, 'answer', descriptor);
    Controller()(target);
    Reflect.defineMetadata(contractKey, contract, target);
  };
}

function toErrorReply(problem: Problem, contract: Contract, logger: Logger): Outgoing {
  if (problem.code === 'internal_error')
    logger.error({ err: problem.cause ?? problem, subject: contract.subject }, 'a request failed');
  else if (problem.cause !== undefined) {
    logger.warn(
      { err: problem.cause, code: problem.code, subject: contract.subject },
      'a request was refused',
    );
  }
  return problemReply(problem);
}

/** The reply where not even an operation's own error handling worked. */
export function internalErrorReply(): Outgoing {
  return problemReply(new Problem('internal_error'));
}

function problemReply(problem: Problem): Outgoing {
  const headers = natsHeaders();
  headers.set(header.errorText, problem.code);
  headers.set(header.errorStatus, String(problem.status));
  return { data: encode({ code: problem.code, details: problem.details }), headers };
}
