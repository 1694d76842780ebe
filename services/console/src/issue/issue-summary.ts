import { type PreviewWarning, warningsOf } from '@pinkas/contracts';
import { type Agorot, fromShekels, sum, toShekels } from '@pinkas/domain';
import {
  amount,
  card,
  day,
  type FieldErrors,
  facts,
  html,
  isolate,
  join,
  type Language,
  leftToRight,
  type Markup,
  notice,
  readMoney,
  totalWords,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import { type DocumentPreview, warningList } from './consequences.js';
import { type IssueFields, isReceived, takesPayments } from './issue-fields.js';
import { typedWithheld } from './withheld-fields.js';

const texts = {
  title: { he: 'סיכום', en: 'Summary' },
  due: { he: 'לתשלום עד', en: 'Due on' },
  stopped: {
    he: 'הסכומים לא חושבו, ולכן אינם מוצגים.',
    en: 'The amounts were not computed and are not shown.',
  },
  nothing: { he: 'הסכומים יופיעו כאן.', en: 'The amounts appear here.' },
  subtotal: { he: 'סכום ביניים', en: 'Subtotal' },
  discount: { he: 'הנחה', en: 'Discount' },
  net: { he: 'סה"כ לפני מע"מ', en: 'Total before VAT' },
  vat: { he: 'מע"מ', en: 'VAT' },
  paid: { he: 'תשלומים', en: 'Payments' },
  missing: { he: 'חסר', en: 'Missing' },
  beyond: { he: 'מעבר לסכום המסמך', en: 'Over the total' },
  known: { he: 'לקוח קיים', en: 'Existing customer' },
  new: { he: 'לקוח חדש', en: 'New customer' },
  knownDonor: { he: 'תורם קיים', en: 'Existing donor' },
  newDonor: { he: 'תורם חדש', en: 'New donor' },
} as const satisfies Record<string, Words>;

/** What issuing previews of a document that is being composed; null: there is nothing yet. Or why it previews nothing. */
export type Summary =
  | { readonly preview: DocumentPreview; readonly hasCustomer: boolean }
  | { readonly problem: string; readonly errors?: FieldErrors }
  | null;

/** What a document comes to. The script replaces this part of the page while a person types. */
export function summaryOf(summary: Summary, fields: IssueFields, language: Language): Markup {
  return card({
    id: 'summary',
    title: texts.title[language],
    data: { 'data-live': true, 'data-stopped': texts.stopped[language] },
    content: contentOf(summary, fields, language),
  });
}

function contentOf(summary: Summary, fields: IssueFields, language: Language): Markup {
  if (summary === null) {
    return html`<p class="hint">${texts.nothing[language]}</p>`;
  }
  if ('problem' in summary) {
    return notice('warn', summary.problem);
  }
  const { preview, hasCustomer } = summary;
  const { due_date: due } = preview.draft;
  const warnings = warningsOf(preview);
  return html`
  ${totals(preview, fields, language)}
  ${due === null ? null : html`<p><span class="soft">${texts.due[language]}:</span> ${day(due, language)}</p>`}
  ${hasCustomer ? customer(preview, language) : null}
  ${warningList(hasCustomer ? warnings : warnings.filter((code) => !ofCustomer.includes(code)), preview.draft.type, language)}`;
}

/** What is known only with a customer. */
const ofCustomer: readonly PreviewWarning[] = [
  'number_customer_tax_id_missing',
  'customer_tax_id_missing',
  'source_of_other_customer',
  'phone_unusable',
  'recipient_missing',
  'recipient_suppressed',
  'sending_not_possible',
];

/** What was received, and with what was withheld, in agorot, what both settle. */
function receivedTotals(
  { type, totals: { total } }: DocumentPreview['draft'],
  withheld: Agorot,
  language: Language,
): Markup {
  const strong = (value: number) => html`<strong>${amount(value, language)}</strong>`;
  const name = totalWords[type][language];
  return withheld === 0n
    ? facts([[name, strong(total)]], language)
    : facts(
        [
          [name, amount(total, language)],
          [withheldWords.withheld[language], amount(toShekels(withheld), language)],
          [withheldWords.settled[language], strong(toShekels(fromShekels(total) + withheld))],
        ],
        language,
      );
}

/** The amounts of a previewed document. */
export function totals({ draft }: DocumentPreview, fields: IssueFields, language: Language): Markup {
  const { subtotal, discount, vat, vat_rate, total } = draft.totals;
  const net = toShekels(fromShekels(subtotal) - fromShekels(discount));
  const paid = sum(fields.payments.map((payment) => fromShekels(readMoney(payment.amount) ?? 0)));
  const missing = fromShekels(total) - paid;
  if (isReceived(fields.type)) {
    // What acknowledges a payment has no VAT: it is that of the invoice.
    return receivedTotals(draft, typedWithheld(fields), language);
  }
  return facts(
    [
      [texts.subtotal[language], discount === 0 ? null : amount(subtotal, language)],
      [texts.discount[language], discount === 0 ? null : amount(-discount, language)],
      [texts.net[language], vat === 0 ? null : amount(net, language)],
      [`${texts.vat[language]} ${vat_rate}%`, vat === 0 ? null : amount(vat, language)],
      [totalWords[draft.type][language], html`<strong>${amount(total, language)}</strong>`],
      ...(takesPayments(fields.type) && missing !== 0n && paid > 0n
        ? ([
            [texts.paid[language], amount(toShekels(paid), language)],
            [
              texts[missing > 0n ? 'missing' : 'beyond'][language],
              amount(toShekels(missing > 0n ? missing : -missing), language),
            ],
          ] as const)
        : []),
    ],
    language,
  );
}

/** Which customer the typed name is, with what the card adds. */
function customer({ draft, matched_by }: DocumentPreview, language: Language): Markup {
  const { name, tax_id, email } = draft.customer;
  const parts = [
    isolate(name, language),
    tax_id === null ? null : leftToRight(tax_id),
    email === null ? null : leftToRight(email),
  ];
  const known = join(parts, ' · ');
  const isDonation = draft.type === 'donation_receipt';
  const word = isDonation
    ? texts[matched_by === null ? 'newDonor' : 'knownDonor']
    : texts[matched_by === null ? 'new' : 'known'];
  return html`<p><span class="soft">${word[language]}:</span> ${known}</p>`;
}
