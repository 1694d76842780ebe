import { compact, formatMoney, formatQuantity, html, isolate, leftToRight, type Markup } from '@pinkas/ui';
import { languageOf, type Sheet, showsLinePrices, showsVatBasis } from './sheet.js';
import { wording } from './wording.js';

/** On a phone there is no room for the columns of quantity and price: there they are a line below the description. */
function belowDescription(sheet: Sheet, quantity: number, price: number): Markup | null {
  if (!sheet.standing) {
    return null;
  }
  const shown = formatQuantity(quantity);
  return html`<span class="narrow">${
    showsLinePrices(sheet)
      ? leftToRight(`${shown} × ${formatMoney(price)}`)
      : html`${wording.quantity[languageOf(sheet)]} ${leftToRight(shown)}`
  }</span>`;
}

/**
 * The lines of a document. The headings say whether prices include VAT, as the law wants where they do (VAT Bookkeeping
 * Regulations, 9A).
 */
export function itemTable(sheet: Sheet): Markup {
  const { document } = sheet;
  const language = languageOf(sheet);
  const basis = showsVatBasis(sheet)
    ? html` <small>${(document.prices_include_vat ? wording.withVat : wording.withoutVat)[language]}</small>`
    : null;
  const priced = showsLinePrices(sheet);
  const figure = (heading: Markup, kind: string) =>
    html`<th scope="col" class="figure${kind}">${heading}</th>`;
  const rows = document.items.map(
    ({ description, sku, quantity, unit_price, line_total }, index) => compact`
      <tr>
        <td class="line">${leftToRight(String(index + 1))}</td>
        <td class="what">
          <span>${isolate(description, language)}</span>
          ${sku !== null && html` <small>${wording.sku[language]} ${isolate(sku, language)}</small>`}
          ${belowDescription(sheet, quantity, unit_price)}
        </td>
        <td class="figure wide">${leftToRight(formatQuantity(quantity))}</td>
        ${priced && html`<td class="figure wide">${leftToRight(formatMoney(unit_price))}</td>`}
        ${priced && html`<td class="figure">${leftToRight(formatMoney(line_total))}</td>`}
      </tr>`,
  );
  return compact`
    <table class="items">
      <thead>
        <tr>
          <th scope="col" class="line">${wording.line[language]}</th>
          <th scope="col">${wording.description[language]}</th>
          ${figure(html`${wording.quantity[language]}`, ' wide')}
          ${priced && figure(html`${wording.unitPrice[language]} ₪${basis}`, ' wide')}
          ${priced && figure(html`${wording.lineTotal[language]} ₪${basis}`, '')}
        </tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>`;
}
