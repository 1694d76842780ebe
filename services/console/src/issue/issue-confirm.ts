import { warningsOf } from '@pinkas/contracts';
import { fromShekels, toShekels } from '@pinkas/domain';
import {
  amount,
  button,
  card,
  csrfField,
  day,
  facts,
  hidden,
  html,
  isolate,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  pageHead,
  readMoney,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import { decision } from '../frame/confirmation.js';
import { documentName, inSentence, typeName } from '../frame/parts.js';
import { words } from '../frame/words.js';
import { type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { type CardChange, cardChangeBox } from './card-change.js';
import { consequences, type DocumentPreview, warningList } from './consequences.js';
import { pictureCard } from './document-picture.js';
import { type AccountDebts, entriesOf, type IssueFields, type SetOffFields } from './issue-fields.js';
import { totals } from './issue-summary.js';

const texts = {
  title: { he: 'אישור', en: 'Confirm' },
  what: { he: 'מה יופק', en: 'What is issued' },
  number: { he: 'המסמך יקבל מספר', en: 'Next number' },
  customer: { he: 'לקוח', en: 'Customer' },
  donor: { he: 'תורם', en: 'Donor' },
  donorId: { he: 'מספר הזהות של התורם', en: "Donor's id" },
  date: { he: 'תאריך', en: 'Date' },
  dueDate: { he: 'לתשלום עד', en: 'Due on' },
  pays: { he: 'מה נפרע בקבלה', en: 'What it pays' },
  left: { he: 'תישאר יתרה של', en: 'leaves' },
  onAccount: { he: 'נשאר כזכות בחשבון', en: 'Stays on account' },
  follows: { he: 'מה קורה בהפקה', en: 'What happens next' },
  issue: { he: 'הפקת', en: 'Issue' },
  change: { he: 'שינוי', en: 'Change' },
} as const satisfies Record<string, Words>;

/** What the question states in addition to the document. */
interface ConfirmFacts {
  /** What the card of the customer has otherwise. */
  readonly change?: CardChange;
  /** What a receipt on account may pay. */
  readonly debts?: AccountDebts;
}

/** The screen that asks once: what is issued, what follows from it, and what the document looks like. */
export function issueConfirm(
  visit: MemberVisit,
  fields: IssueFields,
  preview: DocumentPreview,
  { change = {}, debts = [] }: ConfirmFacts = {},
): PageReply {
  const { language, t, link } = visit;
  const { draft } = preview;
  const title = `${t(texts.title)} ${inSentence(typeName(draft.type, language), language)}`;
  const entries = entriesOf(fields).map(
    ([name, value]) => html`${hidden(name, value)}
  `,
  );
  return page(
    title,
    html`
${pageHead({
  title,
  language,
  crumbs: [{ text: t(words.issue), href: link('/issue') }],
  badge: html`<strong>${amount(draft.totals.total, language)}</strong>`,
})}
${decision(
  card({
    id: 'confirm',
    title: t(texts.what),
    content: asked(visit, { fields, preview, change, debts }, entries),
  }),
  pictureCard(visit, { action: link('/issue/picture'), fields: entries }),
)}`,
  );
}

/** What is issued and what follows from it, with the button that issues. */
function asked(
  visit: MemberVisit,
  {
    fields,
    preview,
    change,
    debts,
  }: { fields: IssueFields; preview: DocumentPreview } & Required<ConfirmFacts>,
  entries: readonly Markup[],
): Markup {
  const { csrfToken, language, t, link } = visit;
  const { draft, next_number } = preview;
  const isDonation = draft.type === 'donation_receipt';
  // What is confirmed is what is issued: another total, for example of a VAT rate that has changed since, is refused.
  const confirmed = hidden('expected_total', String(draft.totals.total));
  const issueWords = `${t(texts.issue)} ${inSentence(typeName(draft.type, language), language)}`;
  return html`
${facts(
  [
    [t(texts.number), leftToRight(String(next_number))],
    [t(texts[isDonation ? 'donor' : 'customer']), isolate(draft.customer.name, language)],
    [t(texts.donorId), isDonation && draft.customer.tax_id ? leftToRight(draft.customer.tax_id) : null],
    [t(texts.date), day(draft.date, language)],
    [t(texts.dueDate), draft.due_date && day(draft.due_date, language)],
  ],
  language,
)}
${totals(preview, fields, language)}
${fields.single.account === '' ? null : paidDocuments(fields, preview, debts, language)}
${warningList(warningsOf(preview), draft.type, language)}
<h3>${t(texts.follows)}</h3>
<ul>
  ${consequences(preview, visit).map(
    (effect) => html`<li>${effect}</li>
  `,
  )}
</ul>
<form method="post" action="${link('/issue/document')}">
  ${csrfField(csrfToken)}
  ${entries}
  ${confirmed}
  ${cardChangeBox(change, visit)}
  <div class="buttons">
    ${button({ text: issueWords, name: 'step', value: 'issue' })}
    ${linkButton({ href: link(`/issue/drafts/${fields.single.key}`), text: t(texts.change) })}
  </div>
</form>`;
}

/** What a receipt on account pays, and what stays on account. */
function paidDocuments(
  { setOffs, withheld }: IssueFields,
  { draft }: DocumentPreview,
  debts: AccountDebts,
  language: Language,
): Markup {
  const amountOf = (rows: readonly SetOffFields[], id: string) =>
    fromShekels(readMoney(rows.find(({ document_id }) => document_id === id)?.amount ?? '') ?? 0);
  const rows = debts.flatMap(({ document, balance }) => {
    const [paid, taken] = [amountOf(setOffs, document.id), amountOf(withheld, document.id)];
    const rest = toShekels(fromShekels(balance) - paid - taken);
    const name = inSentence(withheldWords.withheld[language], language);
    const isTaken = html` <span class="soft">+ ${amount(toShekels(taken), language)} ${name}</span>`;
    const left = html` <span class="soft">${texts.left[language]} ${amount(rest, language)}</span>`;
    return paid + taken > 0n
      ? [
          [
            documentName(document, language),
            html`${amount(toShekels(paid), language)}${taken > 0n && isTaken}${rest > 0 && left}`,
          ] as const,
        ]
      : [];
  });
  const all = draft.payments.reduce((sum, payment) => sum + fromShekels(payment.amount), 0n);
  const rest = setOffs.reduce((left, row) => left - fromShekels(readMoney(row.amount) ?? 0), all);
  const onAccount = rest > 0n ? amount(toShekels(rest), language) : null;
  return html`<h3>${texts.pays[language]}</h3>
${facts([...rows, [texts.onAccount[language], onAccount]], language)}`;
}
