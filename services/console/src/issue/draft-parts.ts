import { documentTypes } from '@pinkas/domain';
import {
  button,
  card,
  dayAndTime,
  html,
  isolate,
  join,
  linkButton,
  type Markup,
  notice,
  postForm,
  type Words,
} from '@pinkas/ui';
import { typeName } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';
import type { Draft } from '../session/draft.repository.js';

const texts = {
  drafts: { he: 'טיוטות', en: 'Drafts' },
  left: { he: 'יש כאן טיוטה שלא הופקה', en: 'You have a draft that was not issued' },
  kept: {
    he: 'טיוטה נשמרת 30 יום, ורק מי שכתב אותה רואה אותה.',
    en: 'A draft is kept for 30 days, and seen only by the person who wrote it.',
  },
  goOn: { he: 'להמשיך בטיוטה', en: 'Go on with the draft' },
  discard: { he: 'מחיקת הטיוטה', en: 'Discard the draft' },
  nobody: { he: 'בלי לקוח', en: 'No customer yet' },
  saved: { he: 'הטיוטה נשמרה', en: 'Draft saved' },
} as const satisfies Record<string, Words>;

const outcomes = {
  draft_saved: {
    kind: 'done',
    he: 'הטיוטה נשמרה. אפשר לחזור אליה מהדף ״הפקת מסמך״.',
    en: 'The draft is saved. Find it again on the page Issue a document.',
  },
  draft_discarded: { kind: 'done', he: 'הטיוטה נמחקה.', en: 'The draft is discarded.' },
  draft_gone: {
    kind: 'info',
    he: 'הטיוטה כבר אינה כאן: היא נמחקה, או שעברו 30 יום.',
    en: 'The draft is not here any more: it was discarded, or 30 days have passed.',
  },
  signed_in_again: {
    kind: 'done',
    he: 'שום דבר לא אבד: הטופס כאן כפי שנכתב, ועוד לא הופק דבר.',
    en: 'Nothing is lost: the form is here as it was typed, and nothing was issued.',
  },
} as const satisfies Record<string, Words & { kind: 'done' | 'info' }>;

/** What has become of a draft, on the page that this leads to. */
export function draftNotice({ t, outcome }: MemberVisit): Markup | null {
  const found = Object.entries(outcomes).find(([name]) => name === outcome)?.[1];
  return found ? notice(found.kind, t(found)) : null;
}

/** When the form was saved. The script of the form replaces it as it does the summary. */
export function savedHint({ language }: MemberVisit, savedAt: Date | undefined): Markup {
  return savedAt
    ? html`<p class="hint" data-saved>${texts.saved[language]} ${dayAndTime(savedAt.toISOString(), language)}</p>`
    : html`<p class="hint" data-saved hidden></p>`;
}

/** The drafts that a person may go on with or discard; null where there are none. @param isOfForm they are of the form below. */
export function draftsCard(visit: MemberVisit, drafts: readonly Draft[], isOfForm: boolean): Markup | null {
  const { t } = visit;
  return drafts.length === 0
    ? null
    : card({
        id: 'drafts',
        title: t(texts[isOfForm ? 'left' : 'drafts']),
        content: html`<ul class="drafts">
  ${drafts.map((draft) => draftItem(visit, draft))}
</ul>
<p class="hint">${t(texts.kept)}</p>`,
      });
}

function draftItem({ csrfToken, language, t, link }: MemberVisit, { form, id, savedAt }: Draft): Markup {
  const type = documentTypes.find((known) => known === form.get('type'));
  const name = form.get('customer.name') ?? '';
  const about = form.get('items.0.description') ?? '';
  const facts = [
    name === '' ? html`${t(texts.nobody)}` : isolate(name, language),
    about === '' ? null : isolate(about, language),
    html`${t(texts.saved)} ${dayAndTime(savedAt.toISOString(), language)}`,
  ];
  const address = link(`/issue/drafts/${id}`);
  const named = `${type ? typeName(type, language) : ''} ${name}`.trim();
  return html`<li>
    <p>
      <strong>${type ? typeName(type, language) : null}</strong>
      <span class="soft">${join(facts, ' · ')}</span>
    </p>
    <div class="buttons">
      ${linkButton({ href: address, text: t(texts.goOn) })}
      ${postForm(
        `${address}/discard`,
        csrfToken,
        button({
          text: t(texts.discard),
          kind: 'quiet',
          label: `${t(texts.discard)}: ${named}`,
        }),
      )}
    </div>
  </li>
  `;
}
