import type { ErrorCode } from '@pinkas/contracts';
import { ApiError, toApiError } from '@pinkas/service-kit';
import type { PageReply } from './http-page.js';
import type { ResponseRenderer } from './json-renderer.js';
import { htmlHeaders } from './page-headers.js';
import { type Message, messagePage } from './plain-page.js';

/** The problems that a page explains; any other is an internal error. */
const explainedCodes: readonly ErrorCode[] = ['not_found', 'rate_limited', 'engine_error'];

const messages = {
  not_found: {
    he: {
      title: 'המסמך לא נמצא',
      more: 'ייתכן שהקישור הועתק באופן חלקי. כדאי לבקש אותו שוב מבית העסק.',
    },
    en: {
      title: 'There is no document here',
      more: 'The link may have been copied only in part. Please ask the business for it again.',
    },
  },
  rate_limited: {
    he: { title: 'יותר מדי כניסות בדקה זו', more: 'נסו שוב בעוד רגע.' },
    en: { title: 'Too many visits in this minute', more: 'Please try again in a moment.' },
  },
  unavailable: {
    he: { title: 'לא ניתן להציג את המסמך כעת', more: 'המסמך שמור. נסו שוב בעוד רגע.' },
    en: {
      title: 'The document cannot be shown right now',
      more: 'It is safe. Please try again in a moment.',
    },
  },
} as const satisfies Record<string, Message>;

/** Responses for people without a key: a problem is a page as well. */
export const pageRenderer: ResponseRenderer<PageReply> = {
  toApiError: (error) => {
    const apiError = toApiError(error);
    return explainedCodes.includes(apiError.code)
      ? apiError
      : new ApiError('internal_error', { cause: error });
  },
  render: (reply) => reply,
  renderError: ({ code, status }, requestId) => {
    const known = code === 'not_found' || code === 'rate_limited' ? code : 'unavailable';
    const body = messagePage(messages[known], requestId);
    return { status, headers: htmlHeaders(body), body };
  },
};
