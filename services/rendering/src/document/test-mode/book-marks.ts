import { isTestBook } from '@pinkas/domain';
import { compact, directions, html, type Markup } from '@pinkas/ui';
import { languageOf, type Sheet } from '../sheet.js';
import { wording } from '../wording.js';

/**
 * A document of a test book is marked in both languages, whatever its own: across every page, so that none can pass for a document
 * that counts, and at its head for those who read by ear.
 */
export function bookMarks(sheet: Sheet): Markup | null {
  if (!isTestBook(sheet.document.business_id)) {
    return null;
  }
  const { he, en } = wording.test;
  const marks = sheet.standing
    ? compact`
        <svg class="stamp" role="img" aria-label="${he} · ${en}" viewBox="0 0 420 420">
          <g font-size="44" text-anchor="middle" dominant-baseline="central">
            <text x="210" y="105" transform="rotate(-28 210 105)">${he}</text>
            <text x="210" y="315" transform="rotate(-28 210 315)">${en}</text>
          </g>
        </svg>`
    : compact`
        <p class="stamp test" aria-hidden="true">
          <span lang="he" dir="rtl">${he}</span>
          <span lang="en" dir="ltr">${en}</span>
        </p>`;
  const language = languageOf(sheet);
  const notices = [language, language === 'he' ? 'en' : 'he'] as const;
  return html`${marks}<section class="notice">${notices.map(
    (own) => html`<p lang="${own}" dir="${directions[own]}">${wording.testNotice[own]}</p>`,
  )}</section>`;
}
