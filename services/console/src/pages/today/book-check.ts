import { dayInIsrael } from '@pinkas/domain';
import {
  count,
  dayAndTime,
  formatInstantTime,
  html,
  leftToRight,
  linkButton,
  type Markup,
  type Task,
  type Words,
} from '@pinkas/ui';
import type { CompletedCheck } from '../../book-check/book-check.repository.js';
import type { MemberVisit } from '../../http/visit.js';

/** A daily check that is older has been missed. */
const freshMs = 36 * 60 * 60_000;

/** What a check comes to, for people. */
export type CheckState = 'none' | 'sound' | 'found' | 'old';

export const checkWords = {
  documents: { he: 'מסמכים', en: 'documents' },
  noGap: { he: 'ללא פערים', en: 'no gap' },
  checked: { he: 'נבדקו', en: 'checked' },
  notYet: { he: 'הספר עוד לא נבדק', en: 'The book is not checked yet' },
  lastChecked: { he: 'הספר נבדק לאחרונה', en: 'The book was last checked' },
  missed: { he: 'הבדיקה שאחריה לא הושלמה', en: 'the check after that was not completed' },
  found: { he: 'הבדיקה היומית של הספר מצאה אי־התאמות', en: 'The daily check of the book has findings' },
  foundMore: {
    he: 'אין להפיק או לתקן דבר לפני שמי שמפעיל את המערכת בדק אותן.',
    en: 'Have the operator of the system look at them before anything is corrected.',
  },
  show: { he: 'להצגה', en: 'Show them' },
  what: { he: 'מה נבדק', en: 'What is checked' },
} as const satisfies Record<string, Words>;

/** A check that failed, or is old, states nothing about the book of today. */
export function checkStateOf(check: CompletedCheck | undefined, now: Date): CheckState {
  if (!check) {
    return 'none';
  }
  if ((check.findings ?? []).length > 0) {
    return 'found';
  }
  const isFresh = now.getTime() - check.completed_at.getTime() <= freshMs;
  return isFresh && check.failed_at === null ? 'sound' : 'old';
}

/** One line on the state of the book, which leads to what is checked. A test book has none. */
export function checkLine(visit: MemberVisit, check: CompletedCheck | undefined, now: Date): Markup | null {
  const { isTest, language, link } = visit;
  const state = checkStateOf(check, now);
  if (isTest || state === 'found') {
    return null;
  }
  return html`<p class="soft check-line">
  ${stateText(state, check, visit, now)}
  <a href="${link('/check')}">${checkWords.what[language]}</a>
</p>`;
}

function stateText(
  state: CheckState,
  check: CompletedCheck | undefined,
  { language }: MemberVisit,
  now: Date,
): Markup {
  if (!check || state === 'none') {
    return html`${checkWords.notYet[language]}.`;
  }
  const completed = check.completed_at.toISOString();
  const isToday = dayInIsrael(check.completed_at) === dayInIsrael(now);
  const when = isToday ? leftToRight(formatInstantTime(completed)) : dayAndTime(completed, language);
  return state === 'sound'
    ? html`${leftToRight(String(check.documents))} ${checkWords.documents[language]}, ${checkWords.noGap[language]}, ${checkWords.checked[language]} ${when}.`
    : html`${checkWords.lastChecked[language]} ${dayAndTime(completed, language)}; ${checkWords.missed[language]}.`;
}

/** What the check has found needs a person. */
export function checkTasks(visit: MemberVisit, check: CompletedCheck | undefined, now: Date): Task[] {
  const { isTest, language, link } = visit;
  if (isTest || checkStateOf(check, now) !== 'found') {
    return [];
  }
  return [
    {
      title: html`${checkWords.found[language]} ${count(check?.findings?.length ?? 0)}`,
      tone: 'bad',
      detail: checkWords.foundMore[language],
      action: linkButton({ href: link('/check'), text: checkWords.show[language], kind: 'secondary' }),
    },
  ];
}
