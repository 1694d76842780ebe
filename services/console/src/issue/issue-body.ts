import { CreateDocument, compile, createDocumentErrors, typedDetails } from '@pinkas/contracts';
import {
  type DocumentType,
  documentTypeRules,
  isPaymentMethod,
  methodsOfPaymentField,
  type TypedNumberKind,
} from '@pinkas/domain';
import {
  type FieldErrors,
  type FieldRule,
  fieldErrors,
  type Language,
  lengthErrors,
  numberError,
  readMoney,
  readNumber,
  type Words,
} from '@pinkas/ui';
import { withheldTexts } from '../debts/withheld-parts.js';
import {
  entriesOf,
  type IssueFields,
  isChosen,
  isReceived,
  issueLimits,
  type PaymentFields,
  paymentFields,
  type SingleName,
} from './issue-fields.js';

const texts = {
  name: {
    he: 'יש לכתוב שם של לקוח, שתי אותיות לפחות.',
    en: 'Write the name of a customer, two letters at least.',
  },
  donor: {
    he: 'יש לכתוב שם של תורם, שתי אותיות לפחות.',
    en: 'Write the name of a donor, two letters at least.',
  },
  taxId: { he: '5 עד 9 ספרות, בלי סימנים אחרים.', en: '5 to 9 digits, and no other characters.' },
  email: {
    he: 'כתובת אחת, כמו name@example.com, בלי רווחים ובלי מירכאות.',
    en: 'One address, such as name@example.com, without blanks and quotes.',
  },
  phone: {
    he: '7 עד 20 ספרות, רווחים ומקפים, ואפשר + בהתחלה; בלי אותיות.',
    en: '7 to 20 digits, blanks and hyphens, with a + in front if there is one; no letters.',
  },
  items: { he: '100 שורות לכל היותר במסמך אחד.', en: 'At most 100 lines in one document.' },
  payments: { he: '20 תשלומים לכל היותר במסמך אחד.', en: 'At most 20 payments in one document.' },
  description: { he: 'יש לכתוב תיאור.', en: 'Write a description.' },
  quantity: {
    he: 'כמות גדולה מאפס, עד 1,000,000, עם עד 4 ספרות אחרי הנקודה.',
    en: 'Above zero and at most 1,000,000, with at most 4 decimals.',
  },
  price: {
    he: 'סכום מאפס עד 100,000,000, עם עד 2 ספרות אחרי הנקודה.',
    en: 'An amount from zero to 100,000,000, with at most 2 decimals.',
  },
  negative: { he: 'מחיר אינו יכול להיות שלילי.', en: 'A price cannot be negative.' },
  byDiscount: { he: 'להפחתה יש לרשום הנחה.', en: 'To take something off, give a discount.' },
  discountType: {
    he: 'יש לבחור אם ההנחה באחוזים או בשקלים.',
    en: 'Choose whether the discount is in percent or in shekels.',
  },
  paid: {
    he: 'סכום גדול מאפס, עד 100,000,000, עם עד 2 ספרות אחרי הנקודה.',
    en: 'An amount above zero and at most 100,000,000, with at most 2 decimals.',
  },
  dueDate: { he: 'תאריך תקין, לא לפני תאריך המסמך.', en: 'A valid date, not before that of the document.' },
  date: { he: 'התאריך אינו תקין.', en: 'The date is not valid.' },
  discount: {
    he: 'הנחה גדולה מאפס: באחוזים עד 100, בשקלים עד סכום הביניים.',
    en: 'A discount above zero: of at most 100 percent, or of at most the sum of the lines.',
  },
  bankCode: { he: 'מספר של בנק, מ-1 עד 99.', en: 'The number of a bank, from 1 to 99.' },
} as const satisfies Record<string, Words>;

const fieldRules: readonly FieldRule[] = [
  { path: '/customer/name', field: 'customer.name', text: texts.name },
  { path: '/customer/tax_id', field: 'customer.tax_id', text: texts.taxId },
  { path: '/customer/email', field: 'customer.email', text: texts.email },
  { path: '/customer/phone', field: 'customer.phone', text: texts.phone },
  { path: '/items/*/description', field: 'items.*.description', text: texts.description },
  { path: '/items/*/quantity', field: 'items.*.quantity', text: texts.quantity },
  { path: '/items/*/unit_price', field: 'items.*.unit_price', text: texts.price },
  { path: '/payments/*/amount', field: 'payments.*.amount', text: texts.paid },
  { path: '/payments/*/bank_code', field: 'payments.*.bank_code', text: texts.bankCode },
  { path: '/discount', field: 'discount.value', text: texts.discount },
  { path: '/due_date', field: 'due_date', text: texts.dueDate },
  { path: '/date', field: 'date', text: texts.date },
  { path: '/withheld/amounts', field: 'withheld.amount', text: withheldTexts.wrong },
];

/** What is wrong with a body, by the fields of the form. @param details of a `validation_error`. */
export function bodyErrors(
  details: Readonly<Record<string, unknown>> | undefined,
  language: Language,
): FieldErrors {
  return fieldErrors(details, { language, rules: fieldRules });
}

/** A donation receipt names a donor. */
function inWordsOf(type: DocumentType, errors: FieldErrors, language: Language): FieldErrors {
  const isOfDonor = type === 'donation_receipt' && errors['customer.name'] === texts.name[language];
  return isOfDonor ? { ...errors, 'customer.name': texts.donor[language] } : errors;
}

const checkBody = compile(CreateDocument);

/** Whether an error is about the empty amount of a single payment: it is the total as soon as the rest is right. */
const isLeftToCompute = ({ payments, type }: IssueFields, name: string): boolean =>
  !isReceived(type) && name === 'payments.0.amount' && payments.length === 1 && payments[0]?.amount === '';

/** The body of the request, or what the HTTP API would refuse in it before its rules, which are for issuing to check. */
export function bodyOf(
  fields: IssueFields,
  language: Language,
): { body: CreateDocument } | { errors: FieldErrors } {
  const { type, single } = fields;
  const errors: Record<string, string> = {};
  const numberAt: NumberAt = (name, typed, text, kind) => {
    const value = readNumber(typed, kind);
    if (value === null) {
      errors[name] = numberError(typed, text, language, kind);
    }
    return value ?? 0;
  };
  const items = fields.items.map((line, place) => ({
    description: line.description,
    quantity: numberAt(`items.${place}.quantity`, line.quantity, texts.quantity, 'number'),
    // The price of what was received is the sum of the payments, whose errors are reported at their fields.
    unit_price: isReceived(type)
      ? (readMoney(line.unit_price) ?? 0)
      : numberAt(`items.${place}.unit_price`, line.unit_price, texts.price, 'money'),
    ...(line.sku !== '' && { sku: line.sku }),
  }));
  const payments = fields.payments.map((payment, place) => ({
    method: isPaymentMethod(payment.method) ? payment.method : ('cash' as const),
    amount: numberAt(`payments.${place}.amount`, payment.amount, texts.paid, 'money'),
    ...(payment.date !== '' && { date: payment.date }),
    ...extrasOf(payment, place, numberAt),
  }));
  const given = (name: SingleName, member: string = name) =>
    single[name] !== '' && { [member]: single[name] };
  if (single['discount.type'] === '' && single['discount.value'] !== '') {
    errors['discount.type'] = texts.discountType[language];
  }
  const body: CreateDocument = {
    type,
    customer: customerOf(fields),
    items,
    prices_include_vat: single.prices === 'gross',
    ...discountOf(fields, numberAt),
    ...(payments.length > 0 && { payments }),
    ...given('based_on'),
    ...given('date'),
    ...(documentTypeRules[type].dueDate && given('due_date')),
    ...given('title'),
    ...given('notes'),
    ...given('external_ref'),
    send: single.send === 'yes',
  };
  const all = { ...refused(fields, body, language), ...negativePrices(fields, language), ...errors };
  const own = Object.keys(all).filter((name) => !isLeftToCompute(fields, name));
  if (own.length > 0) {
    return { errors: Object.fromEntries(own.map((name) => [name, all[name] ?? ''])) };
  }
  return Object.keys(all).length > 0 ? { errors: all } : { body };
}

/** What is wrong with what is typed, besides what is no number: that is 0 in the body, and what is reported of it there is not the cause. */
function refused(fields: IssueFields, body: CreateDocument, language: Language): Record<string, string> {
  const checked = checkBody(body);
  const found = [...(checked.ok ? [] : checked.errors), ...createDocumentErrors(body)];
  const { rows } = issueLimits;
  return {
    ...inWordsOf(fields.type, bodyErrors({ errors: found }, language), language),
    ...(fields.items.length > (rows.items ?? 0) && { items: texts.items[language] }),
    ...(fields.payments.length > (rows.payments ?? 0) && { payments: texts.payments[language] }),
    ...lengthErrors(Object.fromEntries(entriesOf(fields)), limitsOfFields(fields), language),
  };
}

/** What may be meant by a price below zero is written elsewhere. */
function negativePrices({ type, items }: IssueFields, language: Language): Record<string, string> {
  const hasDiscount = documentTypeRules[type].discount === 'allowed';
  const words = [texts.negative, ...(hasDiscount ? [texts.byDiscount] : [])].map((text) => text[language]);
  return Object.fromEntries(
    items.flatMap(({ unit_price }, place) =>
      !isReceived(type) && (readMoney(unit_price) ?? 0) < 0
        ? [[`items.${place}.unit_price`, words.join(' ')]]
        : [],
    ),
  );
}

/** The number in a field, or 0 where it is none, which is stored as an error of the field. */
type NumberAt = (name: string, typed: string, text: Words, kind: TypedNumberKind) => number;

function discountOf({ single }: IssueFields, numberAt: NumberAt): Pick<CreateDocument, 'discount'> {
  if (single['discount.type'] === '') {
    return {};
  }
  const type = single['discount.type'] === 'amount' ? 'amount' : 'percent';
  // An amount of discount is rounded, so it may have more decimals, as may the one of a document that is copied.
  const kind = type === 'amount' ? 'number' : 'percent';
  return {
    discount: { type, value: numberAt('discount.value', single['discount.value'], texts.discount, kind) },
  };
}

/** How long the texts of the fields may be, by the names of the fields. */
function limitsOfFields(fields: IssueFields): Record<string, number> {
  return Object.fromEntries(
    entriesOf(fields).flatMap(([name]) => {
      const max = issueLimits.texts[name.replace(/\.\d+\./, '.')];
      return max === undefined ? [] : [[name, max]];
    }),
  );
}

/** The fields that belong to the method of a payment; the others are left from a method that was chosen before. */
function extrasOf(
  payment: PaymentFields,
  place: number,
  numberAt: NumberAt,
): Record<string, string | number> {
  const own = paymentFields.filter((name) => {
    const methods: readonly string[] = methodsOfPaymentField[name];
    return payment[name] !== '' && methods.includes(payment.method);
  });
  return Object.fromEntries(
    own.map((name) => [
      name,
      name === 'bank_code'
        ? numberAt(`payments.${place}.${name}`, payment[name], texts.bankCode, 'number')
        : payment[name],
    ]),
  );
}

/** Who is typed: the card that was chosen, or a name. */
function customerOf(fields: IssueFields): CreateDocument['customer'] {
  const { single } = fields;
  const details = Object.fromEntries(
    typedDetails.flatMap((detail) => {
      const value = single[`customer.${detail}`];
      return value === '' ? [] : [[detail, value]];
    }),
  );
  return {
    ...(isChosen(fields) ? { id: single['customer.id'] } : { name: single['customer.name'] }),
    ...details,
    ...(single['customer.identity_confirmed'] === 'yes' && { identity_confirmed: true }),
  };
}
