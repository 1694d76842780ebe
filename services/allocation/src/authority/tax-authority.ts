import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import type { AllocationConfig } from '../config.js';
import { classOfStatus, type FailureClass } from './answer-class.js';
import {
  type ApprovalAnswer,
  ForeignAnswer,
  type LookUpAnswer,
  readApprovalAnswer,
  readLookUpAnswer,
} from './approval-answer.js';
import type { ApprovalRequest } from './approval-request.js';
import { GrantFailed } from './authority-grants.js';
import { AuthorityHttp, type HttpAnswer, mayHaveArrived } from './authority-http.js';
import { AuthorityTokens, NotConnected } from './authority-tokens.js';
import { type StatusFailure, statusFailure } from './status-failure.js';

/** A try that brought no decision. */
export interface FailedTry extends StatusFailure {
  readonly kind: 'failed';
  readonly failure: FailureClass;
  readonly answer: string | null;
  /** The authority may have granted a number all the same: look it up before asking again. */
  readonly unclear: boolean;
  /** For the log. */
  readonly cause?: unknown;
}

/** What one try came to. `answer` is the body as it came, for the record. */
export type TryOutcome = (ApprovalAnswer & { readonly answer: string }) | FailedTry;

const approvalPath = 'Invoices/v2/Approval';
const lookUpPath = 'invoice-information/v1/confirmationNumber';

/** The authority's interface for one number at a time. */
@Injectable()
export class TaxAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly http: AuthorityHttp,
    private readonly tokens: AuthorityTokens,
  ) {}

  /**
   * One try: asks for a number, within the time of one question. Where an earlier try may have been granted, it first looks
   * whether there is a number, within the same time again, and asks only where there is none: under the same `invoice_id`.
   * Never throws: whatever goes wrong is an outcome.
   */
  async ask(businessId: string, request: ApprovalRequest, unclear: boolean): Promise<TryOutcome> {
    if (unclear) {
      const found = await this.#lookUp(businessId, request.invoice_id);
      if (found !== 'none') return found;
    }
    const called = await this.#call(businessId, approvalPath, request);
    if (called.kind === 'failed') return called;
    return read(called, (body) => readApprovalAnswer(body, request.invoice_id));
  }

  /** The number that the authority has granted for an invoice. */
  async #lookUp(businessId: string, invoiceId: string): Promise<TryOutcome | 'none'> {
    const called = await this.#call(businessId, lookUpPath, { invoice_id: invoiceId });
    if (called.kind === 'failed') return { ...called, unclear: true };
    if (called.status === 404) return 'none';
    const outcome = read(called, (body) => readLookUpAnswer(body, invoiceId));
    if (outcome.kind === 'none') return 'none';
    return outcome.kind === 'failed' ? { ...outcome, unclear: true } : outcome;
  }

  /** Asks with the business's token; one that is refused is renewed once, and the question asked once more. */
  async #call(
    businessId: string,
    path: string,
    body: object,
  ): Promise<(HttpAnswer & { kind: 'answered' }) | FailedTry> {
    const signal = AbortSignal.timeout(this.config.taxAuthorityTimeoutMs);
    let isOnItsWay = false;
    const post = async (token: string): Promise<HttpAnswer> => {
      isOnItsWay = true;
      const answer = await this.#post(path, token, body, signal);
      isOnItsWay = false;
      return answer;
    };
    try {
      const token = await orAborted(this.tokens.accessToken(businessId), signal);
      let answer = await post(token);
      if (answer.status === 401) {
        const renewed = await orAborted(this.tokens.afterRefusal(businessId, token), signal);
        answer = await post(renewed);
        if (answer.status === 401) {
          await this.tokens.end(businessId, renewed);
          throw new NotConnected('the authority refuses a fresh token');
        }
      }
      return { kind: 'answered', status: answer.status, headers: answer.headers, body: answer.body };
    } catch (error) {
      return {
        kind: 'failed',
        ...this.#failureOf(error, signal),
        answer: null,
        unclear: isOnItsWay && mayHaveArrived(error),
        cause: error,
      };
    }
  }

  #post(path: string, token: string, body: object, signal: AbortSignal): Promise<HttpAnswer> {
    return this.http.call(
      `${this.config.taxAuthorityUrl}/${path}`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify(body),
      },
      signal,
    );
  }

  #failureOf(error: unknown, signal: AbortSignal): StatusFailure & Pick<FailedTry, 'failure'> {
    if (error instanceof NotConnected) {
      return {
        failure: 'not_connected',
        reason:
          'The connection of the business to the tax authority has ended; its owner has to connect it again.',
        triedAgain: true,
        waitsForConnection: true,
      };
    }
    const passing = { triedAgain: true, waitsForConnection: false };
    if (signal.aborted) {
      const seconds = this.config.taxAuthorityTimeoutMs / 1_000;
      return {
        ...passing,
        failure: 'time_out',
        reason: `The tax authority did not answer within ${seconds} seconds.`,
      };
    }
    if (error instanceof GrantFailed) {
      return {
        ...passing,
        failure: 'no_token',
        reason: 'The tax authority did not renew its permission to ask.',
      };
    }
    return { ...passing, failure: 'unreachable', reason: 'The tax authority could not be reached.' };
  }
}

/** What an answer says, or why it says nothing. */
function read<Answer extends ApprovalAnswer | LookUpAnswer>(
  { status, body }: HttpAnswer,
  reader: (body: string) => Answer,
): (Answer & { readonly answer: string }) | FailedTry {
  if (status !== 200) {
    // A server that failed may have failed after it granted.
    return {
      kind: 'failed',
      failure: classOfStatus(status),
      ...statusFailure(status, body),
      answer: body,
      unclear: status >= 500,
    };
  }
  try {
    return { ...reader(body), answer: body };
  } catch (error) {
    const isForeign = error instanceof ForeignAnswer;
    return {
      kind: 'failed',
      failure: 'unreadable',
      reason: isForeign
        ? 'The tax authority answered about another document.'
        : 'The tax authority gave an answer that cannot be read.',
      triedAgain: true,
      waitsForConnection: false,
      answer: body,
      unclear: true,
      cause: error,
    };
  }
}

/** The work goes on when the signal ends the wait for it. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
