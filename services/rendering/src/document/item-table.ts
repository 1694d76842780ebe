import { formatMoney, formatQuantity } from './figures.js';
import { figures, given, html, type Markup } from './markup.js';
import { languageOf, type Sheet, showsVat } from './sheet.js';
import { wording } from './wording.js';

/**
 * The lines of a document. The headings say whether prices include VAT, as the law wants where they do (VAT Bookkeeping
 * Regulations, 9A).
 */
export function itemTable(sheet: Sheet): Markup {
  const { document } = sheet;
  const language = languageOf(sheet);
  const basis = showsVat(sheet)
    ? html` <small>${(document.prices_include_vat ? wording.withVat : wording.withoutVat)[language]}</small>`
    : null;
  const rows = document.items.map(
    ({ description, sku, quantity, unit_price, line_total }) =>
      html`<tr><td>${given(description)}${
        sku !== null && html` <small>${wording.sku[language]} ${given(sku)}</small>`
      }</td><td class="figure">${figures(formatQuantity(quantity))}</td><td class="figure">${figures(formatMoney(unit_price))}</td><td class="figure">${figures(formatMoney(line_total))}</td></tr>`,
  );
  return html`<table class="items"><thead><tr><th scope="col">${wording.description[language]}</th><th scope="col" class="figure">${wording.quantity[language]}</th><th scope="col" class="figure">${wording.unitPrice[language]} ₪${basis}</th><th scope="col" class="figure">${wording.lineTotal[language]} ₪${basis}</th></tr></thead><tbody>${rows}</tbody></table>`;
}
