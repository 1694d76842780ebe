import { Injectable } from '@nestjs/common';
import type { RequestKind } from '@pinkas/contracts';
import { InjectConfig } from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { classOfStatus } from '../authority/answer-class.js';
import { ForeignAnswerError } from '../authority/answer-object.js';
import type { FailedAttempt } from '../authority/attempt-outcome.js';
import { GrantFailedError } from '../authority/authority-grants.js';
import { AuthorityHttp, type HttpAnswer, mayHaveArrived } from '../authority/authority-http.js';
import { type StatusFailure, statusFailure } from '../authority/status-failure.js';
import type { AllocationConfig } from '../config.js';
import { AuthorityTokens, NotConnectedError } from './authority-tokens.js';

/** A request of a document has no answer, for the reason that is the cause: unlike a failed renewal of a token, it may have arrived. */
class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** An answer of the authority, whatever its status. */
export type Answered = HttpAnswer & { readonly kind: 'answered' };

/** The calls of a business at the authority, with its tokens. */
@Injectable()
export class AuthorityCalls {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly http: AuthorityHttp,
    private readonly tokens: AuthorityTokens,
  ) {}

  /**
   * Posts a body with the business's token; a rejected token is renewed and the call repeated, once. Never throws.
   * @param timeoutMs for all of it.
   */
  async post(
    businessId: string,
    url: string,
    body: object,
    timeoutMs: number = this.config.taxAuthorityTimeoutMs,
  ): Promise<Answered | FailedAttempt> {
    const signal = timeoutSignal(timeoutMs);
    const post = (token: string) => this.#post(url, token, body, signal);
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
        ...failureOf(cause, signal, timeoutMs),
        answer: null,
        outcomeUnknown: isUnanswered && mayHaveArrived(cause),
        cause,
      };
    }
  }

  /** @throws UnansweredError. */
  async #post(url: string, token: string, body: object, signal: AbortSignal): Promise<HttpAnswer> {
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
}

function failureOf(
  error: unknown,
  signal: AbortSignal,
  timeoutMs: number,
): StatusFailure & Pick<FailedAttempt, 'failure'> {
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
    const seconds = Math.round(timeoutMs / 100) / 10;
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

/** The decision of a response, or why it has none. */
export function readAnswered<Answer extends object>(
  { status, body }: HttpAnswer,
  kind: RequestKind,
  reader: (body: string) => Answer,
): (Answer & { readonly answer: string }) | FailedAttempt {
  if (status !== 200) {
    // A server may fail after it granted the number.
    return {
      kind: 'failed',
      failure: classOfStatus(status),
      ...statusFailure(status, body, kind),
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
