import { type ErrorCode, errorCatalogue, type Sentence, type ValidationError } from '@pinkas/contracts';

/** An expected error with a code of the catalogue. `code` and `details` are safe for the caller; `cause` is for the log only. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** What follows the message of the catalogue, for a caller of the same process. */
  readonly explanation: Sentence | undefined;

  /** What to do in this case, instead of the hint of the catalogue, for a caller of the same process. */
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    options: {
      details?: Record<string, unknown>;
      cause?: unknown;
      explanation?: Sentence;
      hint?: string;
    } = {},
  ) {
    super(errorCatalogue[code].message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.explanation = options.explanation;
    this.hint = options.hint;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return errorCatalogue[this.code].httpStatus;
  }

  /** A `validation_error` that names its faults. */
  static invalid(faults: readonly ValidationError[]): ApiError {
    return new ApiError('validation_error', { details: { errors: faults } });
  }
}
