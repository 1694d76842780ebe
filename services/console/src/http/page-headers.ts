import { commonHeaders } from '@pinkas/service-kit/http';

/** What every response has. */
const everyHeaders = {
  ...commonHeaders,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const policy = (frames: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    `frame-ancestors ${frames}`,
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

/** The headers of a page: it runs the console's own scripts only, is kept by no cache, and is shown in no frame. */
export const pageHeaders = {
  ...everyHeaders,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy("'none'"),
  'x-frame-options': 'DENY',
} as const;

/** The headers of what a page shows in a frame of the console: a document, which runs nothing and loads nothing. */
export const framedHeaders = {
  ...everyHeaders,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
} as const;

/** The headers of a file for one person. */
export const downloadHeaders = { ...everyHeaders, 'cache-control': 'no-store' } as const;

/** The headers of an asset, whose name changes with its content. */
export const assetHeaders = {
  ...everyHeaders,
  'cache-control': 'public, max-age=31536000, immutable',
} as const;
