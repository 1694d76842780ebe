import { formatMoney, formatQuantity } from './figures.js';
import { html, isolate, leftToRight, type Markup } from './markup.js';
import { languageOf, type Sheet, showsVatBasis } from './sheet.js';
import { wording } from './wording.js';

/**
 * The lines of a document. The headings say whether prices include VAT, as the law wants where they do (VAT Bookkeeping
 * Regulations, 9A).
 *
 * The roles are what the elements are by themselves. On a phone the cells are laid out as a grid, and Safari then forgets that
 * they are a table, unless it is told.
 */
export function itemTable(sheet: Sheet): Markup {
  const { document } = sheet;
  const language = languageOf(sheet);
  const basis = showsVatBasis(sheet)
    ? html` <small>${(document.prices_include_vat ? wording.withVat : wording.withoutVat)[language]}</small>`
    : null;
  const rows = document.items.map(
    ({ description, sku, quantity, unit_price, line_total }) =>
      html`<tr role="row"><td role="cell"><span class="what">${isolate(description, language)}</span>${
        sku !== null && html` <small>${wording.sku[language]} ${isolate(sku, language)}</small>`
      }</td><td role="cell" class="figure">${leftToRight(formatQuantity(quantity))}</td><td role="cell" class="figure">${leftToRight(formatMoney(unit_price))}</td><td role="cell" class="figure">${leftToRight(formatMoney(line_total))}</td></tr>`,
  );
  return html`<table role="table" class="items"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">${wording.description[language]}</th><th role="columnheader" scope="col" class="figure">${wording.quantity[language]}</th><th role="columnheader" scope="col" class="figure">${wording.unitPrice[language]} ₪${basis}</th><th role="columnheader" scope="col" class="figure">${wording.lineTotal[language]} ₪${basis}</th></tr></thead><tbody role="rowgroup">${rows}</tbody></table>`;
}
