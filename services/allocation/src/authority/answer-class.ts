import type { TryOutcome } from './tax-authority.js';

/** Why a try brought no decision, in one of few words. */
export type FailureClass =
  | 'http_4xx'
  | 'http_5xx'
  | 'http_other'
  | 'unreadable'
  | 'time_out'
  | 'unreachable'
  | 'not_connected'
  | 'no_token'
  | 'fault';

/** The class of an HTTP status that brings no decision. */
export function classOfStatus(status: number): FailureClass {
  if (status >= 500) return 'http_5xx';
  return status >= 400 ? 'http_4xx' : 'http_other';
}

/**
 * What the authority said to a try, for counting: `approved`; the hundred of the first code of a refusal, such as `code_4xx`, or
 * `no_code`; or why there was no decision. The codes themselves are as many as the authority likes.
 */
export function answerClass(outcome: TryOutcome): string {
  switch (outcome.kind) {
    case 'granted':
      return 'approved';
    case 'refused': {
      const [code = ''] = outcome.codes;
      if (code === '') return 'no_code';
      return /^[1-9]\d\d$/.test(code) ? `code_${code[0]}xx` : 'code_other';
    }
    case 'failed':
      return outcome.failure;
  }
}
