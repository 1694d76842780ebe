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

/** The headers of a PDF file. */
export const pdfHeaders = {
  ...everyVisit,
  'content-type': 'application/pdf',
  'cache-control': 'private, no-cache',
} as const;
