import type { ErrorCode, ErrorDetailsOf } from './types.js';

/** A code of the interface, or `unexpected_answer`: something answered that is not the interface, for example a proxy. */
export type KnownErrorCode = ErrorCode | 'unexpected_answer';

/** The details of a code: typed where the catalogue names members. */
type DetailsOf<Code> = Code extends ErrorCode ? ErrorDetailsOf<Code> : Readonly<Record<string, unknown>>;

/** What a refusal consists of. */
export interface PinkasErrorFacts {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly messageHe: string | null;
  readonly hint: string | null;
  readonly retryable: boolean;
  readonly docUrl: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  readonly outcomeUnknown: boolean;
}

/** The interface refused the request, or something between answered in its place. */
export class PinkasError<Code extends string = KnownErrorCode | (string & {})> extends Error {
  override readonly name = 'PinkasError';
  /** Stable, safe to branch on. A code that this version does not know is passed through. */
  readonly code: Code;
  /** The HTTP status. */
  readonly status: number;
  /** The message in Hebrew. */
  readonly messageHe: string | null;
  /** What to do about it. */
  readonly hint: string | null;
  /** Whether the same request with the same key may be sent again. The client has done so already, within its bounds. */
  readonly retryable: boolean;
  /** A page about the code. */
  readonly docUrl: string | null;
  /** Facts about the refusal; narrow the code with {@link is} to have them typed. Empty where there are none. */
  readonly details: DetailsOf<Code>;
  /** To quote when asking for help. */
  readonly requestId: string | null;
  /** The key of the document that was to be issued; null on other operations. */
  readonly idempotencyKey: string | null;
  /** How often the request was sent. */
  readonly attempts: number;
  /**
   * False: this call issued and cancelled nothing. True: it may have, since at least one of its tries ended without word of
   * that, be it an earlier one; the same call with the same {@link idempotencyKey} tells, and issues once at the most.
   */
  readonly outcomeUnknown: boolean;

  constructor(facts: PinkasErrorFacts) {
    super(facts.message);
    this.code = facts.code as Code;
    this.status = facts.status;
    this.messageHe = facts.messageHe;
    this.hint = facts.hint;
    this.retryable = facts.retryable;
    this.docUrl = facts.docUrl;
    this.details = facts.details as DetailsOf<Code>;
    this.requestId = facts.requestId;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
    this.outcomeUnknown = facts.outcomeUnknown;
  }

  /** Whether this is a refusal with one of these codes; its details are typed then. */
  is<Wanted extends KnownErrorCode>(...codes: Wanted[]): this is PinkasError<Wanted> {
    return (codes as string[]).includes(this.code);
  }
}

/** No answer came: the network failed, the time was up, or the caller gave up. */
export class PinkasConnectionError extends Error {
  /** `AbortError` where the caller's signal ended the call, as with `fetch`. */
  override readonly name: 'PinkasConnectionError' | 'AbortError';
  readonly reason: 'network' | 'timeout' | 'aborted';
  /** The key of the document that was to be issued; null on other operations. */
  readonly idempotencyKey: string | null;
  /** How often the request was sent. */
  readonly attempts: number;
  /**
   * Whether this call may have issued or cancelled a document; the same call with the same {@link idempotencyKey} tells, and
   * issues once at the most. False where it changes nothing, and where a signal ended it before a try was left open.
   */
  readonly outcomeUnknown: boolean;

  constructor(
    reason: PinkasConnectionError['reason'],
    facts: {
      idempotencyKey: string | null;
      attempts: number;
      outcomeUnknown: boolean;
      cause?: unknown;
    },
  ) {
    super(messages[reason], { cause: facts.cause });
    this.name = reason === 'aborted' ? 'AbortError' : 'PinkasConnectionError';
    this.reason = reason;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
    this.outcomeUnknown = facts.outcomeUnknown;
  }
}

const messages = {
  network: 'The connection to the interface failed.',
  timeout: 'The interface did not answer in time.',
  aborted: 'The call was ended by its signal.',
} as const;

/** What is known of a call when one of its tries ends. */
export interface Sent {
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  /** Whether the call issues or cancels. What only reads has no outcome that could be unknown. */
  readonly changes: boolean;
  /** Whether an earlier try left open what it had done. */
  readonly outcomeUnknown: boolean;
}

type Members = Readonly<Record<string, unknown>>;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOr = (value: unknown, otherwise: string | null) => (typeof value === 'string' ? value : otherwise);

/** A gateway or proxy that answers for the interface: the request may have been lost on its way. */
const retryableStatuses: readonly number[] = [502, 503, 504];

/** Whether a refusal leaves open what became of the request. Who answers in place of the interface cannot know that either. */
function leavesOpen(code: string, status: number): boolean {
  if (code === 'document_generation_failed') return false;
  return status >= 500 || code === 'request_in_progress' || code === 'unexpected_answer';
}

/**
 * The error of an answer outside 2xx, or of one inside it that cannot be read.
 * @param body the parsed body, or undefined where it is no JSON.
 */
export function errorOf(response: Response, body: unknown, sent: Sent): PinkasError {
  const { idempotencyKey, attempts } = sent;
  const factsOf = (code: string) => ({
    code,
    status: response.status,
    idempotencyKey,
    attempts,
    outcomeUnknown: sent.outcomeUnknown || (sent.changes && leavesOpen(code, response.status)),
  });
  const header = response.headers.get('x-request-id');
  const error = isMembers(body) && isMembers(body.error) ? body.error : undefined;
  if (response.ok || error === undefined || typeof error.code !== 'string') {
    return new PinkasError({
      ...factsOf('unexpected_answer'),
      message: `HTTP ${response.status} without the JSON of the interface.`,
      messageHe: null,
      hint: 'Check the base address, and what stands between this program and the interface.',
      retryable: retryableStatuses.includes(response.status),
      docUrl: null,
      details: {},
      requestId: header,
    });
  }
  return new PinkasError({
    ...factsOf(error.code),
    message: textOr(error.message, null) ?? error.code,
    messageHe: textOr(error.message_he, null),
    hint: textOr(error.hint, null),
    retryable: error.retryable === true,
    docUrl: textOr(error.doc_url, null),
    details: isMembers(error.details) ? error.details : {},
    requestId: isMembers(body) ? textOr(body.request_id, header) : header,
  });
}
