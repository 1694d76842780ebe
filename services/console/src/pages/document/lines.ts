import type { IssuedDocument } from '@pinkas/contracts';
import { showsVatAmount, showsVatBasis, type TotalRowKind, toShekels, totalRows } from '@pinkas/domain';
import {
  formatMoney,
  formatPercent,
  formatQuantity,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
} from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import { amount } from '../parts.js';
import type { Words } from '../words.js';

const texts = {
  items: { he: 'שורות', en: 'Lines' },
  description: { he: 'תיאור', en: 'Description' },
  sku: { he: 'מק"ט', en: 'SKU' },
  quantity: { he: 'כמות', en: 'Quantity' },
  price: { he: 'מחיר ליחידה', en: 'Unit price' },
  line: { he: 'סכום', en: 'Amount' },
  withVat: { he: 'כולל מע"מ', en: 'incl. VAT' },
  withoutVat: { he: 'ללא מע"מ', en: 'excl. VAT' },
  lines: { he: 'סכום השורות', en: 'Sum of lines' },
  discount: { he: 'הנחה', en: 'Discount' },
  net: { he: 'סה"כ לפני מע"מ', en: 'Total before VAT' },
  vat: { he: 'מע"מ', en: 'VAT' },
  total: { he: 'סך הכול', en: 'Total' },
} as const satisfies Record<string, Words>;

/** The lines of a document, with the basis of their prices, and the figures from their sum to the total. */
export function documentLines({ business, language }: MemberVisit, document: IssuedDocument): Markup {
  const { items, totals, prices_include_vat: isGross } = document;
  const basis = showsVatBasis(document, business.legal_type)
    ? ` ${texts[isGross ? 'withVat' : 'withoutVat'][language]}`
    : '';
  const [quantity, price, line] = [
    texts.quantity[language],
    `${texts.price[language]}${basis}`,
    `${texts.line[language]}${basis}`,
  ];
  const cell = (label: string, value: string) =>
    html`<td class="figure" data-label="${label}">${leftToRight(value)}</td>`;
  const rows = items.map(
    (item) =>
      html`<tr><th scope="row">${isolate(item.description, language)}${item.sku !== null && html` <span class="soft">${texts.sku[language]} ${isolate(item.sku, language)}</span>`}</th>${cell(quantity, formatQuantity(item.quantity))}${cell(price, formatMoney(item.unit_price))}${cell(line, formatMoney(item.line_total))}</tr>`,
  );
  const head = [quantity, price, line].map((label) => html`<th scope="col" class="figure">${label}</th>`);
  const vatShown = showsVatAmount(document, business.legal_type);
  const sums = totalRows(document, business.legal_type).map(({ kind, amount: value }) =>
    sum(rowLabel(document, kind, vatShown, language), toShekels(value), language),
  );
  // What only acknowledges a payment shows no VAT.
  const total =
    !vatShown && totals.vat !== 0
      ? `${texts.total[language]} ${texts.withVat[language]}`
      : texts.total[language];
  return html`<h2>${texts.items[language]}</h2><div class="table"><table><thead><tr><th scope="col">${texts.description[language]}</th>${head}</tr></thead><tbody>${rows}</tbody></table></div>
<dl class="sums">${sums}${sum(html`${total}`, totals.total, language, 'total')}</dl>`;
}

const sum = (label: Markup, value: number, language: Language, className = '') =>
  html`<div class="${className}"><dt>${label}</dt><dd>${amount(value, language)}</dd></div>`;

/** What a figure is called, with its basis or rate. */
function rowLabel(
  { totals, discount, prices_include_vat: isGross }: IssuedDocument,
  kind: TotalRowKind,
  vatShown: boolean,
  language: Language,
): Markup {
  const percent = (value: number) => html` ${leftToRight(formatPercent(value))}`;
  switch (kind) {
    case 'gross_lines':
      return html`${texts.lines[language]} ${texts.withVat[language]}`;
    case 'lines':
      return html`${texts.lines[language]}${vatShown && html` ${texts.withoutVat[language]}`}`;
    case 'discount':
      return discount?.type === 'percent'
        ? html`${texts.discount[language]}${percent(discount.value)}`
        : html`${texts.discount[language]}${isGross && discount && html` (${amount(discount.value, language)} ${texts.withVat[language]})`}`;
    case 'net':
      return html`${texts.net[language]}`;
    case 'vat':
      return html`${texts.vat[language]}${percent(totals.vat_rate)}`;
  }
}
