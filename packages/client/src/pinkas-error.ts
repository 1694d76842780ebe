import type { ErrorCode, ErrorDetailsOf } from './types.js';

/** A code of the API, or `unexpected_answer`: something other than the API responded, for example a proxy. */
export type KnownErrorCode = ErrorCode | 'unexpected_answer';

/** The details of a code: typed where the catalogue names members. */
type DetailsOf<Code> = Code extends ErrorCode ? ErrorDetailsOf<Code> : Readonly<Record<string, unknown>>;

/** The members of an error response. */
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

/** An error response of the API, or a response of something other than the API. */
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
  /** Details of the error; narrow the code with {@link is} to have them typed. Empty where there are none. */
  readonly details: DetailsOf<Code>;
  /** To quote in a support request. */
  readonly requestId: string | null;
  /** The key of the document that was to be issued; null on other operations. */
  readonly idempotencyKey: string | null;
  /** How often the request was sent. */
  readonly attempts: number;
  /**
   * False: this call issued and cancelled nothing. True: it may have, since the outcome of at least one of its attempts is
   * unknown; the same call with the same {@link idempotencyKey} returns the outcome, and issues at most once.
   */
  readonly outcomeUnknown: boolean;

  constructor(facts: PinkasErrorFacts) {
    super(facts.message + firstField(facts.details));
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

  /** Whether the error has one of these codes; its details are typed then. */
  is<Wanted extends KnownErrorCode>(...codes: Wanted[]): this is PinkasError<Wanted> {
    return (codes as string[]).includes(this.code);
  }

  /** Everything that it states, with the details in full, for a log that writes JSON. */
  toJSON(): PinkasErrorFacts & { readonly name: string } {
    return { ...this, message: this.message };
  }

  /** What `console.log` and `util.inspect` show in Node: all details, at every depth. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `${this.stack ?? this.message}\n${JSON.stringify(this, null, 2)}`;
  }
}

/** The first wrong field of a `validation_error`, for a log that shows the message alone. */
function firstField({ errors }: Members): string {
  const [first, ...others] = Array.isArray(errors) ? errors : [];
  if (!isMembers(first) || typeof first.path !== 'string' || typeof first.message !== 'string') {
    return '';
  }
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return ` ${first.path} ${first.message}${more}`;
}

/** No response: a network failure, a timeout, or the caller's signal. */
export class PinkasConnectionError extends Error {
  /** `AbortError` where the caller's signal ended the call, as with `fetch`. */
  override readonly name: 'PinkasConnectionError' | 'AbortError';
  readonly reason: 'network' | 'timeout' | 'aborted';
  /** The key of the document that was to be issued; null on other operations. */
  readonly idempotencyKey: string | null;
  /** How often the request was sent. */
  readonly attempts: number;
  /**
   * Whether this call may have issued or cancelled a document; the same call with the same {@link idempotencyKey} returns
   * the outcome, and issues at most once. False when it changes nothing, and when a signal ended it before any attempt.
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
  network: 'The connection to the API failed.',
  timeout: 'The API did not respond in time.',
  aborted: 'The call was ended by its signal.',
} as const;

/** The state of a call when one of its attempts ends. */
export interface Sent {
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  /** Whether the call issues or cancels. What only reads has no outcome that could be unknown. */
  readonly changes: boolean;
  /** Whether the outcome of an earlier attempt is unknown. */
  readonly outcomeUnknown: boolean;
}

type Members = Readonly<Record<string, unknown>>;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOr = (value: unknown, otherwise: string | null) => (typeof value === 'string' ? value : otherwise);

/** The statuses of a gateway or proxy that did not reach the API. */
const retryableStatuses: readonly number[] = [502, 503, 504];

/** Whether the outcome of the request is unknown after this error. A proxy does not know it either. */
function leavesOpen(code: string, status: number): boolean {
  if (code === 'document_generation_failed') {
    return false;
  }
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
      message: `HTTP ${response.status} without the JSON of the API.`,
      messageHe: null,
      hint: 'Check the base URL, and the proxies between this program and the API.',
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
