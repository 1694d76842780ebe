import type { DocumentHead, DocumentState } from '@pinkas/contracts';
import {
  formatDate,
  formatInstantDay,
  formatInstantTime,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
  shekels,
} from '@pinkas/design';
import { type DocumentType, documentTypeRules, settlementOf, toShekels } from '@pinkas/domain';
import { type Words, words } from './words.js';

const statusWords = {
  open: { he: 'פתוח', en: 'Open' },
  closed: { he: 'סגור', en: 'Closed' },
  cancelled: { he: 'מבוטל', en: 'Cancelled' },
} as const satisfies Record<DocumentState['status'], Words>;

/** What is left to pay of a document, in ILS; negative: what is in credit. Null where it asks for no payment. */
export function balanceOf(document: DocumentHead, state: DocumentState): number | null {
  const { balance } = settlementOf(document, state);
  return balance === null ? null : toShekels(balance);
}

/** The name of a type of document. */
export function typeName(type: DocumentType, language: Language): string {
  const { name, nameHe } = documentTypeRules[type];
  return language === 'he' ? nameHe : name;
}

/** `Tax invoice 12`. */
export function documentName({ type, number }: Pick<DocumentHead, 'type' | 'number'>, language: Language) {
  return `${typeName(type, language)} ${number}`;
}

/** The status of a document, as a word in a frame of its colour. */
export function statusBadge(status: DocumentState['status'], language: Language): Markup {
  return html`<span class="badge ${status}">${statusWords[status][language]}</span>`;
}

/** A day, from YYYY-MM-DD. */
export function day(date: string, language: Language): Markup {
  return html`<time datetime="${date}">${leftToRight(formatDate(date, language))}</time>`;
}

/** The day and the time of an instant, in Israel. */
export function dayAndTime(instant: string, language: Language): Markup {
  return html`<time datetime="${instant}">${leftToRight(`${formatInstantDay(instant, language)} ${formatInstantTime(instant)}`)}</time>`;
}

/** An amount in ILS. */
export function amount(value: number, language: Language): Markup {
  return html`<span class="amount">${shekels(value, language)}</span>`;
}

/** Facts as pairs of a term and its value; those that are null are left out. */
export function facts(
  pairs: readonly (readonly [term: string, value: Markup | string | null])[],
  language: Language,
): Markup {
  const rows = pairs
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([term, value]) =>
        html`<div><dt>${term}</dt><dd>${typeof value === 'string' ? isolate(value, language) : value}</dd></div>`,
    );
  return html`<dl class="facts">${rows}</dl>`;
}

/** A field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type?:
    | 'text'
    | 'email'
    | 'tel'
    | 'date'
    | 'number'
    | 'search'
    | 'password'
    | 'color'
    | 'time'
    | 'file';
  readonly value?: string | null;
  readonly hint?: string | undefined;
  /** What is wrong with the value that was sent. */
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly autocomplete?: string;
  /** For figures and addresses, which are written from left to right. */
  readonly ltr?: boolean;
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
  readonly maxLength?: number;
  readonly accept?: string;
}

const isSet = (value: string | undefined): value is string => value !== undefined;

function attributes(pairs: Readonly<Record<string, string | undefined>>): Markup {
  const present = Object.entries(pairs).filter((pair): pair is [string, string] => isSet(pair[1]));
  return html`${present.map(([name, value]) => html` ${name}="${value}"`)}`;
}

/** A label with its input, and with its hint and its error, which screen readers read with it. */
export function field(given: FormField): Markup {
  const { name, label, hint, error } = given;
  const id = `field-${name}`;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const input = attributes({
    id,
    name,
    type: given.type ?? 'text',
    value: given.type === 'file' ? undefined : (given.value ?? ''),
    autocomplete: given.type === 'file' ? undefined : (given.autocomplete ?? 'off'),
    dir: given.ltr ? 'ltr' : undefined,
    min: given.min,
    max: given.max,
    step: given.step,
    accept: given.accept,
    maxlength: given.maxLength === undefined ? undefined : String(given.maxLength),
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': error ? 'true' : undefined,
  });
  return html`<div class="field"><label for="${id}">${label}</label><input${input}${given.required === true && html` required`}>${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null}${error ? html`<p class="error" id="${id}-error">${error}</p>` : null}</div>`;
}

/** A choice of one of several values. */
export function choice(given: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly hint?: string;
  readonly error?: string | undefined;
}): Markup {
  const id = `field-${given.name}`;
  const options = given.options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === given.value && html` selected`}>${text}</option>`,
  );
  const described = given.hint ? html` aria-describedby="${id}-hint"` : null;
  return html`<div class="field"><label for="${id}">${given.label}</label><select id="${id}" name="${given.name}"${described}>${options}</select>${given.hint ? html`<p class="hint" id="${id}-hint">${given.hint}</p>` : null}${given.error ? html`<p class="error">${given.error}</p>` : null}</div>`;
}

/** A box to tick. */
export function checkbox(given: {
  readonly name: string;
  readonly label: string;
  readonly checked: boolean;
  readonly value?: string;
}): Markup {
  const value = given.value ?? 'yes';
  const id = `field-${given.name}-${value.replaceAll(/[^a-z0-9]/gi, '-')}`;
  return html`<div class="field check"><input type="checkbox" id="${id}" name="${given.name}" value="${value}"${given.checked && html` checked`}><label for="${id}">${given.label}</label></div>`;
}

/** A sentence above the content: what was done, or what went wrong. */
export function notice(kind: 'done' | 'error', text: Markup | string): Markup {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${text}</p>`;
}

/** The hidden field that every form has. */
export function csrfField(csrfToken: string): Markup {
  return html`<input type="hidden" name="_csrf" value="${csrfToken}">`;
}

const pagerWords = {
  next: { he: 'לדף הבא', en: 'Next page' },
  first: { he: 'לדף הראשון', en: 'First page' },
} as const satisfies Record<string, Words>;

/** The way through a long list; null where it has one page. */
export function pager(
  links: { first: string | null; next: string | null },
  language: Language,
): Markup | null {
  if (links.first === null && links.next === null) {
    return null;
  }
  const link = (href: string | null, word: Words) =>
    href === null ? null : html`<a class="button quiet" href="${href}">${word[language]}</a>`;
  return html`<nav class="pager" aria-label="${words.documents[language]}">${link(links.first, pagerWords.first)}${link(links.next, pagerWords.next)}</nav>`;
}

/** The documents of a list, whose states say how far they are settled. */
export function documentTable(
  rows: readonly { document: DocumentHead; state: DocumentState; note?: Markup | null }[],
  linkOf: (id: string) => string,
  language: Language,
): Markup {
  const body = rows.map(({ document, state, note }) => {
    const balance = balanceOf(document, state);
    const shown = balance === null || balance === 0 ? null : amount(balance, language);
    return html`<tr><th scope="row"><a href="${linkOf(document.id)}">${typeName(document.type, language)} ${leftToRight(String(document.number))}</a></th><td class="date">${day(document.date, language)}</td><td class="who">${isolate(document.customer.name, language)}</td><td class="figure">${amount(document.totals.total, language)}</td>${shown ? html`<td class="figure balance" data-label="${listWords.balance[language]}">${shown}</td>` : html`<td class="figure balance"></td>`}<td class="status">${statusBadge(state.status, language)}${note ?? null}</td></tr>`;
  });
  return html`<div class="table documents"><table><thead><tr><th scope="col">${listWords.document[language]}</th><th scope="col">${listWords.date[language]}</th><th scope="col">${listWords.customer[language]}</th><th scope="col" class="figure">${listWords.total[language]}</th><th scope="col" class="figure">${listWords.balance[language]}</th><th scope="col">${listWords.status[language]}</th></tr></thead><tbody>${body}</tbody></table></div>`;
}

const listWords = {
  document: { he: 'מסמך', en: 'Document' },
  date: { he: 'תאריך', en: 'Date' },
  customer: { he: 'לקוח', en: 'Customer' },
  total: { he: 'סך הכול', en: 'Total' },
  balance: { he: 'יתרה', en: 'Balance' },
  status: { he: 'מצב', en: 'Status' },
} as const satisfies Record<string, Words>;
