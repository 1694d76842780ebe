import {
  type Business,
  CreateDocument,
  compile,
  createDocumentErrors,
  type DocumentState,
  type IssuedDocument,
  type listArticles,
  type ReplyOf,
} from '@pinkas/contracts';
import {
  type DocumentType,
  documentTypeRules,
  fromShekels,
  isPaymentMethod,
  methodsOfPaymentField,
  type PaymentField,
  toShekels,
} from '@pinkas/domain';
import {
  type FieldErrors,
  type FieldRule,
  fieldErrors,
  type Language,
  readMoney,
  type Words,
} from '@pinkas/ui';
import { balanceOf, documentName } from '../parts.js';

/** A line as it is typed. */
export interface LineFields {
  readonly sku: string;
  readonly description: string;
  readonly quantity: string;
  readonly unit_price: string;
}

/** A payment as it is typed. */
export type PaymentFields = Readonly<Record<'method' | 'amount' | 'date' | PaymentField, string>>;

export const paymentFields = Object.keys(methodsOfPaymentField) as readonly PaymentField[];
export const customerDetails = ['tax_id', 'email', 'phone', 'address', 'city'] as const;
const singleNames = [
  'key',
  'based_on',
  'customer.id',
  'customer.known_name',
  'customer.name',
  ...customerDetails.map((name) => `customer.${name}` as const),
  'customer.identity_confirmed',
  'prices',
  'discount.type',
  'discount.value',
  'date',
  'due_date',
  'title',
  'notes',
  'external_ref',
  'send',
] as const;
type SingleName = (typeof singleNames)[number];

/** What the form of a document holds, as a person typed it. */
export interface IssueFields {
  readonly type: DocumentType;
  readonly single: Readonly<Record<SingleName, string>>;
  readonly items: readonly LineFields[];
  readonly payments: readonly PaymentFields[];
}

const itemsMax = 100;
const paymentsMax = 20;

export const blankLine: LineFields = { sku: '', description: '', quantity: '1', unit_price: '' };

export function blankPayment(date: string, amount = ''): PaymentFields {
  const extras = Object.fromEntries(paymentFields.map((name) => [name, ''])) as Record<PaymentField, string>;
  return { method: 'bank_transfer', amount, date, ...extras };
}

/** Whether amounts of this type are what was received, VAT included. */
export const isReceived = (type: DocumentType): boolean => type === 'receipt' || type === 'donation_receipt';

export const takesPayments = (type: DocumentType): boolean => documentTypeRules[type].payments === 'required';

/** The fields of a document from scratch. @param today YYYY-MM-DD. */
export function newFields(type: DocumentType, business: Business, today: string): IssueFields {
  const blank = Object.fromEntries(singleNames.map((name) => [name, ''])) as Record<SingleName, string>;
  return {
    type,
    single: {
      ...blank,
      key: crypto.randomUUID(),
      prices: isReceived(type) || business.prices_include_vat ? 'gross' : 'net',
      date: today,
      send: 'yes',
    },
    items: [blankLine],
    payments: takesPayments(type) ? [blankPayment(today)] : [],
  };
}

/** A document that the new one begins from. */
export interface Origin {
  readonly document: IssuedDocument;
  readonly state: DocumentState;
  /** Whether the new one is based on it; else it is a copy. */
  readonly isSource: boolean;
}

const receivedFor: Words = { he: 'תשלום עבור', en: 'Payment for' };

/** The fields of a document that is based on another one, or copies it. A receipt for an invoice is over what is left to pay. */
export function fieldsFrom(blank: IssueFields, origin: Origin, language: Language): IssueFields {
  const { document, state, isSource } = origin;
  const { customer, discount, totals } = document;
  const single = {
    ...blank.single,
    'customer.id': customer.id,
    'customer.known_name': customer.name,
    'customer.name': customer.name,
    based_on: isSource ? document.id : '',
  };
  const date = blank.single.date;
  if (isSource && isReceived(blank.type)) {
    const balance = balanceOf(document, state) ?? totals.total;
    const amount = balance > 0 ? balance.toFixed(2) : '';
    const description = `${receivedFor[language]} ${documentName(document, language)}`;
    // Its price is what is paid.
    const items = [{ ...blankLine, description }];
    return { ...blank, single, items, payments: [blankPayment(date, amount)] };
  }
  return {
    ...blank,
    single: {
      ...single,
      prices: document.prices_include_vat ? 'gross' : 'net',
      ...(discount &&
        documentTypeRules[blank.type].discount === 'allowed' && {
          'discount.type': discount.type,
          'discount.value': String(discount.value),
        }),
      title: document.title ?? '',
      notes: document.notes ?? '',
    },
    items: document.items.map((item) => ({
      sku: item.sku ?? '',
      description: item.description,
      quantity: String(item.quantity),
      unit_price: item.unit_price.toFixed(2),
    })),
    payments: blank.payments.map((payment) => ({
      ...payment,
      method: document.payments[0]?.method ?? payment.method,
    })),
  };
}

/** The rows of a list in a form, whose fields are named `items.0.sku`; a place that is left out is closed. */
function readRows<Name extends string>(
  form: URLSearchParams,
  list: string,
  names: readonly Name[],
  max: number,
): Record<Name, string>[] {
  const places = new Set(
    [...form.keys()].flatMap((key) => {
      const [first, place = ''] = key.split('.');
      return first === list && /^\d{1,3}$/.test(place) ? [Number(place)] : [];
    }),
  );
  return [...places]
    .sort((one, other) => one - other)
    .slice(0, max)
    .map(
      (place) =>
        Object.fromEntries(
          names.map((name) => [name, (form.get(`${list}.${place}.${name}`) ?? '').trim()]),
        ) as Record<Name, string>,
    );
}

/** The fields of a form that was sent. */
export function readFields(form: URLSearchParams, type: DocumentType): IssueFields {
  const single = Object.fromEntries(
    singleNames.map((name) => [name, (form.get(name) ?? '').trim().slice(0, 1_000)]),
  ) as Record<SingleName, string>;
  const items = readRows(form, 'items', ['sku', 'description', 'quantity', 'unit_price'], itemsMax);
  const payments = readRows(form, 'payments', ['method', 'amount', 'date', ...paymentFields], paymentsMax);
  return {
    type,
    single,
    items: items.length > 0 ? items : [blankLine],
    payments: takesPayments(type) ? payments : [],
  };
}

/** The same as names and values, for a form that only repeats them. */
export function entriesOf({ type, single, items, payments }: IssueFields): (readonly [string, string])[] {
  const rows = (list: string, given: readonly object[]) =>
    given.flatMap((row, place) =>
      Object.entries(row).map(([name, value]) => [`${list}.${place}.${name}`, String(value)] as const),
    );
  return [['type', type], ...Object.entries(single), ...rows('items', items), ...rows('payments', payments)];
}

const isBlankLine = ({ sku, description, unit_price }: LineFields) =>
  sku === '' && description === '' && unit_price === '';

/**
 * Without lines that nothing was typed into, so that errors name the places of the form. The only line of what was received has the
 * sum of the payments where it has no price: a person types an amount once.
 */
export function withoutBlankLines(fields: IssueFields): IssueFields {
  const typed = fields.items.filter((line) => !isBlankLine(line));
  const items = typed.length > 0 ? typed : fields.items.slice(0, 1);
  const [line, ...others] = items;
  const paid = sumOfPayments(fields);
  const takesSum = isReceived(fields.type) && line?.unit_price === '' && others.length === 0 && paid !== null;
  return { ...fields, items: takesSum && line ? [{ ...line, unit_price: paid }] : items };
}

/** What all payments come to; null where one of them has no amount. */
function sumOfPayments({ payments }: IssueFields): string | null {
  const amounts = payments.map(({ amount }) => readMoney(amount));
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 || known.length < amounts.length
    ? null
    : toShekels(known.reduce((sum, amount) => sum + fromShekels(amount), 0n)).toFixed(2);
}

type Articles = ReplyOf<typeof listArticles>['articles'];

/** The lines with what former ones have for their article number. A price of the other basis, net or gross, is none. */
export function withArticles(fields: IssueFields, articles: Articles): IssueFields {
  const isGross = fields.single.prices === 'gross';
  const items = fields.items.map((line) => {
    const known = articles.find(({ sku }) => sku === line.sku);
    return known
      ? {
          ...line,
          description: line.description || known.description,
          unit_price:
            line.unit_price || (known.prices_include_vat === isGross ? known.unit_price.toFixed(2) : ''),
        }
      : line;
  });
  return { ...fields, items };
}

const texts = {
  name: {
    he: 'יש לכתוב שם של לקוח, שתי אותיות לפחות.',
    en: 'Write the name of a customer, two letters at least.',
  },
  taxId: { he: '5 עד 9 ספרות.', en: '5 to 9 digits.' },
  email: { he: 'כתובת הדוא"ל אינה תקינה.', en: 'The email address is not valid.' },
  phone: { he: 'מספר הטלפון אינו תקין.', en: 'The phone number is not valid.' },
  description: { he: 'יש לכתוב תיאור.', en: 'Write a description.' },
  quantity: { he: 'כמות גדולה מאפס, עד 4 ספרות אחרי הנקודה.', en: 'Above zero, with at most 4 decimals.' },
  price: { he: 'סכום עם עד 2 ספרות אחרי הנקודה.', en: 'An amount with at most 2 decimals.' },
  paid: {
    he: 'סכום גדול מאפס, עד 2 ספרות אחרי הנקודה.',
    en: 'An amount above zero with at most 2 decimals.',
  },
  dueDate: { he: 'תאריך תקין, לא לפני תאריך המסמך.', en: 'A valid date, not before that of the document.' },
  date: { he: 'התאריך אינו תקין.', en: 'The date is not valid.' },
  discount: {
    he: 'ההנחה אינה תקינה, או גדולה מסכום השורות.',
    en: 'The discount is not valid, or above the lines.',
  },
  number: { he: 'יש לכתוב מספר.', en: 'Write a number.' },
  amount: { he: 'יש לכתוב סכום.', en: 'Write an amount.' },
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
  { path: '/discount', field: 'discount.value', text: texts.discount },
  { path: '/due_date', field: 'due_date', text: texts.dueDate },
  { path: '/date', field: 'date', text: texts.date },
];

/** What is wrong with a body, by the fields of the form. @param details of a `validation_error`. */
export function bodyErrors(
  details: Readonly<Record<string, unknown>> | undefined,
  language: Language,
): FieldErrors {
  return fieldErrors(details, { language, rules: fieldRules });
}

const checkBody = compile(CreateDocument);

/** Whether an error is about the empty amount of a single payment: it is the total as soon as the rest is right. */
const isLeftToCompute = ({ payments }: IssueFields, name: string): boolean =>
  name === 'payments.0.amount' && payments.length === 1 && payments[0]?.amount === '';

/** The body of the request, or what the HTTP API would refuse in it before its rules, which are for issuing to check. */
export function bodyOf(
  fields: IssueFields,
  language: Language,
): { body: CreateDocument } | { errors: FieldErrors } {
  const { type, single } = fields;
  const errors: Record<string, string> = {};
  const numberAt = (name: string, typed: string, text: Words): number => {
    const value = readMoney(typed);
    if (value === null) {
      errors[name] = text[language];
    }
    return value ?? 0;
  };
  const items = fields.items.map((line, place) => ({
    description: line.description,
    quantity: numberAt(`items.${place}.quantity`, line.quantity, texts.number),
    unit_price: numberAt(`items.${place}.unit_price`, line.unit_price, texts.amount),
    ...(line.sku !== '' && { sku: line.sku }),
  }));
  const payments = fields.payments.map((payment, place) => ({
    method: isPaymentMethod(payment.method) ? payment.method : ('cash' as const),
    amount: numberAt(`payments.${place}.amount`, payment.amount, texts.amount),
    ...(payment.date !== '' && { date: payment.date }),
    ...extrasOf(payment, place, numberAt),
  }));
  const discountValue =
    single['discount.type'] === ''
      ? null
      : numberAt('discount.value', single['discount.value'], texts.number);
  const given = (name: SingleName, member: string = name) =>
    single[name] !== '' && { [member]: single[name] };
  const body: CreateDocument = {
    type,
    customer: customerOf(fields),
    items,
    prices_include_vat: single.prices === 'gross',
    ...(discountValue !== null && {
      discount: {
        type: single['discount.type'] === 'amount' ? ('amount' as const) : ('percent' as const),
        value: discountValue,
      },
    }),
    ...(payments.length > 0 && { payments }),
    ...given('based_on'),
    ...given('date'),
    ...(documentTypeRules[type].dueDate && given('due_date')),
    ...given('title'),
    ...given('notes'),
    ...given('external_ref'),
    send: single.send === 'yes',
  };
  const checked = checkBody(body);
  const found = [...(checked.ok ? [] : checked.errors), ...createDocumentErrors(body)];
  // A text that is no number is 0 in the body: what is reported of it there is not what is wrong.
  const all = { ...bodyErrors({ errors: found }, language), ...errors };
  const own = Object.keys(all).filter((name) => !isLeftToCompute(fields, name));
  if (own.length > 0) {
    return { errors: Object.fromEntries(own.map((name) => [name, all[name] ?? ''])) };
  }
  return Object.keys(all).length > 0 ? { errors: all } : { body };
}

/** The fields that belong to the method of a payment; the others are left from a method that was chosen before. */
function extrasOf(
  payment: PaymentFields,
  place: number,
  numberAt: (name: string, typed: string, text: Words) => number,
): Record<string, string | number> {
  const own = paymentFields.filter((name) => {
    const methods: readonly string[] = methodsOfPaymentField[name];
    return payment[name] !== '' && methods.includes(payment.method);
  });
  return Object.fromEntries(
    own.map((name) => [
      name,
      name === 'bank_code'
        ? numberAt(`payments.${place}.${name}`, payment[name], texts.number)
        : payment[name],
    ]),
  );
}

/** Who is typed: the card that was chosen, as long as its name is as it was. */
function customerOf({ single }: IssueFields): CreateDocument['customer'] {
  const name = single['customer.name'];
  const isChosen = single['customer.id'] !== '' && name === single['customer.known_name'];
  const details = Object.fromEntries(
    customerDetails.flatMap((detail) => {
      const value = single[`customer.${detail}`];
      return value === '' ? [] : [[detail, value]];
    }),
  );
  return {
    ...(isChosen ? { id: single['customer.id'] } : { name }),
    ...details,
    ...(single['customer.identity_confirmed'] === 'yes' && { identity_confirmed: true }),
  };
}
