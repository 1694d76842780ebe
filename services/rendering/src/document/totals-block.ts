import {
  documentTypeRules,
  fromShekels,
  showsVatAmount,
  type TotalRowKind,
  toShekels,
  totalRows,
} from '@pinkas/domain';
import {
  attributes,
  compact,
  formatPercent,
  html,
  type Language,
  leftToRight,
  type Markup,
  shekels,
  totalWords,
  withheldWords,
} from '@pinkas/ui';
import { balanceOf, languageOf, type Sheet, showsVatBasis } from './sheet.js';
import { phrase, wording } from './wording.js';

const row = (label: Markup | string, amount: Markup, kind?: 'total') =>
  compact`
    <tr${attributes({ class: kind })}>
      <th scope="row">${label}</th>
      <td>${amount}</td>
    </tr>`;

/** Of a receipt, below what was received: what its customer has withheld, and what both settle. */
function withheldRows({ document }: Sheet, language: Language): Markup[] {
  const { withheld = 0, totals } = document;
  const settled = toShekels(fromShekels(totals.total) + fromShekels(withheld));
  return withheld === 0
    ? []
    : [
        row(withheldWords.withheld[language], shekels(withheld, language)),
        row(withheldWords.settled[language], shekels(settled, language), 'total'),
      ];
}

/** The total; on the page of an invoice also what was paid and credited since, and what is left to pay, if it asks for a payment. */
function lastRows(sheet: Sheet, includes: Markup | null): Markup[] {
  const { document, standing } = sheet;
  const { total } = document.totals;
  const language = languageOf(sheet);
  const isPayable = documentTypeRules[document.type].dueDate;
  const balance = balanceOf(sheet);
  const since = [
    [wording.creditedSum, standing?.credited ?? 0],
    [wording.paid, standing?.paid ?? 0],
    [wording.setOff, toShekels(fromShekels(standing?.set_off ?? 0) - fromShekels(standing?.withheld ?? 0))],
    [withheldWords.withheld, standing?.withheld ?? 0],
  ] as const;
  const changes = since.filter(([, amount]) => isPayable && amount > 0);
  const withheld = withheldRows(sheet, language);
  const isLast = balance === null || changes.length === 0;
  const kind = isLast && withheld.length === 0 ? 'total' : undefined;
  const words = isLast && (balance !== null) === isPayable ? totalWords[document.type] : wording.total;
  return [
    row(html`${words[language]}${includes}`, shekels(total, language), kind),
    ...changes.map(([name, amount]) => row(name[language], shekels(-amount, language))),
    ...(isLast ? withheld : [balanceRow(balance ?? 0, language)]),
  ];
}

function balanceRow(balance: number, language: Language): Markup {
  const words = balance < 0 ? wording.inCredit : wording.balance;
  return row(words[language], shekels(Math.abs(balance), language), 'total');
}

/** A discount of gross prices as it was given: the row has the part of it that is before VAT. */
function ofGross(sheet: Sheet, discount: number): Markup | null {
  const language = languageOf(sheet);
  return showsVatBasis(sheet) && sheet.document.prices_include_vat
    ? html` <small>(${shekels(discount, language)} ${wording.withVat[language]})</small>`
    : null;
}

/** The name of a figure, with its basis or rate. */
function label(sheet: Sheet, kind: TotalRowKind, vatShown: boolean): Markup {
  const { totals, discount } = sheet.document;
  const language = languageOf(sheet);
  const rate = (percent: number) => html` ${leftToRight(formatPercent(percent))}`;
  switch (kind) {
    case 'gross_lines':
      return html`${wording.sumOfLines[language]} ${wording.withVat[language]}`;
    case 'lines':
      return html`${wording.sumOfLines[language]}${vatShown ? html` ${wording.withoutVat[language]}` : null}`;
    case 'discount':
      return html`${wording.discount[language]}${discount && (discount.type === 'percent' ? rate(discount.value) : ofGross(sheet, discount.value))}`;
    case 'net':
      return html`${wording.totalBeforeVat[language]}`;
    case 'vat':
      return html`${phrase(wording.vat, language)}${rate(totals.vat_rate)}`;
  }
}

/** From the sum of the lines to the total. */
export function totalsBlock(sheet: Sheet): Markup {
  const { document, business } = sheet;
  const language = languageOf(sheet);
  const vatShown = showsVatAmount(document, business.legal_type);
  const rows = totalRows(document, business.legal_type).map(({ kind, amount }) =>
    row(label(sheet, kind, vatShown), shekels(toShekels(amount), language)),
  );
  // A receipt shows no VAT, but its lines may be net: then the total says what it includes.
  const includes =
    !vatShown && document.totals.vat !== 0 && showsVatBasis(sheet)
      ? html` <small>${wording.withVat[language]}</small>`
      : null;
  return compact`
    <table class="totals">
      <tbody>${[...rows, ...lastRows(sheet, includes)]}</tbody>
    </table>`;
}
