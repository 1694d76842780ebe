/**
 * Why a page is closed, as the metric names it: after its last print, for its memory, with its Chromium; because it was lost
 * (`crashed`, `hung`, `navigated` away, `failed`), or its document was refused, or no one waits for it any more.
 */
export type PageEnd =
  | 'prints'
  | 'memory'
  | 'replaced'
  | 'crashed'
  | 'hung'
  | 'navigated'
  | 'failed'
  | 'refused'
  | 'abandoned';

/** The document or its settings cannot be printed, on any attempt. The message is safe for the caller. */
export class UnprintableError extends Error {
  override readonly name = 'UnprintableError';

  constructor(
    /** As Gotenberg answers: 409 where a file is missing that the document needs. */
    readonly status: 400 | 409,
    message: string,
    readonly end: PageEnd = 'refused',
  ) {
    super(message);
  }
}

/** The page was lost while it printed. Another page may succeed. */
export class PageLostError extends Error {
  override readonly name = 'PageLostError';

  constructor(
    readonly end: PageEnd,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
