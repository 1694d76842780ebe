import {
  type DocumentType,
  documentTypeRules,
  type Fault,
  isCalendarDate,
  type PaymentInput,
  type PaymentMethod,
  walletMethods,
} from '@pinkas/contracts';
import { malformedTexts } from '../fault/malformed-texts.js';
import { decimalsOf } from './decimals.js';

const moneyDecimalsMax = 2;
const quantityDecimalsMax = 4;

type ExtraField = Exclude<keyof PaymentInput, 'method' | 'amount' | 'date'>;

/** The means of payment to which each extra field belongs (interface 2.6). */
const methodsOfExtra: Readonly<Record<ExtraField, readonly PaymentMethod[]>> = {
  reference: ['bank_transfer', ...walletMethods],
  check_number: ['check'],
  check_date: ['check'],
  bank_code: ['check'],
  branch: ['check'],
  account: ['check'],
  card_last_digits: ['credit_card'],
  card_type: ['credit_card'],
};

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const entriesOf = (value: unknown): readonly (readonly [number, Members])[] =>
  Array.isArray(value)
    ? [...value.entries()].filter((entry): entry is [number, Members] => isMembers(entry[1]))
    : [];

/**
 * The faults of a create request that its schema cannot say: decimals, dates, blank texts, and payment fields on a method
 * that does not have them. Takes any value, so that these faults are named together with the schema's.
 */
export function createDocumentFaults(body: unknown): Fault[] {
  if (!isMembers(body)) return [];
  return [
    ...malformedTexts(body),
    ...dueDateFaults(body),
    ...(isMembers(body.customer) ? blankFaults('/customer/name', body.customer.name, 2) : []),
    ...entriesOf(body.items).flatMap(([index, item]) => [
      ...blankFaults(`/items/${index}/description`, item.description, 1),
      ...decimalFaults(`/items/${index}/quantity`, item.quantity, quantityDecimalsMax),
      ...decimalFaults(`/items/${index}/unit_price`, item.unit_price, moneyDecimalsMax),
    ]),
    ...entriesOf(body.payments).flatMap(([index, payment]) => [
      ...decimalFaults(`/payments/${index}/amount`, payment.amount, moneyDecimalsMax),
      ...extraFaults(`/payments/${index}`, payment),
    ]),
    ...decimalFaults('/expected_total', body.expected_total, moneyDecimalsMax),
  ];
}

function decimalFaults(path: string, value: unknown, decimalsMax: number): Fault[] {
  return typeof value === 'number' && decimalsOf(value) > decimalsMax
    ? [{ path, message: `must have at most ${decimalsMax} decimals` }]
    : [];
}

/** White space alone is no text, and does not count towards a length. */
function blankFaults(path: string, value: unknown, lengthMin: number): Fault[] {
  return typeof value === 'string' && [...value.trim()].length < lengthMin
    ? [{ path, message: `must have at least ${lengthMin} characters beside white space around it` }]
    : [];
}

function dueDateFaults(body: Members): Fault[] {
  const { type, date, due_date: dueDate } = body;
  if (dueDate === undefined) return [];
  if (
    typeof type === 'string' &&
    Object.hasOwn(documentTypeRules, type) &&
    !documentTypeRules[type as DocumentType].dueDate
  ) {
    return [{ path: '/due_date', message: 'belongs to a tax_invoice or a proforma only' }];
  }
  const days = [date, dueDate];
  const bothKnown = days.every((day): day is string => typeof day === 'string' && isCalendarDate(day));
  // Days of this form are in the order of their letters. Without a date the document's own day decides, later.
  return bothKnown && (dueDate as string) < (date as string)
    ? [{ path: '/due_date', message: 'must not precede date' }]
    : [];
}

function extraFaults(path: string, payment: Members): Fault[] {
  const { method } = payment;
  // An unknown method is a fault of its own; what belongs to it cannot be said.
  if (
    typeof method !== 'string' ||
    !Object.values(methodsOfExtra)
      .flat()
      .concat('cash')
      .includes(method as PaymentMethod)
  ) {
    return [];
  }
  return (Object.keys(methodsOfExtra) as ExtraField[])
    .filter(
      (field) => payment[field] !== undefined && !methodsOfExtra[field].includes(method as PaymentMethod),
    )
    .map((field) => ({
      path: `${path}/${field}`,
      message: `does not belong to ${method}, but to ${methodsOfExtra[field].join(', ')}`,
    }));
}
