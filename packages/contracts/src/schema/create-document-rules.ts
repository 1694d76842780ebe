import {
  type DocumentType,
  decimalPlaces,
  documentTypeRules,
  isCalendarDate,
  isPaymentMethod,
  methodsOfPaymentField,
  misplacedPaymentFields,
  visibleLength,
} from '@pinkas/domain';
import { PaymentInput } from './document.js';
import { withoutEmptyTexts } from './empty-texts.js';
import { type Sentence, sentence, sentences } from './error-sentences.js';
import { malformedTexts } from './malformed-texts.js';
import type { ValidationError } from './validate.js';

const moneyDecimalsMax = 2;
const quantityDecimalsMax = 4;

const dueDateSentences = {
  type: sentence('belongs to a tax_invoice or a proforma only', 'שייך רק ל-tax_invoice או ל-proforma'),
  order: sentence('must not precede date', 'אסור שיהיה לפני date'),
};
const foreignDonorSentences = {
  type: sentence('belongs to a donation_receipt only', 'שייך רק ל-donation_receipt'),
  taxId: sentence('takes the place of customer.tax_id', 'בא במקום customer.tax_id'),
};
const visibleLengthMin = (min: number): Sentence =>
  sentence(`must have at least ${min} characters that can be seen`, `נדרשים לפחות ${min} תווים נראים`);
const ofOtherMethods = (method: string, others: readonly string[]): Sentence =>
  sentence(
    `does not belong to ${method}, but to ${others.join(', ')}`,
    `לא שייך ל-${method}, אלא ל-${others.join(', ')}`,
  );

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const entriesOf = (value: unknown): readonly (readonly [number, Members])[] =>
  Array.isArray(value)
    ? [...value.entries()].filter((entry): entry is [number, Members] => isMembers(entry[1]))
    : [];

/**
 * The validation errors of a `CreateDocument` body that its schema cannot express: decimals, dates, blank texts, and payment
 * fields of another method. Takes any value, so that these errors are reported together with the schema's.
 */
export function createDocumentErrors(body: unknown): ValidationError[] {
  if (!isMembers(body)) {
    return [];
  }
  return [
    ...malformedTexts(body),
    ...dueDateErrors(body),
    ...foreignDonorErrors(body),
    ...(isMembers(body.customer) ? blankErrors('/customer/name', body.customer.name, 2) : []),
    ...entriesOf(body.items).flatMap(([index, item]) => [
      ...blankErrors(`/items/${index}/description`, item.description, 1),
      ...decimalErrors(`/items/${index}/quantity`, item.quantity, quantityDecimalsMax),
      ...decimalErrors(`/items/${index}/unit_price`, item.unit_price, moneyDecimalsMax),
    ]),
    ...entriesOf(body.payments).flatMap(([index, payment]) => [
      ...decimalErrors(`/payments/${index}/amount`, payment.amount, moneyDecimalsMax),
      ...paymentFieldErrors(`/payments/${index}`, payment),
    ]),
    ...decimalErrors('/expected_total', body.expected_total, moneyDecimalsMax),
  ];
}

/**
 * What is wrong with the due date of a document of this type and date. A body without `date` is checked again once the
 * document's date is known.
 */
export function dueDateErrors({ type, date, due_date: dueDate }: Members): ValidationError[] {
  if (dueDate === undefined) {
    return [];
  }
  if (isDocumentType(type) && !documentTypeRules[type].dueDate) {
    return [{ path: '/due_date', ...dueDateSentences.type }];
  }
  const bothKnown = isDay(date) && isDay(dueDate);
  // Days of this form sort as texts.
  return bothKnown && dueDate < date ? [{ path: '/due_date', ...dueDateSentences.order }] : [];
}

/** A donor has one id: that of a person who lives abroad is the authority's own. */
function foreignDonorErrors({ type, customer, foreign_donor: donor }: Members): ValidationError[] {
  if (donor === undefined) {
    return [];
  }
  if (isDocumentType(type) && type !== 'donation_receipt') {
    return [{ path: '/foreign_donor', ...foreignDonorSentences.type }];
  }
  return isMembers(customer) && customer.tax_id !== undefined
    ? [{ path: '/foreign_donor', ...foreignDonorSentences.taxId }]
    : [];
}

const isDocumentType = (type: unknown): type is DocumentType =>
  typeof type === 'string' && Object.hasOwn(documentTypeRules, type);
const isDay = (day: unknown): day is string => typeof day === 'string' && isCalendarDate(day);

function decimalErrors(path: string, value: unknown, decimalsMax: number): ValidationError[] {
  return typeof value === 'number' && Number.isFinite(value) && decimalPlaces(value) > decimalsMax
    ? [{ path, ...sentences.decimalsMax(decimalsMax) }]
    : [];
}

/** What cannot be seen is no text, and does not count towards a length. */
function blankErrors(path: string, value: unknown, lengthMin: number): ValidationError[] {
  return typeof value === 'string' && visibleLength(value) < lengthMin
    ? [{ path, ...(lengthMin === 1 ? sentences.empty : visibleLengthMin(lengthMin)) }]
    : [];
}

/** Nothing for an unknown method, which the schema refuses. */
function paymentFieldErrors(path: string, payment: Members): ValidationError[] {
  const { method } = payment;
  if (!isPaymentMethod(method)) {
    return [];
  }
  return misplacedPaymentFields(method, withoutEmptyTexts(PaymentInput, payment)).map((field) => ({
    path: `${path}/${field}`,
    ...ofOtherMethods(method, methodsOfPaymentField[field]),
  }));
}
