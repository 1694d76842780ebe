import type { Business, Payment } from '@pinkas/contracts';
import {
  formatDate,
  html,
  isolate,
  join,
  type Language,
  leftToRight,
  type Markup,
  shekels,
} from '@pinkas/design';
import type { PaymentMethod } from '@pinkas/domain';
import { languageOf, type Sheet } from './sheet.js';
import { paymentMethodWords, type Words, wording } from './wording.js';

type Wallet = keyof Business['wallet_labels'];

function isWallet(method: PaymentMethod): method is Wallet {
  return method.startsWith('wallet_method_');
}

function methodName(method: PaymentMethod, business: Business, language: Language): Markup {
  return isWallet(method)
    ? isolate(business.wallet_labels[method][language], language)
    : html`${paymentMethodWords[method][language]}`;
}

/** One thing that identifies a payment; its words and its value stay on one line where they can. */
const detail = (content: Markup): Markup => html`<span class="detail">${content}</span>`;

/** What identifies a payment: for a check its number, bank, branch and due date (Bookkeeping Instructions, 5). */
function details(payment: Payment, language: Language): Markup {
  const named = (label: Words, value: string | number | null) =>
    value === null ? null : detail(html`${label[language]} ${isolate(String(value), language)}`);
  return join(
    [
      named(wording.checkNumber, payment.check_number),
      named(wording.bank, payment.bank_code),
      named(wording.branch, payment.branch),
      named(wording.account, payment.account),
      named(wording.checkDate, payment.check_date && formatDate(payment.check_date, language)),
      payment.card_type ? detail(isolate(payment.card_type, language)) : null,
      payment.card_last_digits
        ? detail(
            html`${wording.cardEnding[language]}${language === 'en' ? ' ' : ''}${leftToRight(payment.card_last_digits)}`,
          )
        : null,
      named(wording.reference, payment.reference),
    ],
    ' · ',
  );
}

/** The payments of a receipt, one row each; nothing on a document without payments. */
export function paymentTable(sheet: Sheet): Markup | null {
  const { document, business } = sheet;
  const language = languageOf(sheet);
  if (document.payments.length === 0) {
    return null;
  }
  const rows = document.payments.map(
    (payment) =>
      html`<tr><td class="what"><span class="method">${methodName(payment.method, business, language)}</span> <small>${details(payment, language)}</small>${
        sheet.standing !== undefined &&
        html`<span class="narrow">${leftToRight(formatDate(payment.date, language))}</span>`
      }</td><td class="figure wide">${leftToRight(formatDate(payment.date, language))}</td><td class="figure">${shekels(payment.amount, language)}</td></tr>`,
  );
  return html`<section class="payments"><h2>${wording.payments[language]}</h2><table><thead><tr><th scope="col">${wording.method[language]}</th><th scope="col" class="figure wide">${wording.date[language]}</th><th scope="col" class="figure">${wording.amount[language]}</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}
