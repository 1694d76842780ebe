import {
  formatDate,
  html,
  leftToRight,
  type Markup,
  paymentDetails,
  paymentMethodName,
  shekels,
} from '@pinkas/ui';
import { languageOf, type Sheet } from './sheet.js';
import { wording } from './wording.js';

/** The payments of a receipt, one row each; nothing on a document without payments. */
export function paymentTable(sheet: Sheet): Markup | null {
  const { document, business } = sheet;
  const language = languageOf(sheet);
  if (document.payments.length === 0) {
    return null;
  }
  const rows = document.payments.map(
    (payment) =>
      html`<tr><td class="what"><span class="method">${paymentMethodName(payment.method, business.wallet_labels, language)}</span> <small>${paymentDetails(payment, language)}</small>${
        sheet.standing !== undefined &&
        html`<span class="narrow">${leftToRight(formatDate(payment.date, language))}</span>`
      }</td><td class="figure wide">${leftToRight(formatDate(payment.date, language))}</td><td class="figure">${shekels(payment.amount, language)}</td></tr>`,
  );
  return html`<section class="payments"><h2>${wording.payments[language]}</h2><table><thead><tr><th scope="col">${wording.method[language]}</th><th scope="col" class="figure wide">${wording.date[language]}</th><th scope="col" class="figure">${wording.amount[language]}</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}
