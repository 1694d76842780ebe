import type { DocumentHead, DocumentState } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules, settlementOf, toShekels } from '@pinkas/domain';
import { amount, day, html, isolate, type Language, leftToRight, type Markup } from '@pinkas/ui';
import type { Words } from './words.js';

export {
  amount,
  checkbox,
  choice,
  csrfField,
  day,
  dayAndTime,
  type FormField,
  facts,
  field,
  notice,
  pager,
} from '@pinkas/ui';

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
