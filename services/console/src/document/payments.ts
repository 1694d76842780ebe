import type { IssuedDocument } from '@pinkas/contracts';
import { html, isolate, type Markup, paymentDetails, paymentMethodName, table, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  payments: { he: 'תשלומים', en: 'Payments' },
  method: { he: 'אמצעי תשלום', en: 'Payment method' },
  date: { he: 'תאריך', en: 'Date' },
  amount: { he: 'סכום', en: 'Amount' },
  notes: { he: 'הערות', en: 'Notes' },
} as const satisfies Record<string, Words>;

/** How a document was paid: each payment with what identifies it; null where it has none. */
export function paymentTable(
  { business, language, t }: MemberVisit,
  { payments }: IssuedDocument,
): Markup | null {
  if (payments.length === 0) {
    return null;
  }
  const list = table<IssuedDocument['payments'][number]>({
    caption: t(texts.payments),
    language,
    rows: payments,
    columns: [
      {
        head: t(texts.method),
        value: (payment) =>
          html`${paymentMethodName(payment.method, business.wallet_labels, language)}
          <span class="soft">${paymentDetails(payment, language)}</span>`,
      },
      { head: t(texts.date), kind: 'date', value: ({ date }) => date },
      { head: t(texts.amount), kind: 'money', value: (payment) => payment.amount },
    ],
  });
  return html`<h2>${t(texts.payments)}</h2>
${list}`;
}

/** The notes of a document, with their lines; null where it has none. */
export function documentNotes({ language }: MemberVisit, { notes }: IssuedDocument): Markup | null {
  return notes === null
    ? null
    : html`<h2>${texts.notes[language]}</h2>
<p class="notes">${isolate(notes, language)}</p>`;
}
