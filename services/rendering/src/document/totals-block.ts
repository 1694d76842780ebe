import { formatPercent, shekels } from './figures.js';
import { figures, html, type Markup } from './markup.js';
import { languageOf, type Sheet, showsVat } from './sheet.js';
import { said, totalWords, wording } from './wording.js';

const row = (label: Markup | string, amount: Markup, kind?: 'total') =>
  html`<tr${kind ? html` class="${kind}"` : null}><th scope="row">${label}</th><td>${amount}</td></tr>`;

/**
 * From the net to the total. Every figure is one that was fixed when the document was issued; none is calculated here.
 */
export function totalsBlock(sheet: Sheet): Markup {
  const { document } = sheet;
  const { totals, discount } = document;
  const language = languageOf(sheet);
  const vatShown = showsVat(sheet);
  const rows: Markup[] = [];
  if (vatShown || totals.discount !== 0) {
    rows.push(
      row(
        (vatShown ? wording.subtotalBeforeVat : wording.subtotal)[language],
        shekels(totals.subtotal, language),
      ),
    );
  }
  if (totals.discount !== 0) {
    const rate = discount?.type === 'percent' ? html` ${figures(formatPercent(discount.value))}` : html``;
    rows.push(row(html`${wording.discount[language]}${rate}`, shekels(-totals.discount, language)));
  }
  if (vatShown) {
    rows.push(
      row(
        html`${said(wording.vat, language)} ${figures(formatPercent(totals.vat_rate))}`,
        shekels(totals.vat, language),
      ),
    );
  }
  rows.push(row(totalWords[document.type][language], shekels(totals.total, language), 'total'));
  return html`<table class="totals"><tbody>${rows}</tbody></table>`;
}
