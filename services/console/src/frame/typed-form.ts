import { button, dayAndTime, html, type Markup, notice, type Words } from '@pinkas/ui';
import { draftSteps } from '../http/drafts.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  save: { he: 'שמירת טיוטה', en: 'Save draft' },
  discard: { he: 'מחיקת הטיוטה', en: 'Discard the draft' },
  back: {
    he: 'כאן מה שהוקלד ולא נשלח. נשמר ב־',
    en: 'Here is what you typed and did not send. Saved',
  },
  saved: { he: 'הטיוטה נשמרה', en: 'Draft saved' },
} as const satisfies Record<string, Words>;

/** Of a form that keeps what is typed: its script saves it after a pause. */
export const keepsTyping = { 'data-keeps-typing': draftSteps.keep } as const;

/** That a form has what was typed before; null: it has not. @param where which of several forms it is. */
export function typedNotice({ language, typed }: MemberVisit, where: Markup | null = null): Markup | null {
  return typed
    ? notice(
        'info',
        html`${texts.back[language]} ${dayAndTime(typed.savedAt.toISOString(), language)} ${where}`,
      )
    : null;
}

/** The buttons that keep what is typed and discard it, and where the script states that it has kept it. */
export function draftActs({ t, typed }: MemberVisit): Markup {
  const act = (text: Words, step: string) =>
    button({ text: t(text), kind: 'quiet', name: 'step', value: step, isUnchecked: true });
  return html`${act(texts.save, draftSteps.save)}
${typed ? act(texts.discard, draftSteps.discard) : null}
<p class="hint" role="status" data-kept="${t(texts.saved)}"></p>`;
}
