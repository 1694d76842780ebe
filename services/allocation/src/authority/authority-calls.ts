import { Injectable } from '@nestjs/common';
import { type Clock, InjectClock, InjectConfig } from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import type { AllocationConfig } from '../config.js';
import { classOfStatus } from './answer-class.js';
import { ForeignAnswerError } from './answer-object.js';
import type { Person } from './approval-request.js';
import type { AskedAbout, FailedAttempt, StatusFailure } from './attempt-outcome.js';
import { ClientRejectedError, GrantFailedError } from './authority-grants.js';
import { AuthorityHttp, type HttpAnswer, mayHaveArrived } from './authority-http.js';
import { AuthorityTokens, NotConnectedError } from './authority-tokens.js';
import { personMissing } from './data-errors.js';
import { isUnknownStatus, retryAfterSeconds, statusFailure } from './status-failure.js';

/** A request of a document has no answer, for the reason that is the cause: unlike a failed renewal of a token, it may have arrived. */
class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** The connection of a business has neither the name nor the id of the person who issues. */
class PersonMissingError extends Error {
  override readonly name = 'PersonMissingError';
}

/** The authority has asked for a pause, which is not over. */
class PausedError extends Error {
  override readonly name = 'PausedError';

  constructor(readonly until: Date) {
    super('the authority has asked for a pause');
  }
}

/** An answer of the authority, whatever its status. */
export type Answered = HttpAnswer & { readonly kind: 'answered' };

/** How a request is made. */
export interface CallOptions {
  /** For all of it: token, request, and its repetition with another token. */
  readonly timeoutMs?: number;
  /** False: a rejected token ends no connection. */
  readonly endsConnection?: boolean;
}

/** A body as it is sent, or what composes it for the person who issues. */
type CallBody = string | ((person: Person) => Promise<string>);

/** The calls of a business at the authority, with its tokens. */
@Injectable()
export class AuthorityCalls {
  /** Until when the authority wants no requests to a product, of any business. */
  readonly #pausedUntil = new Map<string, Date>();

  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectClock() private readonly clock: Clock,
    private readonly http: AuthorityHttp,
    private readonly tokens: AuthorityTokens,
  ) {}

  /**
   * Posts a body with the business's token; a rejected token is renewed and the call repeated, once. Never throws. While the authority
   * wants a pause of a product, nothing is sent to it.
   */
  async post(
    businessId: string,
    url: string,
    body: CallBody,
    { timeoutMs = this.config.taxAuthorityTimeoutMs, endsConnection = true }: CallOptions = {},
  ): Promise<Answered | FailedAttempt> {
    const signal = timeoutSignal(timeoutMs);
    try {
      const pausedUntil = this.#pausedUntil.get(productOf(url));
      if (pausedUntil && pausedUntil > this.clock.now()) {
        throw new PausedError(pausedUntil);
      }
      const token = await orAborted(this.tokens.accessToken(businessId), signal);
      const text = typeof body === 'string' ? body : await body(await this.#person(businessId));
      let answer = await this.#post(url, token, text, signal);
      if (answer.status === 401) {
        const renewed = await orAborted(this.tokens.replaceToken(businessId, token), signal);
        answer = await this.#post(url, renewed, text, signal);
        if (answer.status === 401) {
          if (endsConnection) {
            await this.tokens.endConnection(businessId, renewed);
          }
          throw new NotConnectedError('the authority rejects a fresh token');
        }
      }
      this.#pause(url, answer);
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

  /** The decision of a response, or why it has none. */
  read<Answer extends object>(
    answer: HttpAnswer,
    about: Omit<AskedAbout, 'now'>,
    reader: (body: string) => Answer,
  ): (Answer & { readonly answer: string }) | FailedAttempt {
    return readAnswered(answer, { ...about, now: this.clock.now() }, reader);
  }

  async #person(businessId: string): Promise<Person> {
    const person = await this.tokens.personOf(businessId);
    if (!person) {
      throw new PersonMissingError('the connection names no person');
    }
    return person;
  }

  #pause(url: string, { status, headers }: HttpAnswer): void {
    if (status !== 429) {
      return;
    }
    const now = this.clock.now();
    const until = new Date(now.getTime() + retryAfterSeconds(headers.get('retry-after'), now) * 1_000);
    const product = productOf(url);
    if (until > (this.#pausedUntil.get(product) ?? now)) {
      this.#pausedUntil.set(product, until);
    }
  }

  /** @throws UnansweredError. */
  async #post(url: string, token: string, body: string, signal: AbortSignal): Promise<HttpAnswer> {
    const request = {
      method: 'POST' as const,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body,
    };
    try {
      return await this.http.call(url, request, signal);
    } catch (error) {
      throw new UnansweredError('the authority did not answer', { cause: error });
    }
  }
}

/** The gateway that has a quota of its own: the host, `/shaam/{environment}`, and the product behind it. */
function productOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.split('/').slice(0, 4).join('/')}`;
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
  if (error instanceof PersonMissingError) {
    return { failure: 'not_connected', ...personMissing };
  }
  const passing = { retryable: true, awaitsConnection: false };
  if (error instanceof PausedError) {
    return {
      ...passing,
      failure: 'http_4xx',
      reason: 'The tax authority takes no more requests for now.',
      notBefore: error.until,
    };
  }
  if (error instanceof ClientRejectedError) {
    return {
      ...passing,
      failure: 'no_token',
      reason:
        'The tax authority does not accept this application (its id, its secret, or its subscription). The operator has to correct that. Attempts go on.',
      awaitsOperator: true,
      isEndless: true,
    };
  }
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

function readAnswered<Answer extends object>(
  answer: HttpAnswer,
  about: AskedAbout,
  reader: (body: string) => Answer,
): (Answer & { readonly answer: string }) | FailedAttempt {
  const { status, body } = answer;
  if (status !== 200) {
    return {
      kind: 'failed',
      failure: classOfStatus(status),
      ...statusFailure(answer, about),
      answer: body,
      outcomeUnknown: isUnknownStatus(status),
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
