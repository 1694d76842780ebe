import type { AttemptOutcome, FailureClass } from './attempt-outcome.js';

/** The class of an HTTP status that brings no decision. */
export function classOfStatus(status: number): FailureClass {
  if (status >= 500) {
    return 'http_5xx';
  }
  return status >= 400 ? 'http_4xx' : 'http_other';
}

/**
 * The class of a response, for counting: `approved`; the hundreds digit of a refusal's first code, such as `code_4xx`, or
 * `no_code`; or the failure. The codes themselves are unbounded.
 */
export function answerClass(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'granted':
      return 'approved';
    case 'refused': {
      const [code = ''] = outcome.codes;
      if (code === '') {
        return 'no_code';
      }
      return /^[1-9]\d\d$/.test(code) ? `code_${code[0]}xx` : 'code_other';
    }
    case 'failed':
      return outcome.failure;
  }
}
