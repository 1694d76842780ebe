import type { ErrorCode } from '@pinkas/contracts';
import { ApiError, toApiError } from '@pinkas/service-kit';
import { escapeHtml } from '@pinkas/ui';
import type { ResponseRenderer } from './http-message.js';
import type { PageReply } from './http-page.js';
import { htmlHeaders } from './page-headers.js';
import { plainPage } from './plain-page.js';

/** The problems that a page explains; any other is an internal error. */
const explainedCodes: readonly ErrorCode[] = ['not_found', 'rate_limited', 'engine_error'];

const texts = {
  not_found: {
    he: 'המסמך לא נמצא',
    heMore: 'ייתכן שהקישור הועתק באופן חלקי. כדאי לבקש אותו שוב מבית העסק.',
    en: 'There is no document here',
    enMore: 'The link may have been copied only in part. Please ask the business for it again.',
  },
  rate_limited: {
    he: 'יותר מדי כניסות בדקה זו',
    heMore: 'נסו שוב בעוד רגע.',
    en: 'Too many visits in this minute',
    enMore: 'Please try again in a moment.',
  },
  unavailable: {
    he: 'לא ניתן להציג את המסמך כעת',
    heMore: 'המסמך שמור. נסו שוב בעוד רגע.',
    en: 'The document cannot be shown right now',
    enMore: 'It is safe. Please try again in a moment.',
  },
} as const;

/** Responses for people without a key: a problem is a page as well. */
export const pageRenderer: ResponseRenderer<PageReply> = {
  toApiError: (error) => {
    const apiError = toApiError(error);
    return explainedCodes.includes(apiError.code)
      ? apiError
      : new ApiError('internal_error', { cause: error });
  },
  render: (reply) => reply,
  renderError: (apiError, requestId) => {
    const body = failurePage(apiError, requestId);
    return { status: apiError.status, headers: htmlHeaders(body), body };
  },
};

/** What a visitor sees instead of a document. */
function failurePage(apiError: ApiError, requestId: string): string {
  const text =
    apiError.code === 'not_found' || apiError.code === 'rate_limited'
      ? texts[apiError.code]
      : texts.unavailable;
  return plainPage(
    text.en,
    `<main>
<div lang="he" dir="rtl">
<h1>${text.he}</h1>
<p>${text.heMore}</p>
</div>
<hr>
<h2>${text.en}</h2>
<p>${text.enMore}</p>
<hr>
<p><small>${escapeHtml(requestId)}</small></p>
</main>`,
  );
}
