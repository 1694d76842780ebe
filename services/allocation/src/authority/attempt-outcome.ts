import type { FailureClass } from './answer-class.js';
import type { ApprovalAnswer } from './approval-answer.js';
import type { StatusFailure } from './status-failure.js';

/** An attempt without a decision. */
export interface FailedAttempt extends StatusFailure {
  readonly kind: 'failed';
  readonly failure: FailureClass;
  readonly answer: string | null;
  /** The authority may have granted a number: it is looked up before it is requested again. */
  readonly outcomeUnknown: boolean;
  /** For the log. */
  readonly cause?: unknown;
}

/** The outcome of one attempt. `answer` is the response body, kept for the record. */
export type AttemptOutcome = (ApprovalAnswer & { readonly answer: string }) | FailedAttempt;
