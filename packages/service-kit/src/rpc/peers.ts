import { type Contract, compileTolerant, isErrorCode, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type NatsConnection, NatsError, ErrorCode as NatsErrorCode, headers as natsHeaders } from 'nats';
import { currentContext, newContext, remainingMs } from '../context.js';
import { Problem } from '../problem.js';
import { attributesOf, currentCarrier, inSpan, SpanKind } from '../tracing/spans.js';
import { subjectOf } from '../tracing/subject-of.js';
import { rpcAttributes } from './rpc-attributes.js';
import { decode, encode, fitted, header, writeContext, writeTrace } from './wire.js';

/** What is needed to ask one contract. */
interface Compiled {
  fit: (request: unknown) => unknown;
  check: ReturnType<typeof compileTolerant>;
}

/** How an operation asks the other services. */
export class Peers {
  readonly #compiled = new Map<string, Compiled>();

  constructor(private readonly connection: NatsConnection) {}

  /**
   * Asks and waits: at most the contract's time-out, and never past the deadline of the work in hand.
   * @throws Problem with the code that the other side answered; `engine_error` when nobody listens, nobody answers in
   * time, or the answer is not one that the contract allows.
   */
  ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return inSpan(
      contract.subject,
      {
        kind: SpanKind.CLIENT,
        attributes: { ...rpcAttributes(contract), ...attributesOf(subjectOf(request)) },
      },
      () => this.#ask(contract, request),
    );
  }

  async #ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    const timeoutMs = Math.floor(remainingMs(contract.timeoutMs));
    if (timeoutMs <= 0)
      throw new Problem('engine_error', { cause: new Error(`no time left to ask ${contract.subject}`) });
    const headers = natsHeaders();
    const context = currentContext() ?? newContext(timeoutMs);
    writeContext(headers, { ...context, deadlineMs: Date.now() + timeoutMs });
    writeTrace(headers, currentCarrier());
    const { fit, check } = this.#compile(contract);
    const message = await this.connection
      .request(contract.subject, encode(fit(request)), { timeout: timeoutMs, headers })
      .catch((error: unknown) => {
        throw new Problem('engine_error', { cause: new Error(describe(contract, error), { cause: error }) });
      });
    const body = decode(message.data);
    if (message.headers?.has(header.errorText)) throw toProblem(contract, body);
    const checked = check(body);
    if (!checked.ok) {
      const fault = checked.faults[0];
      throw new Problem('engine_error', {
        cause: new Error(
          `${contract.subject} answered against its contract: ${fault?.path} ${fault?.message}`,
        ),
      });
    }
    return checked.value as ReplyOf<C>;
  }

  #compile(contract: Contract): Compiled {
    let compiled = this.#compiled.get(contract.subject);
    if (!compiled) {
      compiled = {
        fit: contract.unknownMembers === 'refused' ? (request) => request : fitted(contract.request),
        check: compileTolerant(contract.reply),
      };
      this.#compiled.set(contract.subject, compiled);
    }
    return compiled;
  }
}

function describe(contract: Contract, error: unknown): string {
  const code = error instanceof NatsError ? error.code : undefined;
  if (code === NatsErrorCode.NoResponders) return `nobody answers ${contract.subject}`;
  if (code === NatsErrorCode.Timeout) return `${contract.subject} did not answer in time`;
  return `${contract.subject} could not be asked`;
}

function toProblem(contract: Contract, body: unknown): Problem {
  const { code, details } = (body ?? {}) as { code?: unknown; details?: Record<string, unknown> };
  if (isErrorCode(code)) return new Problem(code, details ? { details } : {});
  return new Problem('engine_error', {
    cause: new Error(`${contract.subject} answered with an unknown code`),
  });
}
