/** What a browser is told of everything that is shown without a key: keep it to yourself, and trust nothing in it. */
const everyVisit = {
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'referrer-policy': 'no-referrer',
} as const;

/** The headers of a page: it runs no script, loads nothing and stands in no frame. */
export const htmlHeaders = {
  ...everyVisit,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cache-control': 'private, no-cache',
} as const;

/**
 * The headers of the reference. Its renderer is a script of our own host that asks our own host for the description; it
 * writes styles into the page.
 */
export const referenceHeaders = {
  ...htmlHeaders,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
} as const;

/** The headers of a file whose name changes with its content. */
export const assetHeaders = {
  ...everyVisit,
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'accept-encoding',
} as const;

/** The headers of a PDF file. */
export const pdfHeaders = {
  ...everyVisit,
  'content-type': 'application/pdf',
  'cache-control': 'private, no-cache',
} as const;
