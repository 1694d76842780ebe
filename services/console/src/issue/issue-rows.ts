import type { listArticles, ReplyOf } from '@pinkas/contracts';
import { documentTypeRules, isGoodsNote, methodsOfPaymentField, paymentMethods } from '@pinkas/domain';
import {
  attributes,
  button,
  card,
  choice,
  type FieldErrors,
  field,
  formatMoney,
  hidden,
  html,
  type Language,
  leftToRight,
  type Markup,
  moneyField,
  paymentMethodName,
  plainText,
  radios,
} from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';
import {
  type IssueFields,
  isBlankLine,
  isReceived,
  type LineFields,
  type PaymentFields,
  paymentFields,
} from './issue-fields.js';
import type { Summary } from './issue-summary.js';
import { extraWords, textOf, issueWords as texts } from './issue-words.js';

/** The lines of a document, with the basis of their prices and the discount. */
export function linesCard(
  { book, language, t }: MemberVisit,
  fields: IssueFields,
  errors: FieldErrors,
  summary: Summary,
): Markup {
  const { type, single, items } = fields;
  const totals = lineTotals(items, summary);
  const rows = items.map((line, place) => lineRow(line, place, totals[place] ?? '', { errors, language }));
  const prices = radios({
    name: 'prices',
    label: t(texts.prices),
    value: single.prices,
    options: [
      ['net', t(texts.net)],
      ['gross', t(texts.gross)],
    ],
  });
  const hasChoice = book.vat_rate > 0 && !isGoodsNote(type);
  return card({
    id: 'lines',
    title: t(texts.lines),
    content: html`
  ${errors.items ? html`<p class="error">${errors.items}</p>` : null}
  <div class="lines" data-rows="items">
    ${rows}
  </div>
  ${button({ text: t(texts.addLine), kind: 'secondary', name: 'step', value: 'add_line' })}
  ${hasChoice ? prices : hidden('prices', single.prices)}
  ${documentTypeRules[type].discount === 'allowed' && discountFields(fields, errors, language)}`,
  });
}

/** A field in a row of many: its label is seen in the first row, and read in each. */
function cell(
  name: string,
  label: string,
  error: string | undefined,
  more: Readonly<Record<string, string | number | null>>,
): Markup {
  const id = `field-${name}`;
  const input = attributes({
    id,
    name,
    autocomplete: 'off',
    ...more,
    'aria-describedby': error ? `${id}-error` : null,
    'aria-invalid': error ? 'true' : null,
  });
  return html`<div class="field ${name.split('.').at(-1) ?? ''}">
      <label for="${id}">${label}</label>
      <input${input}>
      ${error ? html`<p class="error" id="${id}-error">${error}</p>` : null}
    </div>`;
}

/** What was received is for something; its amount is that of the payments. */
export function receivedCard(
  { language }: MemberVisit,
  { type, items }: IssueFields,
  errors: FieldErrors,
): Markup {
  const name = 'items.0.description';
  return card({
    id: 'lines',
    title: textOf(type, 'received', language),
    content: html`
  ${errors.items ? html`<p class="error">${errors.items}</p>` : null}
  ${field({
    name,
    label: textOf(type, 'receivedFor', language),
    value: items[0]?.description ?? '',
    error: errors[name],
  })}`,
  });
}

/** What each line comes to, as issuing computes it; empty where it is not known. A blank line is no line of the document. */
function lineTotals(items: readonly LineFields[], summary: Summary): string[] {
  const computed = summary && 'preview' in summary ? [...summary.preview.draft.items] : [];
  return items.map((line) => {
    const item = isBlankLine(line) && items.length > 1 ? undefined : computed.shift();
    return item ? formatMoney(item.line_total) : '';
  });
}

/** @param total what the line comes to. */
function lineRow(
  line: LineFields,
  place: number,
  total: string,
  { errors, language }: { readonly errors: FieldErrors; readonly language: Language },
): Markup {
  const at = (name: keyof LineFields | 'line_total') => `items.${place}.${name}`;
  const input = (name: keyof LineFields, more: Readonly<Record<string, string | number | null>>) =>
    cell(at(name), texts[name][language], errors[at(name)], { value: line[name], ...more });
  const figure = { dir: 'ltr', inputmode: 'decimal' };
  return html`<div class="row" role="group" aria-label="${texts.line[language]} ${place + 1}" data-row>
    ${input('sku', { list: 'articles', dir: 'ltr' })}
    ${input('description', {})}
    ${input('quantity', figure)}
    ${input('unit_price', figure)}
    <div class="field line_total">
      <label for="field-${at('line_total')}">${texts.line_total[language]}</label>
      <output id="field-${at('line_total')}" data-line-total dir="ltr">${total}</output>
    </div>
    ${removeButton('remove_line', place, `${texts.removeLine[language]} ${place + 1}`)}
  </div>
  `;
}

function removeButton(name: string, place: number, label: string): Markup {
  return html`<button class="quiet remove" name="${name}" value="${place}" aria-label="${label}">✕</button>`;
}

function discountFields({ single }: IssueFields, errors: FieldErrors, language: Language): Markup {
  const kind = choice({
    name: 'discount.type',
    label: texts.discount[language],
    value: single['discount.type'],
    error: errors['discount.type'],
    options: [
      ['', texts.noDiscount[language]],
      ['percent', texts.percent[language]],
      ['amount', texts.amount[language]],
    ],
  });
  const value = field({
    name: 'discount.value',
    label: texts.discountValue[language],
    value: single['discount.value'],
    error: errors['discount.value'],
    ltr: true,
    inputMode: 'decimal',
  });
  return html`<div class="fields">
    ${kind}
    ${value}
  </div>`;
}

/** What was paid. */
export function paymentsCard(
  visit: MemberVisit,
  { type, payments }: IssueFields,
  errors: FieldErrors,
): Markup {
  const { t } = visit;
  const rows = payments.map((payment, place) => paymentRow(visit, payment, place, errors));
  return card({
    id: 'payments',
    title: t(texts.payments),
    content: html`
  ${isReceived(type) ? null : html`<p class="hint">${t(texts.paidHint)}</p>`}
  ${errors.payments ? html`<p class="error">${errors.payments}</p>` : null}
  <div class="payments" data-rows="payments">
    ${rows}
  </div>
  ${button({ text: t(texts.addPayment), kind: 'secondary', name: 'step', value: 'add_payment' })}`,
  });
}

function paymentRow(
  { book, language, t }: MemberVisit,
  payment: PaymentFields,
  place: number,
  errors: FieldErrors,
): Markup {
  const at = (name: keyof PaymentFields) => `payments.${place}.${name}`;
  const method = choice({
    name: at('method'),
    label: t(texts.method),
    value: payment.method,
    options: paymentMethods.map((known) => [
      known,
      plainText(paymentMethodName(known, book.wallet_labels, language).text.replaceAll(/<[^>]*>/g, '')),
    ]),
  });
  const extras = paymentFields.map((name) => {
    const isWrong = errors[at(name)];
    const input = cell(at(name), t(extraWords[name]), isWrong, {
      value: payment[name],
      type: name === 'check_date' ? 'date' : 'text',
      dir: name === 'card_type' ? null : 'ltr',
    });
    return html`<div data-methods="${methodsOfPaymentField[name].join(' ')}">
        ${input}
      </div>
      `;
  });
  const isOpen = paymentFields.some((name) => payment[name] !== '' || errors[at(name)]);
  return html`<div class="row" role="group" aria-label="${t(texts.payment)} ${place + 1}" data-row>
    ${method}
    ${moneyField({ name: at('amount'), label: t(texts.paid), value: payment.amount, error: errors[at('amount')] })}
    ${field({ name: at('date'), label: t(texts.paidOn), type: 'date', language, value: payment.date, error: errors[at('date')] })}
    ${removeButton('remove_payment', place, `${t(texts.removePayment)} ${place + 1}`)}
    <details class="disclosure"${isOpen && html` open`}>
      <summary>${t(texts.paymentDetails)}</summary>
      <div class="fields">
        ${extras}
      </div>
    </details>
  </div>
  `;
}

/** What former lines have for an article number: the script fills a line with it, and so does the button that computes. */
export function articleList(articles: ReplyOf<typeof listArticles>['articles']): Markup {
  const options = articles.map(({ sku, description, unit_price, prices_include_vat }) => {
    const option = attributes({
      value: sku,
      'data-description': description,
      'data-price': unit_price.toFixed(2),
      'data-prices': prices_include_vat ? 'gross' : 'net',
    });
    return html`<option${option}>${description} · ${leftToRight(unit_price.toFixed(2))}</option>
  `;
  });
  return html`<datalist id="articles">
  ${options}
</datalist>`;
}
