import type { Problem } from '@pinkas/service-kit';
import { escapeHtml, plainPage } from './plain-page.js';

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
  away: {
    he: 'לא ניתן להציג את המסמך כעת',
    heMore: 'המסמך שמור. נסו שוב בעוד רגע.',
    en: 'The document cannot be shown right now',
    enMore: 'It is safe. Please try again in a moment.',
  },
} as const;

/** What a visitor sees instead of a document. */
export function failurePage(problem: Problem, requestId: string): string {
  const text =
    problem.code === 'not_found' || problem.code === 'rate_limited' ? texts[problem.code] : texts.away;
  return plainPage(
    text.en,
    `<main>
<div lang="he" dir="rtl"><h1>${text.he}</h1><p>${text.heMore}</p></div>
<hr>
<h2>${text.en}</h2><p>${text.enMore}</p>
<hr>
<p><small>${escapeHtml(requestId)}</small></p>
</main>`,
  );
}
