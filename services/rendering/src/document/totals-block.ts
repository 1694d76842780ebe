import { documentTypeRules, fromShekels, sum, toShekels } from '@pinkas/domain';
import { formatPercent, shekels } from './figures.js';
import { html, leftToRight, type Markup } from './markup.js';
import { amountDue, languageOf, type Sheet, showsVatAmount } from './sheet.js';
import { phrase, totalWords, wording } from './wording.js';

const row = (label: Markup | string, amount: Markup, kind?: 'total') =>
  html`<tr${kind ? html` class="${kind}"` : null}><th scope="row">${label}</th><td>${amount}</td></tr>`;

/** The total; on the page of an invoice also what was paid and credited since, and the balance. */
function totalRows(sheet: Sheet, includes: Markup | null): Markup[] {
  const { document, standing } = sheet;
  const { total } = document.totals;
  const language = languageOf(sheet);
  const changed = standing && standing.paid + standing.credited > 0;
  if (!changed || !documentTypeRules[document.type].dueDate) {
    const label = html`${totalWords[document.type][language]}${includes}`;
    return [row(label, shekels(total, language), 'total')];
  }
  const since = [
    [wording.creditedSum, standing.credited],
    [wording.paid, standing.paid],
  ] as const;
  return [
    row(html`${wording.total[language]}${includes}`, shekels(total, language)),
    ...since
      .filter(([, amount]) => amount > 0)
      .map(([label, amount]) => row(label[language], shekels(-amount, language))),
    row(wording.balance[language], shekels(amountDue(sheet) ?? 0, language), 'total'),
  ];
}

/**
 * From the sum of the lines to the total: sum, discount, what VAT is computed on, VAT, total. Every figure was fixed when the document
 * was issued, or is a sum or difference of such figures. Of gross prices the sum of the lines comes first, since discount and
 * subtotal are net.
 */
export function totalsBlock(sheet: Sheet): Markup {
  const { document } = sheet;
  const { totals, discount } = document;
  const language = languageOf(sheet);
  const vatShown = showsVatAmount(sheet);
  const hasDiscount = totals.discount !== 0;
  const rows: Markup[] = [];
  const add = (label: Markup | string, amount: number) => rows.push(row(label, shekels(amount, language)));

  if (vatShown && document.prices_include_vat) {
    const lines = sum(document.items.map((item) => fromShekels(item.line_total)));
    add(html`${wording.sumOfLines[language]} ${wording.withVat[language]}`, toShekels(lines));
  }
  if (hasDiscount) {
    const basis = vatShown ? html` ${wording.withoutVat[language]}` : null;
    add(html`${wording.sumOfLines[language]}${basis}`, totals.subtotal);
    const rate = discount?.type === 'percent' ? html` ${leftToRight(formatPercent(discount.value))}` : null;
    add(html`${wording.discount[language]}${rate}`, -totals.discount);
  }
  if (vatShown) {
    const net = fromShekels(totals.subtotal) - fromShekels(totals.discount);
    add(wording.totalBeforeVat[language], toShekels(net));
    add(html`${phrase(wording.vat, language)} ${leftToRight(formatPercent(totals.vat_rate))}`, totals.vat);
  }
  // A receipt shows no VAT, but its lines may be net: then the total says what it includes.
  const includes = !vatShown && totals.vat !== 0 ? html` <small>${wording.withVat[language]}</small>` : null;
  rows.push(...totalRows(sheet, includes));
  return html`<table class="totals"><tbody>${rows}</tbody></table>`;
}
