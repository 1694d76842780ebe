import {
  type CustomerCard,
  customerMembers,
  type listArticles,
  type ReplyOf,
  type TypedDetail,
  typedDetails,
} from '@pinkas/contracts';
import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import {
  attributes,
  button,
  card,
  checkbox,
  csrfField,
  type FieldErrors,
  field,
  formatMoney,
  hidden,
  html,
  isolate,
  type Language,
  linkButton,
  type Markup,
  notice,
  pageHead,
  textarea,
} from '@pinkas/ui';
import { ageWords } from '../frame/debt-words.js';
import { documentName, typeName } from '../frame/parts.js';
import { words } from '../frame/words.js';
import { type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import type { Draft } from '../session/draft.repository.js';
import { draftNotice, draftsCard, savedHint } from './draft-parts.js';
import {
  type AccountDebts,
  type IssueFields,
  isReceived,
  issueLimits,
  type Origin,
  takesPayments,
} from './issue-fields.js';
import { articleList, linesCard, paymentsCard, receivedCard } from './issue-rows.js';
import { type Summary, summaryOf } from './issue-summary.js';
import { donorIdHint, textOf, issueWords as texts } from './issue-words.js';
import { withheldCard } from './withheld-fields.js';

export type Articles = ReplyOf<typeof listArticles>['articles'];

/** All that the screen shows. */
export interface IssueForm {
  readonly fields: IssueFields;
  readonly origin: Origin | null;
  readonly articles: Articles;
  /** What the customer of a receipt on account has left to pay. */
  readonly debts?: AccountDebts;
  readonly summary: Summary;
  /** What was found for the typed name; null: it was not looked for. */
  readonly found?: readonly CustomerCard[] | null;
  /** Whether one of them, or a new one, is to be chosen before the document goes on. */
  readonly isAsked?: boolean;
  readonly errors?: FieldErrors;
  /** Why nothing was issued, where that is about no field. */
  readonly refusal?: string | null;
  /** When what is shown was saved; absent: it was not. */
  readonly savedAt?: Date | undefined;
  /** Drafts that the person may want to go on with instead. */
  readonly drafts?: readonly Draft[];
}

/** The screen on which a document is composed: its customer, lines and payments on one side, what it comes to on the other. */
export function issueForm(visit: MemberVisit, given: IssueForm): PageReply {
  const { csrfToken, language, t, link } = visit;
  const { fields, articles, origin, summary, errors = {}, refusal = null, savedAt, drafts = [] } = given;
  const { type, single } = fields;
  const isWrong = Object.keys(errors).length > 0;
  const sentence = refusal ?? (isWrong ? textOf(type, 'wrong', language) : null);
  const title = typeName(type, language);
  const start = attributes({
    method: 'post',
    action: link('/issue/document'),
    class: 'columns',
    'data-issue': true,
    'data-bytes': issueLimits.bytes,
    'data-draft': link(`/issue/drafts/${single.key}`),
  });
  return page(
    title,
    html`
${pageHead({
  title,
  language,
  crumbs: [{ text: t(words.issue), href: link('/issue') }],
  lead: origin && originText(visit, origin),
})}
${sentence === null ? draftNotice(visit) : notice('error', sentence)}
${draftsCard(visit, drafts, true)}
<form${start}>
  ${csrfField(csrfToken)}
  ${hidden('type', type)}
  ${hidden('key', single.key)}
  ${hidden('based_on', single.based_on)}
  ${hidden('account', single.account)}
  ${hidden('customer.id', single['customer.id'])}
  ${hidden('customer.known_name', single['customer.known_name'])}
  ${hidden('customer.new_name', single['customer.new_name'])}
  <button class="visually-hidden" name="step" value="compute" tabindex="-1">${t(texts.compute)}</button>
  <div>
    ${customerCard(visit, given)}
    ${isReceived(type) ? null : linesCard(visit, fields, errors, summary)}
    ${takesPayments(type) ? paymentsCard(visit, fields, errors) : null}
    ${setOffCard(visit, given)}
    ${withheldCard(visit, fields, errors)}
    ${isReceived(type) ? receivedCard(visit, fields, errors) : null}
    ${moreCard(visit, fields, errors)}
  </div>
  <div class="stays">
    ${summaryOf(summary, fields, language)}
    <div class="buttons">
      ${button({ text: t(texts.preview), name: 'step', value: 'preview' })}
      ${button({ text: t(texts.compute), kind: 'secondary', name: 'step', value: 'compute' })}
      ${button({ text: t(texts.saveDraft), kind: 'secondary', name: 'step', value: 'save' })}
      ${linkButton({ href: link('/issue'), text: t(words.cancel), kind: 'quiet' })}
    </div>
    ${savedHint(visit, savedAt)}
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

function customerDetail(
  detail: TypedDetail,
  { single, type }: IssueForm['fields'],
  errors: FieldErrors,
  language: Language,
): Markup {
  const { kind } = customerMembers[detail];
  return field({
    name: `customer.${detail}`,
    label: textOf(type, detail, language),
    hint: type === 'donation_receipt' && detail === 'tax_id' ? donorIdHint[language] : undefined,
    value: single[`customer.${detail}`],
    error: errors[`customer.${detail}`],
    ltr: kind !== 'text',
    ...((kind === 'email' || kind === 'tel') && { type: kind }),
  });
}

function customerCard(
  visit: MemberVisit,
  { fields, found = null, isAsked = false, errors = {} }: IssueForm,
): Markup {
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
  const detailField = (detail: TypedDetail) => customerDetail(detail, fields, errors, language);
  // The id of a donor is seen at once: the credit depends on it.
  const folded = typedDetails.filter((detail) => !isDonation || detail !== 'tax_id');
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
    data: {
      'data-customers': link('/issue/customers'),
      'data-found': textOf(type, 'found', language),
      'data-none': textOf(type, 'noneFound', language),
    },
    content: html`
  ${name}
  ${button({ text: textOf(type, 'find', language), kind: 'secondary', name: 'step', value: 'find_customer' })}
  ${found && foundCustomers(found, fields, isAsked, language)}
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

function foundCustomers(
  found: readonly CustomerCard[],
  { type, single }: IssueFields,
  isAsked: boolean,
  language: Language,
): Markup {
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
    ${isAsked && newCustomer(single['customer.name'], type, language)}
  </ul>`;
}

/** A card of its own for a name that is like another one; the choice leads on to the question. */
const newCustomer = (name: string, type: DocumentType, language: Language): Markup => html`<li>
      ${hidden('then', 'preview')}
      <button class="quiet" name="choose_customer" value="new">
        ${textOf(type, 'newCard', language)} ${isolate(name, language)}
      </button>
    </li>`;

/** The open documents of an account, of which a receipt pays those that are chosen. */
function setOffCard(
  { language, t }: MemberVisit,
  { fields, debts = [], errors = {} }: IssueForm,
): Markup | null {
  if (fields.single.account === '') {
    return null;
  }
  const boxes = debts.map(({ document, balance, age }, place) =>
    checkbox({
      name: `set_offs.${place}.document_id`,
      value: document.id,
      label: documentName(document, language),
      checked: fields.setOffs.some(({ document_id }) => document_id === document.id),
      hint: `${formatMoney(balance)} ₪ · ${t(ageWords[age])}`,
    }),
  );
  return card({
    id: 'set-offs',
    title: t(texts.setOffs),
    content: html`
  <p class="hint">${t(texts.setOffsHint)}</p>
  ${errors.set_offs ? html`<p class="error">${errors.set_offs}</p>` : null}
  ${boxes}`,
  });
}

function moreCard({ book, language, t }: MemberVisit, fields: IssueFields, errors: FieldErrors): Markup {
  const { type, single } = fields;
  const dueDate =
    documentTypeRules[type].dueDate &&
    field({
      name: 'due_date',
      label: t(texts.dueDate),
      hint: t(texts.dueDateHint),
      type: 'date',
      language,
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
    title: t(texts.more),
    content: html`
  <div class="fields">
    ${field({
      name: 'date',
      label: textOf(type, 'date', language),
      type: 'date',
      language,
      value: single.date,
      error: errors.date,
    })}
    ${dueDate}
    ${field({
      name: 'title',
      label: t(texts.title),
      value: single.title,
      error: errors.title,
    })}
    ${field({
      name: 'external_ref',
      label: t(texts.reference),
      value: single.external_ref,
      error: errors.external_ref,
    })}
  </div>
  ${textarea({
    name: 'notes',
    label: t(texts.notes),
    hint: book.default_notes ? t(texts.notesHint) : undefined,
    value: single.notes,
    error: errors.notes,
  })}
  ${book.auto_send.enabled ? send : hidden('send', single.send)}`,
  });
}
