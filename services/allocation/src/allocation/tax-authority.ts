import { Injectable } from '@nestjs/common';
import { allocationPolicyOn } from '@pinkas/domain';
import { InjectConfig } from '@pinkas/service-kit';
import { classOfStatus } from '../authority/answer-class.js';
import {
  type ApprovalAnswer,
  ForeignAnswerError,
  type LookUpAnswer,
  readApprovalAnswer,
  readLookUpAnswer,
} from '../authority/approval-answer.js';
import { approvalRequest } from '../authority/approval-request.js';
import type { AttemptOutcome, FailedAttempt } from '../authority/attempt-outcome.js';
import { GrantFailedError } from '../authority/authority-grants.js';
import { AuthorityHttp, type HttpAnswer, mayHaveArrived } from '../authority/authority-http.js';
import { type StatusFailure, statusFailure } from '../authority/status-failure.js';
import type { AllocationConfig } from '../config.js';
import { AuthorityTokens, NotConnectedError } from '../connection/authority-tokens.js';
import type { ClaimedRow } from './allocation.repository.js';

const approvalPath = 'Invoices/v2/Approval';
const lookUpPath = 'invoice-information/v1/confirmationNumber';

/** A request of a document has no answer, for the reason that is the cause: unlike a failed renewal of a token, it may have arrived. */
class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** The client of the authority's approvals and look-ups. */
@Injectable()
export class TaxAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly http: AuthorityHttp,
    private readonly tokens: AuthorityTokens,
  ) {}

  /**
   * One attempt within `taxAuthorityTimeoutMs`. Where an earlier one has an unknown outcome, the number is looked up first
   * (within the same time again) and requested only if there is none, under the same `invoice_id`.
   * @throws Error where documents of this type get no number on this date.
   */
  async requestNumber({
    business_id: businessId,
    facts: { document, business },
    outcome_unknown,
  }: ClaimedRow): Promise<AttemptOutcome> {
    const invoiceType = allocationPolicyOn(document.date)?.codes[document.type];
    if (invoiceType === undefined) {
      throw new Error(`no code for a ${document.type} of ${document.date}`);
    }
    const { accountingSoftwareNumber } = this.config;
    const request = approvalRequest(document, business, { invoiceType, accountingSoftwareNumber });
    if (outcome_unknown) {
      const found = await this.#lookUp(businessId, request.invoice_id);
      if (found !== 'none') {
        return found;
      }
    }
    const called = await this.#call(businessId, approvalPath, request);
    if (called.kind === 'failed') {
      return called;
    }
    return read(called, (body) => readApprovalAnswer(body, request.invoice_id));
  }

  /** The number that the authority has granted for an invoice. */
  async #lookUp(businessId: string, invoiceId: string): Promise<AttemptOutcome | 'none'> {
    const called = await this.#call(businessId, lookUpPath, { invoice_id: invoiceId });
    if (called.kind === 'failed') {
      return { ...called, outcomeUnknown: true };
    }
    if (called.status === 404) {
      return 'none';
    }
    const outcome = read(called, (body) => readLookUpAnswer(body, invoiceId));
    if (outcome.kind === 'none') {
      return 'none';
    }
    return outcome.kind === 'failed' ? { ...outcome, outcomeUnknown: true } : outcome;
  }

  /** Calls with the business's token; a rejected token is renewed and the call repeated, once. */
  async #call(
    businessId: string,
    path: string,
    body: object,
  ): Promise<(HttpAnswer & { kind: 'answered' }) | FailedAttempt> {
    const signal = AbortSignal.timeout(this.config.taxAuthorityTimeoutMs);
    const post = (token: string) => this.#post(path, token, body, signal);
    try {
      const token = await orAborted(this.tokens.accessToken(businessId), signal);
      let answer = await post(token);
      if (answer.status === 401) {
        const renewed = await orAborted(this.tokens.replaceToken(businessId, token), signal);
        answer = await post(renewed);
        if (answer.status === 401) {
          await this.tokens.endConnection(businessId, renewed);
          throw new NotConnectedError('the authority rejects a fresh token');
        }
      }
      return { kind: 'answered', status: answer.status, headers: answer.headers, body: answer.body };
    } catch (error) {
      const isUnanswered = error instanceof UnansweredError;
      const cause = isUnanswered ? error.cause : error;
      return {
        kind: 'failed',
        ...this.#failureOf(cause, signal),
        answer: null,
        outcomeUnknown: isUnanswered && mayHaveArrived(cause),
        cause,
      };
    }
  }

  /** @throws UnansweredError. */
  async #post(path: string, token: string, body: object, signal: AbortSignal): Promise<HttpAnswer> {
    const url = `${this.config.taxAuthorityUrl}/${path}`;
    const request = {
      method: 'POST' as const,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify(body),
    };
    try {
      return await this.http.call(url, request, signal);
    } catch (error) {
      throw new UnansweredError('the authority did not answer', { cause: error });
    }
  }

  #failureOf(error: unknown, signal: AbortSignal): StatusFailure & Pick<FailedAttempt, 'failure'> {
    if (error instanceof NotConnectedError) {
      return {
        failure: 'not_connected',
        reason:
          'The connection of the business to the tax authority has ended; its owner has to connect it again.',
        retryable: true,
        awaitsConnection: true,
      };
    }
    const passing = { retryable: true, awaitsConnection: false };
    if (signal.aborted) {
      const seconds = this.config.taxAuthorityTimeoutMs / 1_000;
      return {
        ...passing,
        failure: 'time_out',
        reason: `The tax authority did not answer within ${seconds} seconds.`,
      };
    }
    if (error instanceof GrantFailedError) {
      return {
        ...passing,
        failure: 'no_token',
        reason: 'The tax authority did not renew its permission to ask.',
      };
    }
    return { ...passing, failure: 'unreachable', reason: 'The tax authority could not be reached.' };
  }
}

/** The decision of a response, or why it has none. */
function read<Answer extends ApprovalAnswer | LookUpAnswer>(
  { status, body }: HttpAnswer,
  reader: (body: string) => Answer,
): (Answer & { readonly answer: string }) | FailedAttempt {
  if (status !== 200) {
    // A server may fail after it granted the number.
    return {
      kind: 'failed',
      failure: classOfStatus(status),
      ...statusFailure(status, body),
      answer: body,
      outcomeUnknown: status >= 500,
    };
  }
  try {
    return { ...reader(body), answer: body };
  } catch (error) {
    const isForeign = error instanceof ForeignAnswerError;
    return {
      kind: 'failed',
      failure: 'unreadable',
      reason: isForeign
        ? 'The tax authority answered about another document.'
        : 'The tax authority gave an answer that cannot be read.',
      retryable: true,
      awaitsConnection: false,
      answer: body,
      outcomeUnknown: true,
      cause: error,
    };
  }
}

/** Ends the wait when the signal aborts; the work continues. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) {
      abort();
    } else {
      signal.addEventListener('abort', abort, { once: true });
    }
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
