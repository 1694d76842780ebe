import type { CustomerCard, listArticles, ReplyOf } from '@pinkas/contracts';
import {
  type DocumentType,
  documentTypeRules,
  isGoodsNote,
  methodsOfPaymentField,
  paymentMethods,
} from '@pinkas/domain';
import {
  attributes,
  button,
  card,
  checkbox,
  choice,
  csrfField,
  type FieldErrors,
  field,
  hidden,
  html,
  isolate,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  moneyField,
  notice,
  pageHead,
  paymentMethodName,
  plainText,
  radios,
  textarea,
} from '@pinkas/ui';
import { type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { documentName, typeName } from '../parts.js';
import { words } from '../words.js';
import {
  customerDetails,
  type IssueFields,
  isReceived,
  issueLimits,
  type LineFields,
  type Origin,
  type PaymentFields,
  paymentFields,
  takesPayments,
} from './issue-fields.js';
import { type Summary, summaryOf } from './issue-summary.js';
import { donorIdHint, extraWords, textOf, issueWords as texts } from './issue-words.js';

export type Articles = ReplyOf<typeof listArticles>['articles'];

/** All that the screen shows. */
export interface IssueForm {
  readonly fields: IssueFields;
  readonly origin: Origin | null;
  readonly articles: Articles;
  readonly summary: Summary;
  /** What was found for the typed name; null: it was not looked for. */
  readonly found?: readonly CustomerCard[] | null;
  readonly errors?: FieldErrors;
  /** Why nothing was issued, where that is about no field. */
  readonly refusal?: string | null;
}

/** The screen on which a document is composed: its customer, lines and payments on one side, what it comes to on the other. */
export function issueForm(visit: MemberVisit, given: IssueForm): PageReply {
  const { csrfToken, language, link } = visit;
  const { fields, articles, origin, summary, errors = {}, refusal = null } = given;
  const { type, single } = fields;
  const isWrong = Object.keys(errors).length > 0;
  const sentence = refusal ?? (isWrong ? textOf(type, 'wrong', language) : null);
  const title = typeName(type, language);
  const bytes = String(issueLimits.bytes);
  return page(
    title,
    html`
${pageHead({
  title,
  language,
  crumbs: [{ text: words.issue[language], href: link('/issue') }],
  lead: origin && originText(visit, origin),
})}
${sentence === null ? null : notice('error', sentence)}
<form method="post" action="${link('/issue/document')}" class="columns" data-issue data-bytes="${bytes}">
  ${csrfField(csrfToken)}
  ${hidden('type', type)}
  ${hidden('key', single.key)}
  ${hidden('based_on', single.based_on)}
  ${hidden('customer.id', single['customer.id'])}
  ${hidden('customer.known_name', single['customer.known_name'])}
  <button class="visually-hidden" name="step" value="compute" tabindex="-1">${texts.compute[language]}</button>
  <div>
    ${customerCard(visit, given)}
    ${isReceived(type) ? paymentsCard(visit, fields, errors) : null}
    ${linesCard(visit, fields, errors)}
    ${takesPayments(type) && !isReceived(type) ? paymentsCard(visit, fields, errors) : null}
    ${moreCard(visit, fields, errors)}
  </div>
  <div class="stays">
    ${summaryOf(summary, fields, language)}
    <div class="buttons">
      ${button({ text: texts.preview[language], name: 'step', value: 'preview' })}
      ${button({ text: texts.compute[language], kind: 'secondary', name: 'step', value: 'compute' })}
      ${linkButton({ href: link('/issue'), text: words.cancel[language], kind: 'quiet' })}
    </div>
  </div>
</form>
${articleList(articles)}`,
    sentence === null ? 200 : 422,
  );
}

function originText({ language, link }: MemberVisit, { document, isSource }: Origin): Markup {
  const word = texts[isSource ? 'basedOn' : 'copyOf'][language];
  return html`${word} <a href="${link(`/documents/${document.id}`)}">${documentName(document, language)}</a>`;
}

function customerCard(visit: MemberVisit, { fields, found = null, errors = {} }: IssueForm): Markup {
  const { language, link } = visit;
  const { single, type } = fields;
  const isDonation = type === 'donation_receipt';
  const name = field({
    name: 'customer.name',
    label: textOf(type, 'name', language),
    hint: textOf(type, 'nameHint', language),
    value: single['customer.name'],
    error: errors['customer.name'],
  });
  const detailField = (detail: (typeof customerDetails)[number]) =>
    field({
      name: `customer.${detail}`,
      label: textOf(type, detail, language),
      hint: isDonation && detail === 'tax_id' ? donorIdHint[language] : undefined,
      value: single[`customer.${detail}`],
      error: errors[`customer.${detail}`],
      ltr: detail !== 'address' && detail !== 'city',
      ...(detail === 'email' && { type: 'email' as const }),
      ...(detail === 'phone' && { type: 'tel' as const }),
    });
  // The id of a donor is seen at once: the credit depends on it.
  const folded = customerDetails.filter((detail) => !isDonation || detail !== 'tax_id');
  const isConflict =
    errors['customer.tax_id'] !== undefined || single['customer.identity_confirmed'] === 'yes';
  const other =
    isConflict &&
    checkbox({
      name: 'customer.identity_confirmed',
      label: textOf(type, 'otherCustomer', language),
      checked: single['customer.identity_confirmed'] === 'yes',
    });
  const isOpen = folded.some((detail) => single[`customer.${detail}`] !== '' || errors[`customer.${detail}`]);
  return card({
    id: 'customer',
    title: textOf(type, 'customer', language),
    data: { 'data-customers': link('/issue/customers') },
    content: html`
  ${name}
  ${button({ text: textOf(type, 'find', language), kind: 'secondary', name: 'step', value: 'find_customer' })}
  ${found && foundCustomers(found, type, language)}
  ${isDonation && detailField('tax_id')}
  ${isDonation && other}
  <details class="disclosure"${isOpen && html` open`}>
    <summary>${textOf(type, 'details', language)}</summary>
    <div class="fields">
      ${folded.map(detailField)}
      ${!isDonation && other}
    </div>
  </details>`,
  });
}

function foundCustomers(found: readonly CustomerCard[], type: DocumentType, language: Language): Markup {
  if (found.length === 0) {
    return html`<p class="hint">${textOf(type, 'noneFound', language)}</p>`;
  }
  const items = found.map((customer) => {
    const facts = [customer.tax_id, customer.city, customer.email]
      .filter((fact) => fact !== null)
      .join(' · ');
    return html`<li>
      <button class="quiet" name="choose_customer" value="${customer.id}">
        ${isolate(customer.name, language)} <span class="soft">${isolate(facts, language)}</span>
      </button>
    </li>
    `;
  });
  return html`<ul class="choices" aria-label="${textOf(type, 'found', language)}">
    ${items}
  </ul>`;
}

function linesCard({ book, language }: MemberVisit, fields: IssueFields, errors: FieldErrors): Markup {
  const { type, single, items } = fields;
  const isPlain =
    type === 'donation_receipt' && items.every(({ sku, quantity }) => sku === '' && quantity === '1');
  const rows = items.map((line, place) => lineRow(line, place, { type, isPlain, errors }, language));
  const prices = radios({
    name: 'prices',
    label: texts.prices[language],
    value: single.prices,
    options: [
      ['net', texts.net[language]],
      ['gross', texts.gross[language]],
    ],
  });
  const hasChoice = book.vat_rate > 0 && !isGoodsNote(type) && type !== 'donation_receipt';
  return card({
    id: 'lines',
    title: textOf(type, 'lines', language),
    content: html`
  ${isReceived(type) ? html`<p class="hint">${textOf(type, 'linesOfReceived', language)}</p>` : null}
  ${errors.items ? html`<p class="error">${errors.items}</p>` : null}
  <div class="lines${isPlain && html` plain`}" data-rows="items">
    ${rows}
  </div>
  ${button({ text: textOf(type, 'addLine', language), kind: 'secondary', name: 'step', value: 'add_line' })}
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

/** What the rows of lines have in common. */
interface Lines {
  readonly type: DocumentType;
  /** Whether a line is a text and an amount: the article and the quantity are not shown. */
  readonly isPlain: boolean;
  readonly errors: FieldErrors;
}

function lineRow(
  line: LineFields,
  place: number,
  { type, isPlain, errors }: Lines,
  language: Language,
): Markup {
  const at = (name: keyof LineFields) => `items.${place}.${name}`;
  const input = (name: keyof LineFields, more: Readonly<Record<string, string | number | null>>) =>
    cell(at(name), textOf(type, name, language), errors[at(name)], { value: line[name], ...more });
  const figure = { dir: 'ltr', inputmode: 'decimal' };
  return html`<div class="row" role="group" aria-label="${texts.line[language]} ${place + 1}" data-row>
    ${isPlain ? hidden(at('sku'), line.sku) : input('sku', { list: 'articles', dir: 'ltr' })}
    ${input('description', {})}
    ${isPlain ? hidden(at('quantity'), line.quantity) : input('quantity', figure)}
    ${input('unit_price', figure)}
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

function paymentsCard(visit: MemberVisit, { payments }: IssueFields, errors: FieldErrors): Markup {
  const { language } = visit;
  const rows = payments.map((payment, place) => paymentRow(visit, payment, place, errors));
  return card({
    id: 'payments',
    title: texts.payments[language],
    content: html`
  <p class="hint">${texts.paidHint[language]}</p>
  ${errors.payments ? html`<p class="error">${errors.payments}</p>` : null}
  <div class="payments" data-rows="payments">
    ${rows}
  </div>
  ${button({ text: texts.addPayment[language], kind: 'secondary', name: 'step', value: 'add_payment' })}`,
  });
}

function paymentRow(
  { book, language }: MemberVisit,
  payment: PaymentFields,
  place: number,
  errors: FieldErrors,
): Markup {
  const at = (name: keyof PaymentFields) => `payments.${place}.${name}`;
  const method = choice({
    name: at('method'),
    label: texts.method[language],
    value: payment.method,
    options: paymentMethods.map((known) => [
      known,
      plainText(paymentMethodName(known, book.wallet_labels, language).text.replaceAll(/<[^>]*>/g, '')),
    ]),
  });
  const extras = paymentFields.map((name) => {
    const isWrong = errors[at(name)];
    const input = cell(at(name), extraWords[name][language], isWrong, {
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
  return html`<div class="row" role="group" aria-label="${texts.payment[language]} ${place + 1}" data-row>
    ${method}
    ${moneyField({ name: at('amount'), label: texts.paid[language], value: payment.amount, error: errors[at('amount')] })}
    ${field({ name: at('date'), label: texts.paidOn[language], type: 'date', value: payment.date, error: errors[at('date')] })}
    ${removeButton('remove_payment', place, `${texts.removePayment[language]} ${place + 1}`)}
    <details class="disclosure"${isOpen && html` open`}>
      <summary>${texts.paymentDetails[language]}</summary>
      <div class="fields">
        ${extras}
      </div>
    </details>
  </div>
  `;
}

function moreCard({ book, language }: MemberVisit, fields: IssueFields, errors: FieldErrors): Markup {
  const { type, single } = fields;
  const dueDate =
    documentTypeRules[type].dueDate &&
    field({
      name: 'due_date',
      label: texts.dueDate[language],
      hint: texts.dueDateHint[language],
      type: 'date',
      value: single.due_date,
      error: errors.due_date,
    });
  const send = checkbox({
    name: 'send',
    label: textOf(type, 'send', language),
    checked: single.send === 'yes',
  });
  return card({
    id: 'more',
    title: texts.more[language],
    content: html`
  <div class="fields">
    ${field({
      name: 'date',
      label: textOf(type, 'date', language),
      type: 'date',
      value: single.date,
      error: errors.date,
    })}
    ${dueDate}
    ${field({
      name: 'title',
      label: texts.title[language],
      value: single.title,
      error: errors.title,
    })}
    ${field({
      name: 'external_ref',
      label: texts.reference[language],
      value: single.external_ref,
      error: errors.external_ref,
    })}
  </div>
  ${textarea({
    name: 'notes',
    label: texts.notes[language],
    hint: book.default_notes ? texts.notesHint[language] : undefined,
    value: single.notes,
    error: errors.notes,
  })}
  ${book.auto_send.enabled ? send : hidden('send', single.send)}`,
  });
}

/** What former lines have for an article number: the script fills a line with it, and so does the button that computes. */
function articleList(articles: Articles): Markup {
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
