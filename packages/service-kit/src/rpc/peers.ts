import { type Contract, compile, isErrorCode, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type NatsConnection, NatsError, ErrorCode as NatsErrorCode, headers as natsHeaders } from 'nats';
import { currentContext, newContext, remainingMs } from '../context.js';
import { Problem } from '../problem.js';
import { decode, encode, header, writeContext } from './wire.js';

/** How an operation asks the other services. */
export class Peers {
  readonly #checks = new Map<string, ReturnType<typeof compile>>();

  constructor(private readonly connection: NatsConnection) {}

  /**
   * Asks and waits: at most the contract's time-out, and never past the deadline of the work in hand.
   * @throws Problem with the code that the other side answered; `engine_error` when nobody listens, nobody answers in
   * time, or the answer is not one that the contract allows.
   */
  async ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    const timeoutMs = Math.floor(remainingMs(contract.timeoutMs));
    if (timeoutMs <= 0)
      throw new Problem('engine_error', { cause: new Error(`no time left to ask ${contract.subject}`) });
    const headers = natsHeaders();
    const context = currentContext() ?? newContext(timeoutMs);
    writeContext(headers, { ...context, deadlineMs: Date.now() + timeoutMs });
    const message = await this.connection
      .request(contract.subject, encode(request), { timeout: timeoutMs, headers })
      .catch((error: unknown) => {
        throw new Problem('engine_error', { cause: new Error(describe(contract, error), { cause: error }) });
      });
    const body = decode(message.data);
    if (message.headers?.has(header.errorText)) throw toProblem(contract, body);
    const checked = this.#check(contract)(body);
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

  #check(contract: Contract): ReturnType<typeof compile> {
    let check = this.#checks.get(contract.subject);
    if (!check) {
      check = compile(contract.reply);
      this.#checks.set(contract.subject, check);
    }
    return check;
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
