import { documentTypes } from '@pinkas/domain';
import { card, html, type Language, linkButton, type Markup, notice, pageHead, type Words } from '@pinkas/ui';
import { exportWords } from '../files/export/export-words.js';
import type { ExportView } from '../files/export/exports.js';
import { type NotSentReason, notSentReasons } from '../files/export/send-selected.js';
import { documentName } from '../frame/parts.js';
import { words } from '../frame/words.js';
import { type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { listWords } from './list-words.js';

const texts = {
  none: { he: 'שום מסמך לא נשלח.', en: 'No document was sent.' },
  one: { he: 'מסמך אחד נשלח.', en: 'One document was sent.' },
  many: { he: 'מסמכים נשלחו.', en: 'documents were sent.' },
  where: {
    he: 'מה קרה להודעה של כל מסמך מופיע בדף שלו; הודעה שלא נמסרה מופיעה גם בדף היום.',
    en: 'What becomes of each message is on the page of its document; one that is not delivered is on Today as well.',
  },
  sending: { he: 'המסמכים נשלחים:', en: 'The documents are being sent:' },
  notSent: { he: 'לא נשלחו', en: 'Not sent' },
  more: { he: 'ועוד', en: 'and more:' },
} as const satisfies Record<string, Words>;

const reasons = {
  cancelled: { he: 'המסמך מבוטל', en: 'the document is cancelled' },
  no_email: { he: 'ללקוח אין כתובת אימייל', en: 'the customer has no email address' },
  refused: { he: 'הכתובת חסומה לשליחה', en: 'the address gets no messages' },
} as const satisfies Record<NotSentReason, Words>;

const refreshSeconds = 2;

/** How many of the documents were sent, and which were not. */
export function sendingPage(visit: MemberVisit, row: ExportView): PageReply {
  const { language, t, link } = visit;
  const title = t(listWords.sendTitle);
  const isUnfinished = row.state === 'queued' || row.state === 'running';
  return page(
    title,
    html`${pageHead({ title, language, crumbs: [{ text: t(words.documents), href: link('/documents') }] })}
${card({
  id: 'sending',
  title,
  titleHidden: true,
  content: isUnfinished ? progressOf(row, language) : outcomeOf(row, language),
  ...(isUnfinished && { data: { 'data-refresh': String(refreshSeconds) } }),
})}
<p>${linkButton({ href: link('/documents'), text: t(words.back) })}</p>`,
  );
}

const progressOf = ({ progress: { done, total } }: ExportView, language: Language): Markup =>
  html`<p role="status">${texts.sending[language]} ${done} ${exportWords.of[language]} ${total ?? '…'}</p>`;

function outcomeOf(row: ExportView, language: Language): Markup {
  if (row.state === 'failed') {
    return notice('error', exportWords[row.failure ?? 'unavailable'][language]);
  }
  const { count, names } = row.missingPdfs;
  const sent = row.progress.done - count;
  const text = sent === 1 ? texts.one[language] : `${sent} ${texts.many[language]}`;
  return html`${sent > 0 ? notice('done', text) : notice('info', texts.none[language])}
${sent > 0 && html`<p>${texts.where[language]}</p>`}
${
  count > 0 &&
  html`<h2>${texts.notSent[language]}</h2>
<ul>
  ${names.map(
    (name) => html`<li>${notSentText(name, language)}</li>
  `,
  )}
</ul>
${count > names.length && html`<p>${texts.more[language]} ${count - names.length}</p>`}`
}`;
}

/** Of `tax_invoice 17 no_email`; jobs from before have no reason. */
function notSentText(name: string, language: Language): string {
  const [code, number, why] = name.split(' ');
  const type = documentTypes.find((known) => known === code);
  const reason = notSentReasons.find((known) => known === why);
  const document = type ? documentName({ type, number: Number(number) }, language) : name;
  return reason ? `${document}: ${reasons[reason][language]}` : document;
}
