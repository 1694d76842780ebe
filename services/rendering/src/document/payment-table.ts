import type { Business, Payment, PaymentMethod } from '@pinkas/contracts';
import { formatDate, shekels } from './figures.js';
import type { Language } from './language.js';
import { figures, given, html, joined, type Markup } from './markup.js';
import { languageOf, type Sheet } from './sheet.js';
import { paymentMethodWords, wording } from './wording.js';

type Wallet = keyof Business['wallet_labels'];

function isWallet(method: PaymentMethod): method is Wallet {
  return method.startsWith('wallet_method_');
}

function methodName(method: PaymentMethod, business: Business, language: Language): Markup {
  return isWallet(method)
    ? given(business.wallet_labels[method][language])
    : html`${paymentMethodWords[method][language]}`;
}

/** What identifies a payment: for a check its number, bank, branch and due date (Bookkeeping Instructions, 5). */
function details(payment: Payment, language: Language): Markup {
  const named = (label: { readonly [L in Language]: string }, value: string | number | null) =>
    value === null ? null : html`${label[language]} ${given(String(value))}`;
  return joined(
    [
      named(wording.checkNumber, payment.check_number),
      named(wording.bank, payment.bank_code),
      named(wording.branch, payment.branch),
      named(wording.account, payment.account),
      named(wording.checkDate, payment.check_date && formatDate(payment.check_date)),
      payment.card_type ? given(payment.card_type) : null,
      payment.card_last_digits
        ? html`${wording.cardEnding[language]}${language === 'en' ? ' ' : ''}${figures(payment.card_last_digits)}`
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
  if (document.payments.length === 0) return null;
  const rows = document.payments.map(
    (payment) =>
      html`<tr><td>${methodName(payment.method, business, language)}</td><td>${details(payment, language)}</td><td class="figure">${figures(formatDate(payment.date))}</td><td class="figure">${shekels(payment.amount, language)}</td></tr>`,
  );
  return html`<section class="payments"><h3>${wording.payments[language]}</h3><table><thead><tr><th>${wording.method[language]}</th><th>${wording.details[language]}</th><th class="figure">${wording.date[language]}</th><th class="figure">${wording.amount[language]}</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}
