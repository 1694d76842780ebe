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
import type { MemberVisit } from '../http/visit.js';
import type { KnownCheck } from './book-check.repository.js';

/** A daily check that is older has been missed. */
const freshMs = 36 * 60 * 60_000;
/** A round whose next part is overdue by more is not under way. */
const overdueMs = 2 * 60 * 60_000;

/** What a check comes to, for people; `running`: there is no fresh result, and a round of a large book is under way. */
export type CheckState = 'none' | 'running' | 'sound' | 'found' | 'old';

export const checkWords = {
  documents: { he: 'מסמכים', en: 'documents' },
  noGap: { he: 'ללא פערים', en: 'no gap' },
  checked: { he: 'נבדקו', en: 'checked' },
  notYet: { he: 'הספר עוד לא נבדק', en: 'The book is not checked yet' },
  lastChecked: { he: 'הספר נבדק לאחרונה', en: 'The book was last checked' },
  missed: { he: 'הבדיקה שאחריה לא הושלמה', en: 'the check after that was not completed' },
  running: {
    he: 'בדיקה של הספר נמשכת; עד כה נבדקו',
    en: 'A check of the book is under way; so far it has checked',
  },
  found: { he: 'הבדיקה היומית של הספר מצאה אי־התאמות', en: 'The daily check of the book has findings' },
  foundMore: {
    he: 'אין להפיק או לתקן דבר לפני שמי שמפעיל את המערכת בדק אותן.',
    en: 'Have the operator of the system look at them before anything is corrected.',
  },
  show: { he: 'להצגה', en: 'Show them' },
  what: { he: 'מה נבדק', en: 'What is checked' },
} as const satisfies Record<string, Words>;

/** A check that failed, or is old, states nothing about the book of today. */
export function checkStateOf({ completed, running }: KnownCheck, now: Date): CheckState {
  if ((completed?.findings ?? []).length > 0) {
    return 'found';
  }
  const isFresh = completed !== null && now.getTime() - completed.completed_at.getTime() <= freshMs;
  if (isFresh && completed.failed_at === null) {
    return 'sound';
  }
  if (running !== null && now.getTime() - running.due_at.getTime() <= overdueMs && !completed?.failed_at) {
    return 'running';
  }
  return completed === null ? 'none' : 'old';
}

/** One line on the state of the book, which leads to what is checked. A test book has none. */
export function checkLine(visit: MemberVisit, check: KnownCheck, now: Date): Markup | null {
  const { isTest, t, link } = visit;
  const state = checkStateOf(check, now);
  if (isTest || state === 'found') {
    return null;
  }
  return html`<p class="soft check-line">
  ${stateText(state, check, visit, now)}
  <a href="${link('/check')}">${t(checkWords.what)}</a>
</p>`;
}

function stateText(
  state: CheckState,
  { completed: check, running }: KnownCheck,
  { language, t }: MemberVisit,
  now: Date,
): Markup {
  const completed = check?.completed_at.toISOString() ?? '';
  const last = check && html`${t(checkWords.lastChecked)} ${dayAndTime(completed, language)}. `;
  if (state === 'running' && running) {
    return html`${last}${t(checkWords.running)} ${leftToRight(String(running.documents))} ${t(checkWords.documents)}.`;
  }
  if (!check || state === 'none') {
    return html`${t(checkWords.notYet)}.`;
  }
  const isToday = dayInIsrael(check.completed_at) === dayInIsrael(now);
  const when = isToday ? leftToRight(formatInstantTime(completed)) : dayAndTime(completed, language);
  return state === 'sound'
    ? html`${leftToRight(String(check.documents))} ${t(checkWords.documents)}, ${t(checkWords.noGap)}, ${t(checkWords.checked)} ${when}.`
    : html`${t(checkWords.lastChecked)} ${dayAndTime(completed, language)}; ${t(checkWords.missed)}.`;
}

/** What the check has found needs a person. */
export function checkTasks(visit: MemberVisit, check: KnownCheck, now: Date): Task[] {
  const { isTest, t, link } = visit;
  if (isTest || checkStateOf(check, now) !== 'found') {
    return [];
  }
  return [
    {
      title: html`${t(checkWords.found)} ${count(check.completed?.findings?.length ?? 0)}`,
      tone: 'bad',
      detail: t(checkWords.foundMore),
      action: linkButton({ href: link('/check'), text: t(checkWords.show), kind: 'secondary' }),
    },
  ];
}
