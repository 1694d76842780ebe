import type { FailureClass } from './answer-class.js';
import type { ApprovalAnswer } from './approval-answer.js';
import type { StatusFailure } from './status-failure.js';

/** A number that the authority gave for one report of a donation, or for the cancellation of one. */
export interface ReportNumber {
  /** Of the report within its receipt. */
  readonly n: number;
  readonly kind: 'report' | 'cancellation';
  readonly number: string;
  /** The response body. */
  readonly answer: string;
}

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

/** Every report of a donation is made, or cancelled where that is asked for. */
export interface DonationDone {
  readonly kind: 'granted';
  readonly confirmationNumber: null;
  /** As it is printed; null where there was nothing to cancel. */
  readonly number: string | null;
}

/** The outcome of one attempt. `answer` is the response body, kept for the record. */
export type AttemptOutcome = (
  | ((ApprovalAnswer | DonationDone) & { readonly answer: string | null })
  | FailedAttempt
) & {
  /** Of a donation: the numbers that the attempt has brought, whatever its outcome. */
  readonly reportNumbers?: readonly ReportNumber[];
};
