import { createHash } from 'node:crypto';
import { commonHeaders } from '@pinkas/service-kit/http';

/** The headers of everything that is served without a key. */
const publicHeaders = { ...commonHeaders, 'referrer-policy': 'no-referrer' } as const;

/** The headers of a file, or a text that is read by programs. */
export const fileHeaders = (type: string) => ({
  ...publicHeaders,
  'content-type': type,
  'cache-control': 'private, no-cache',
});

/**
 * The headers of a page that runs no script, loads nothing, is shown in no frame, and has no style but its own, allowed by hash.
 * @param page the whole page, with at most one `<style>`.
 * @param hasForm whether it has a form, which is sent to this origin.
 */
export function htmlHeaders(page: string, { hasForm = false } = {}) {
  const style = /<style>([^<]*)<\/style>/.exec(page)?.[1];
  const source =
    style === undefined ? "'none'" : `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  return {
    ...fileHeaders('text/html; charset=utf-8'),
    'content-security-policy': `default-src 'none'; style-src ${source}; font-src data:; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action ${hasForm ? "'self'" : "'none'"}`,
  };
}
