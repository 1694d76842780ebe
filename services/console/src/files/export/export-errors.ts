import { ApiError } from '@pinkas/service-kit';

/** Another worker has taken the export over: this attempt stores nothing more. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';

  constructor() {
    super('another attempt of the export has begun');
  }
}

/** The process stops: the export is left to another. */
export class ExportStoppedError extends Error {
  override readonly name = 'ExportStoppedError';

  constructor() {
    super('the process stops');
  }
}

/** An export that writes more than it may. */
export class ExportTooLargeError extends Error {
  override readonly name = 'ExportTooLargeError';

  constructor(maxBytes: number) {
    super(`the export has more than ${maxBytes} bytes: choose fewer days`);
  }
}

/** The files of all exports have as many bytes together as they may. */
export class ExportsFullError extends Error {
  override readonly name = 'ExportsFullError';

  constructor() {
    super('the files of all exports have as many bytes as EXPORTS_MAX_GIB allows');
  }
}

/** The person who asked for it may not do that any more. */
export class NotAllowedError extends Error {
  override readonly name = 'NotAllowedError';

  constructor() {
    super('the person has left the business, or may not send documents any more');
  }
}

/** An attempt that takes longer than it may. */
export class ExportTimeoutError extends Error {
  override readonly name = 'ExportTimeoutError';

  constructor(maxMs: number) {
    super(`the attempt took more than ${maxMs} ms`);
  }
}

/** The words that are stored of an error: without those of an unexpected one, which may quote the book. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    return `${error.code}: ${error.message}`;
  }
  if (
    error instanceof ExportTooLargeError ||
    error instanceof ExportsFullError ||
    error instanceof ExportTimeoutError ||
    error instanceof NotAllowedError
  ) {
    return error.message;
  }
  return error instanceof Error ? error.name : 'unknown';
}
