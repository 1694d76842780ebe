import type { IssuedDocument } from '@pinkas/contracts';
import {
  amount,
  button,
  type Crumb,
  form,
  html,
  isolate,
  linkButton,
  type Markup,
  notice,
  pageHead,
  type Words,
} from '@pinkas/ui';
import { type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { documentName, effectList } from './parts.js';
import { words } from './words.js';

/** An act, and what a person reads before it. */
interface Confirmation {
  readonly title: string;
  /** The title at the head of the page, where it has more than text. */
  readonly heading?: Markup;
  readonly lead?: Markup;
  /** The last one is where the person goes back to, unless `back` names another address. */
  readonly crumbs: readonly Crumb[];
  readonly back?: { readonly href: string; readonly text: Words };
  /** What it is about, and what happens. */
  readonly content: Markup;
  readonly fields?: Markup;
  readonly button: Parameters<typeof button>[0];
  /** Why the form was refused; null: it was not. Absent where it cannot be. */
  readonly error?: string | null;
  readonly status?: number;
  readonly element?: 'section' | 'div';
  /** What is shown next to what is asked. */
  readonly beside?: Markup;
}

/** The page that asks before an act. Its form is sent to the address of the page itself, by POST. */
export function confirmation(visit: MemberVisit, asked: Confirmation): PageReply {
  const { csrfToken, language, path } = visit;
  const { title, heading = title, lead, crumbs, content, fields = html``, error } = asked;
  const { element = 'section', status = error ? 422 : 200 } = asked;
  const head = pageHead({ title: heading, language, crumbs, ...(lead && { lead }) });
  const { href, text } = asked.back ?? { href: crumbs.at(-1)?.href ?? '', text: words.back };
  const back = linkButton({ href, text: visit.t(text), kind: 'quiet' });
  const question = html`<${element} class="card">
  ${content}
  ${form({ action: path, csrfToken, content: fields, acts: html`${button(asked.button)}${back}` })}
</${element}>`;
  return page(
    title,
    html`${error === undefined ? head : html`${head}\n${error !== null && notice('error', error)}`}
${asked.beside ? decision(question, asked.beside) : html`<div class="asks">\n${question}\n</div>`}`,
    status,
  );
}

/** What is decided on one side, first on a phone, and what the document looks like on the other. */
export const decision = (asked: Markup, picture: Markup): Markup => html`<div class="columns decide">
  <div class="stays asks">
    ${asked}
  </div>
  <div>
    ${picture}
  </div>
</div>`;

/** The page that asks before an act on a document. */
export function documentConfirmation(
  visit: MemberVisit,
  document: IssuedDocument,
  { title, ...asked }: Omit<Confirmation, 'title' | 'lead' | 'crumbs'> & { readonly title: Words },
): PageReply {
  const { language } = visit;
  const name = documentName(document, language);
  return confirmation(visit, {
    ...asked,
    title: `${visit.t(title)}: ${name}`,
    crumbs: [{ text: name, href: visit.link(`/documents/${document.id}`) }],
    lead: html`${isolate(document.customer.name, language)}, ${amount(document.totals.total, language)}`,
  });
}

/** The list of what will happen, with its heading. */
export const whatHappens = (visit: MemberVisit, effects: readonly Words[]): Markup =>
  html`<h2>${visit.t(words.whatHappens)}</h2>
  ${effectList(effects.map((effect) => visit.t(effect)))}`;
