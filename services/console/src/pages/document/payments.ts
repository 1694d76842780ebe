import type { IssuedDocument } from '@pinkas/contracts';
import { html, isolate, type Markup, paymentDetails, paymentMethodName } from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import { amount, day } from '../parts.js';
import type { Words } from '../words.js';

const texts = {
  payments: { he: 'תשלומים', en: 'Payments' },
  method: { he: 'אמצעי תשלום', en: 'Means' },
  date: { he: 'תאריך', en: 'Date' },
  amount: { he: 'סכום', en: 'Amount' },
  notes: { he: 'הערות', en: 'Notes' },
} as const satisfies Record<string, Words>;

/** How a document was paid: each payment with what identifies it; null where it has none. */
export function paymentTable(
  { business, language }: MemberVisit,
  { payments }: IssuedDocument,
): Markup | null {
  if (payments.length === 0) {
    return null;
  }
  const rows = payments.map(
    (payment) =>
      html`<tr><th scope="row">${paymentMethodName(payment.method, business.wallet_labels, language)} <span class="soft">${paymentDetails(payment, language)}</span></th><td class="date" data-label="${texts.date[language]}">${day(payment.date, language)}</td><td class="figure" data-label="${texts.amount[language]}">${amount(payment.amount, language)}</td></tr>`,
  );
  return html`<h2>${texts.payments[language]}</h2><div class="table"><table><thead><tr><th scope="col">${texts.method[language]}</th><th scope="col">${texts.date[language]}</th><th scope="col" class="figure">${texts.amount[language]}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The notes of a document, with their lines; null where it has none. */
export function documentNotes({ language }: MemberVisit, { notes }: IssuedDocument): Markup | null {
  return notes === null
    ? null
    : html`<h2>${texts.notes[language]}</h2><p class="notes">${isolate(notes, language)}</p>`;
}
