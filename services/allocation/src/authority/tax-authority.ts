import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import type { AllocationConfig } from '../config.js';
import { type ApprovalAnswer, readApprovalAnswer } from './approval-answer.js';
import type { ApprovalRequest } from './approval-request.js';
import { callAuthority, type HttpAnswer } from './authority-http.js';
import { AuthorityTokens, NotConnected } from './authority-tokens.js';

/** What one try came to. `answer` is the body as it came, for the record. */
export type TryOutcome =
  | (ApprovalAnswer & { readonly answer: string })
  | {
      readonly kind: 'failed';
      /** One plain sentence, safe for the caller. */
      readonly reason: string;
      readonly answer: string | null;
      /** For the log. */
      readonly cause?: unknown;
    };

/** The authority's interface for one number at a time. */
@Injectable()
export class TaxAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly tokens: AuthorityTokens,
  ) {}

  /** Asks once, within the time of one try. Never throws: whatever goes wrong is an outcome. */
  async approve(businessId: string, request: ApprovalRequest): Promise<TryOutcome> {
    const signal = AbortSignal.timeout(this.config.taxAuthorityTimeoutMs);
    try {
      let token = await orAborted(this.tokens.accessToken(businessId), signal);
      let answer = await this.#post(token, request, signal);
      if (answer.status === 401) {
        token = await orAborted(this.tokens.afterRefusal(businessId, token), signal);
        answer = await this.#post(token, request, signal);
      }
      return toOutcome(answer);
    } catch (error) {
      return { kind: 'failed', reason: this.#reasonOf(error, signal), answer: null, cause: error };
    }
  }

  #post(token: string, request: ApprovalRequest, signal: AbortSignal): Promise<HttpAnswer> {
    return callAuthority(
      `${this.config.taxAuthorityUrl}/Invoices/v2/Approval`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify(request),
      },
      signal,
    );
  }

  #reasonOf(error: unknown, signal: AbortSignal): string {
    if (signal.aborted) {
      return `The tax authority did not answer within ${this.config.taxAuthorityTimeoutMs / 1_000} seconds.`;
    }
    if (error instanceof NotConnected) {
      return 'The connection of the business to the tax authority has ended; its owner has to connect it again.';
    }
    return 'The tax authority could not be reached.';
  }
}

function toOutcome({ status, body }: HttpAnswer): TryOutcome {
  if (status !== 200) {
    return { kind: 'failed', reason: `The tax authority answered with HTTP status ${status}.`, answer: body };
  }
  try {
    return { ...readApprovalAnswer(body), answer: body };
  } catch (error) {
    return {
      kind: 'failed',
      reason: 'The tax authority gave an answer that cannot be read.',
      answer: body,
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
