import type { RequestKind } from '@pinkas/contracts';
import type { ApprovalAnswer } from './approval-answer.js';

/** A number that the authority gave for one report of a donation, or for the cancellation of one. */
export interface ReportNumber {
  /** Of the report within its receipt. */
  readonly n: number;
  readonly kind: 'report' | 'cancellation';
  readonly number: string;
  /** The response body. */
  readonly answer: string;
}

/** Why an attempt had no decision. */
export type FailureClass =
  | 'http_4xx'
  | 'http_5xx'
  | 'http_other'
  | 'unreadable'
  | 'time_out'
  | 'unreachable'
  | 'not_connected'
  | 'no_token'
  | 'internal';

/** Why an attempt failed, and what follows. */
export interface StatusFailure {
  /** In plain language, safe for the caller; what somebody has to do about it, where somebody has to. */
  readonly reason: string;
  /** False: another attempt fails the same way until the reason is fixed. */
  readonly retryable: boolean;
  /** It is due again when the owner has logged in. */
  readonly awaitsConnection: boolean;
  /** It concerns every document: the operator has to correct how the application is known to the authority. */
  readonly awaitsOperator?: boolean;
  /** Attempts go on until they succeed: waiting helps, and none is the last. */
  readonly isEndless?: boolean;
  /** No attempt before this instant. */
  readonly notBefore?: Date;
  /** No attempt can ever succeed: none is offered. */
  readonly isFinal?: boolean;
}

/** The subject of the request. */
export interface AskedAbout {
  readonly kind: RequestKind;
  /** The date of the document, YYYY-MM-DD. */
  readonly date: string;
  readonly now: Date;
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
interface DonationDone {
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
