import {
  compact,
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
  const rows = document.payments.map((payment) => {
    const date = leftToRight(formatDate(payment.date, language));
    const method = paymentMethodName(payment.method, business.wallet_labels, language);
    return compact`
      <tr>
        <td class="what">
          <span class="method">${method}</span> <small>${paymentDetails(payment, language)}</small>
          ${sheet.standing !== undefined && html`<span class="narrow">${date}</span>`}
        </td>
        <td class="figure wide">${date}</td>
        <td class="figure">${shekels(payment.amount, language)}</td>
      </tr>`;
  });
  return compact`
    <section class="payments">
      <h2>${wording.payments[language]}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">${wording.method[language]}</th>
            <th scope="col" class="figure wide">${wording.date[language]}</th>
            <th scope="col" class="figure">${wording.amount[language]}</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </section>`;
}
