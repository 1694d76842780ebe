import { createHash } from 'node:crypto';

/** What a browser is told of everything that is shown without a key: keep it to yourself, and trust nothing in it. */
const everyVisit = {
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'referrer-policy': 'no-referrer',
} as const;

const html = {
  ...everyVisit,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-cache',
} as const;

/**
 * The headers of a page: it runs no script, loads nothing, stands in no frame, and has no style but the one that it was
 * written with, which is known by its hash.
 * @param page the whole page, with one `<style>` at the most.
 */
export function htmlHeaders(page: string) {
  const style = /<style>([^<]*)<\/style>/.exec(page)?.[1];
  const source =
    style === undefined ? "'none'" : `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  return {
    ...html,
    'content-security-policy': `default-src 'none'; style-src ${source}; font-src data:; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  };
}

/**
 * The headers of the reference. Its renderer is a script of our own host that asks our own host for the description; it
 * writes styles into the page.
 */
export const referenceHeaders = {
  ...html,
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
