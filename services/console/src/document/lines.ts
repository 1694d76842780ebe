import type { IssuedDocument } from '@pinkas/contracts';
import { showsVatAmount, showsVatBasis, type TotalRowKind, toShekels, totalRows } from '@pinkas/domain';
import {
  amount,
  attributes,
  formatMoney,
  formatPercent,
  formatQuantity,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
  table,
  totalWords,
  type Words,
} from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  items: { he: 'שורות', en: 'Lines' },
  description: { he: 'תיאור', en: 'Description' },
  sku: { he: 'מק"ט', en: 'SKU' },
  quantity: { he: 'כמות', en: 'Quantity' },
  price: { he: 'מחיר ליחידה', en: 'Unit price' },
  line: { he: 'סכום', en: 'Amount' },
  withVat: { he: 'כולל מע"מ', en: 'incl. VAT' },
  withoutVat: { he: 'ללא מע"מ', en: 'excl. VAT' },
  lines: { he: 'סכום ביניים', en: 'Subtotal' },
  discount: { he: 'הנחה', en: 'Discount' },
  net: { he: 'סה"כ לפני מע"מ', en: 'Total before VAT' },
  vat: { he: 'מע"מ', en: 'VAT' },
} as const satisfies Record<string, Words>;

/** The lines of a document, with the basis of their prices, and the figures from their sum to the total. */
export function documentLines({ business, language, t }: MemberVisit, document: IssuedDocument): Markup {
  const { items, totals, prices_include_vat: isGross } = document;
  const basis = showsVatBasis(document, business.legal_type)
    ? ` ${t(texts[isGross ? 'withVat' : 'withoutVat'])}`
    : '';
  const itemTable = table<IssuedDocument['items'][number]>({
    caption: t(texts.items),
    language,
    rows: items,
    columns: [
      { head: t(texts.description), value: (item) => itemName(item, language) },
      {
        head: t(texts.quantity),
        kind: 'figure',
        value: (item) => leftToRight(formatQuantity(item.quantity)),
      },
      {
        head: `${t(texts.price)}${basis}`,
        kind: 'figure',
        value: (item) => leftToRight(formatMoney(item.unit_price)),
      },
      {
        head: `${t(texts.line)}${basis}`,
        kind: 'figure',
        value: (item) => leftToRight(formatMoney(item.line_total)),
      },
    ],
  });
  const vatShown = showsVatAmount(document, business.legal_type);
  const sums = totalRows(document, business.legal_type).map(({ kind, amount: value }) =>
    sum(rowLabel(document, kind, vatShown, language), toShekels(value), language),
  );
  // What only acknowledges a payment shows no VAT.
  const name = t(totalWords[document.type]);
  const total = !vatShown && totals.vat !== 0 ? `${name} ${t(texts.withVat)}` : name;
  return html`<h2>${t(texts.items)}</h2>
${itemTable}
<dl class="sums">
  ${sums}
  ${sum(html`${total}`, totals.total, language, 'total')}
</dl>`;
}

function itemName({ description, sku }: IssuedDocument['items'][number], language: Language): Markup {
  const code = sku === null ? null : isolate(sku, language);
  return html`${isolate(description, language)}
          ${code && html`<span class="soft">${texts.sku[language]} ${code}</span>`}`;
}

const sum = (label: Markup, value: number, language: Language, className?: string) =>
  html`<div${attributes({ class: className })}>
    <dt>${label}</dt>
    <dd>${amount(value, language)}</dd>
  </div>
  `;

/** The name of a figure, with its basis or rate. */
function rowLabel(
  { totals, discount, prices_include_vat: isGross }: IssuedDocument,
  kind: TotalRowKind,
  vatShown: boolean,
  language: Language,
): Markup {
  const grossOf = (value: number) => html` (${amount(value, language)} ${texts.withVat[language]})`;
  const percent = (value: number) => html` ${leftToRight(formatPercent(value))}`;
  switch (kind) {
    case 'gross_lines':
      return html`${texts.lines[language]} ${texts.withVat[language]}`;
    case 'lines':
      return html`${texts.lines[language]}${vatShown && html` ${texts.withoutVat[language]}`}`;
    case 'discount':
      return discount?.type === 'percent'
        ? html`${texts.discount[language]}${percent(discount.value)}`
        : html`${texts.discount[language]}${isGross && discount && grossOf(discount.value)}`;
    case 'net':
      return html`${texts.net[language]}`;
    case 'vat':
      return html`${texts.vat[language]}${percent(totals.vat_rate)}`;
  }
}
