import type { WithheldWithReceipt } from '@pinkas/contracts';
import { type Agorot, fromShekels, sum, toShekels } from '@pinkas/domain';
import {
  button,
  card,
  type FieldErrors,
  html,
  type Language,
  type Markup,
  moneyField,
  numberError,
  readMoney,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import { confirmationFields, confirmationOf, withheldTexts } from '../debts/withheld-parts.js';
import { balanceOf } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';
import {
  type AccountDebts,
  type IssueFields,
  type Origin,
  type SetOffFields,
  sumOfPayments,
} from './issue-fields.js';

const texts = {
  hint: {
    he: 'כשהלקוח שילם פחות כי ניכה מס: הסכום מציין בקבלה מה נוכה, וסוגר את היתרה יחד עם התשלום.',
    en: 'Where the customer paid less since it withheld tax: the receipt states the amount, which settles the rest together with the payment.',
  },
  rest: { he: 'היתרה שאחרי התשלום נוכתה במקור', en: 'What the payment leaves was withheld' },
  noRest: {
    he: 'אחרי התשלום לא נשארת יתרה. יש לכתוב קודם כמה התקבל.',
    en: 'The payment leaves nothing. Write first what was received.',
  },
  choose: {
    he: 'יש לסמן את המסמכים שמהם נוכה המס.',
    en: 'Choose the documents of which tax was withheld.',
  },
} as const satisfies Record<string, Words>;

const amountField = 'withheld.amount';

/** Whether a receipt may state tax that was withheld: it is for documents that ask for payment. */
const mayWithhold = ({ type, single }: IssueFields): boolean =>
  type === 'receipt' && (single.based_on !== '' || single.account !== '');

/** What was typed as withheld, in agorot; zero where nothing was, or what is no amount. */
export const typedWithheld = (fields: IssueFields): Agorot =>
  mayWithhold(fields) ? fromShekels(Math.max(0, readMoney(fields.single[amountField]) ?? 0)) : 0n;

/** What a receipt is asked to state as withheld; zero means nothing. Or what is wrong with what is typed. */
export function withheldOf(
  fields: IssueFields,
  language: Language,
): { withheld?: WithheldWithReceipt } | { errors: FieldErrors } {
  const { single, withheld } = fields;
  const typed = single[amountField];
  const amount = readMoney(typed);
  if (!mayWithhold(fields) || typed === '' || amount === 0) {
    return {};
  }
  if (amount === null || amount < 0) {
    return { errors: { [amountField]: numberError(typed, withheldTexts.wrong, language, 'money') } };
  }
  const found = confirmationOf(single, 'withheld', language);
  if ('errors' in found) {
    return found;
  }
  const rows = single.account === '' ? [{ document_id: single.based_on, amount: typed }] : withheld;
  if (rows.length === 0) {
    return { errors: { [amountField]: texts.choose[language] } };
  }
  const amounts = rows.map((row) => ({ document_id: row.document_id, amount: readMoney(row.amount) ?? 0 }));
  return { withheld: { amounts, ...found } };
}

/** What was withheld over what a payment leaves of the chosen documents; what is beyond them is of the last one, which issuing refuses. */
function withheldRows(
  fields: IssueFields,
  chosen: AccountDebts,
  setOffs: readonly SetOffFields[],
): SetOffFields[] {
  let rest = typedWithheld(fields);
  return chosen.flatMap(({ document, balance }, place) => {
    const paid = setOffs.find(({ document_id }) => document_id === document.id)?.amount ?? '0';
    const left = fromShekels(balance) - fromShekels(Number(paid));
    const amount = place === chosen.length - 1 || left > rest ? rest : left;
    rest -= amount;
    return amount > 0n ? [{ document_id: document.id, amount: toShekels(amount).toFixed(2) }] : [];
  });
}

/** What was paid, over the documents that were chosen, the first due first; what is beyond them stays on account. */
export function withDistributed(fields: IssueFields, debts: AccountDebts): IssueFields {
  let rest = fromShekels(readMoney(sumOfPayments(fields) ?? '') ?? 0);
  const chosen = debts.filter(({ document }) =>
    fields.setOffs.some((row) => row.document_id === document.id),
  );
  const setOffs = chosen.flatMap(({ document, balance }) => {
    const left = fromShekels(balance);
    const amount = left < rest ? left : rest;
    rest -= amount;
    return amount > 0n ? [{ document_id: document.id, amount: toShekels(amount).toFixed(2) }] : [];
  });
  return { ...fields, setOffs, withheld: withheldRows(fields, chosen, setOffs) };
}

/** The fields with all that the payments leave as withheld. */
export function withRestWithheld(
  fields: IssueFields,
  origin: Origin | null,
  debts: AccountDebts,
): IssueFields {
  const chosen = debts.filter(({ document }) =>
    fields.setOffs.some((row) => row.document_id === document.id),
  );
  const open =
    fields.single.account === ''
      ? [origin === null ? 0 : (balanceOf(origin.document, origin.state) ?? 0)]
      : chosen.map(({ balance }) => balance);
  const paid = sum(fields.payments.map(({ amount }) => fromShekels(readMoney(amount) ?? 0)));
  const rest = sum(open.map(fromShekels)) - paid;
  const typed = paid > 0n && rest > 0n ? toShekels(rest).toFixed(2) : '';
  return { ...fields, single: { ...fields.single, [amountField]: typed } };
}

/** Why there is nothing to withhold. */
export const noRestError = (language: Language): FieldErrors => ({ [amountField]: texts.noRest[language] });

/** What the customer has withheld at source. */
export function withheldCard(
  { language, t }: MemberVisit,
  fields: IssueFields,
  errors: FieldErrors,
): Markup | null {
  const { single } = fields;
  if (!mayWithhold(fields)) {
    return null;
  }
  const isOpen = ['withheld.number', 'withheld.date'].some(
    (name) => single[name as 'withheld.number'] !== '' || errors[name],
  );
  return card({
    id: 'withheld',
    title: t(withheldWords.withheld),
    content: html`
  <p class="hint">${t(texts.hint)}</p>
  ${moneyField({
    name: amountField,
    label: t(withheldWords.withheld),
    value: single[amountField],
    error: errors[amountField],
  })}
  ${button({ text: t(texts.rest), kind: 'secondary', name: 'step', value: 'withhold' })}
  <details class="disclosure"${isOpen && html` open`}>
    <summary>${t(withheldTexts.confirmation)}</summary>
    <div class="fields">
      ${confirmationFields('withheld', single, errors, language)}
    </div>
  </details>`,
  });
}
