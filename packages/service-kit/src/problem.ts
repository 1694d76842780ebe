import { type ErrorCode, errorCatalogue, type Fault } from '@pinkas/contracts';

/**
 * An expected refusal with a stable code of the catalogue. `code` and `details` are safe for the caller; `cause` is for
 * the log alone.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(errorCatalogue[code].message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return errorCatalogue[this.code].httpStatus;
  }

  /** A `validation_error` that names its faults. */
  static invalid(faults: readonly Fault[]): Problem {
    return new Problem('validation_error', { details: { errors: faults } });
  }
}
