import {
  amountMax,
  type Business,
  CreateDocument,
  customerMembers,
  type DocumentState,
  type IssuedDocument,
  type listArticles,
  type listDebts,
  type ReplyOf,
  typedDetails,
} from '@pinkas/contracts';
import {
  asLine,
  type DocumentType,
  documentTypeRules,
  fromShekels,
  methodsOfPaymentField,
  nameKey,
  type PaymentField,
  plainDecimal,
  toShekels,
} from '@pinkas/domain';
import { type FieldKind, type Language, readField, readMoney, type Words } from '@pinkas/ui';
import { balanceOf, documentName } from '../frame/parts.js';
import { limitsOf } from '../http/form-limits.js';

/** The check of the total that a person has seen, as far as a caller may state one: a document may come to more. */
export const expectedTotal = (total: number): Pick<CreateDocument, 'expected_total'> =>
  total > amountMax ? {} : { expected_total: total };

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
const singleNames = [
  'key',
  'based_on',
  'account',
  'customer.id',
  'customer.known_name',
  // The name for which a card of its own was asked for.
  'customer.new_name',
  'customer.name',
  ...typedDetails.map((name) => `customer.${name}` as const),
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
  'withheld.amount',
  'withheld.number',
  'withheld.date',
] as const;
const typedNames = [
  'customer.name',
  ...typedDetails.map((name) => `customer.${name}` as const),
  'discount.value',
  'withheld.amount',
  'title',
  'notes',
  'external_ref',
] as const;
export type SingleName = (typeof singleNames)[number];

/** What the form of a document holds, as a person typed it. */
export interface IssueFields {
  readonly type: DocumentType;
  readonly single: Readonly<Record<SingleName, string>>;
  readonly items: readonly LineFields[];
  readonly payments: readonly PaymentFields[];
  /** Of a receipt on the account of a customer: the documents that it pays, each with the amount once that is asked. */
  readonly setOffs: readonly SetOffFields[];
  /** Of the same, what is withheld of each once that is asked. */
  readonly withheld: readonly SetOffFields[];
}

/** A document that a receipt on account pays. */
export type SetOffFields = Readonly<Record<'document_id' | 'amount', string>>;

const readAs = { text: 'line', tax_id: 'tax_id', email: 'email', tel: 'phone' } as const;
/** The fields that are read otherwise than as one line. */
const kinds: Readonly<Record<string, FieldKind>> = {
  ...Object.fromEntries(typedDetails.map((name) => [`customer.${name}`, readAs[customerMembers[name].kind]])),
  notes: 'text',
};

/** How long each text of the body may be, and how many rows a list may have, by the path in the body. */
export const issueLimits = limitsOf(CreateDocument);

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
    setOffs: [],
    withheld: [],
  };
}

/** What a customer has left to pay, and may pay at once. */
export type AccountDebts = ReplyOf<typeof listDebts>['debts'];

/** The fields of a receipt for all that a customer has left to pay. */
export function fieldsOfAccount(blank: IssueFields, debts: AccountDebts, language: Language): IssueFields {
  const customer = debts[0]?.document.customer;
  const name = asLine(customer?.name ?? '');
  return {
    ...blank,
    single: {
      ...blank.single,
      account: debts[0]?.customer_id ?? '',
      'customer.id': debts[0]?.customer_id ?? '',
      'customer.known_name': name,
      'customer.name': name,
    },
    items: [{ ...blankLine, description: onAccount[language] }],
    setOffs: debts.map(({ document }) => ({ document_id: document.id, amount: '' })),
  };
}

/** A document that the new one begins from. */
export interface Origin {
  readonly document: IssuedDocument;
  readonly state: DocumentState;
  /** Whether the new one is based on it; else it is a copy. */
  readonly isSource: boolean;
}

const onAccount: Words = { he: 'תשלום על חשבון', en: 'Payment on account' };
const receivedFor: Words = { he: 'תשלום עבור', en: 'Payment for' };

/** The fields of a document that is based on another one, or copies it. A receipt for an invoice is over what is left to pay. */
export function fieldsFrom(blank: IssueFields, origin: Origin, language: Language): IssueFields {
  return withReceivedLine(startedFrom(blank, origin, language));
}

function startedFrom(blank: IssueFields, origin: Origin, language: Language): IssueFields {
  const { document, state, isSource } = origin;
  const { customer, discount, totals } = document;
  const single = {
    ...blank.single,
    'customer.id': customer.id,
    // As a field of one line holds it.
    'customer.known_name': asLine(customer.name),
    'customer.name': asLine(customer.name),
    based_on: isSource ? document.id : '',
  };
  const date = blank.single.date;
  if (isSource && isReceived(blank.type)) {
    const balance = balanceOf(document, state) ?? totals.total;
    const amount = balance > 0 ? balance.toFixed(2) : '';
    const description = `${receivedFor[language]} ${documentName(document, language)}`;
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
          'discount.value': plainDecimal(discount.value),
        }),
      title: asLine(document.title ?? ''),
      // Those of an offer, such as how long it is valid, are not true of what follows it.
      notes: isSource ? '' : (document.notes ?? ''),
    },
    items: document.items.map((item) => ({
      sku: asLine(item.sku ?? ''),
      description: asLine(item.description),
      quantity: plainDecimal(item.quantity),
      unit_price: item.unit_price.toFixed(2),
    })),
    payments: blank.payments.map((payment) => ({
      ...payment,
      method: document.payments[0]?.method ?? payment.method,
    })),
  };
}

/**
 * Of what was received, one line: what it is for, over the sum of the payments, VAT included. A receipt states no price, quantity or
 * article of its own.
 */
function withReceivedLine(fields: IssueFields): IssueFields {
  if (!isReceived(fields.type)) {
    return fields;
  }
  const description = fields.items.flatMap((line) => line.description || []).join(', ');
  const line = { ...blankLine, description, unit_price: sumOfPayments(fields) ?? '' };
  return { ...fields, single: { ...fields.single, prices: 'gross' }, items: [line] };
}

/** Whether the customer is the card that was chosen: its name is as it was, as names are compared. */
export const isChosen = ({ single }: IssueFields): boolean =>
  single['customer.id'] !== '' && nameKey(single['customer.name']) === nameKey(single['customer.known_name']);

/** The fields with a card as the customer. Its name is as a field of one line holds it. */
export function withCard(
  fields: IssueFields,
  { id, name }: { readonly id: string; readonly name: string },
): IssueFields {
  const known = asLine(name);
  const chosen = { 'customer.id': id, 'customer.known_name': known, 'customer.name': known };
  return { ...fields, single: { ...fields.single, ...chosen } };
}

/** The rows of a list in a form, whose fields are named `items.0.sku`; a place that is left out is closed. More than there may be are refused later. */
function readRows<Name extends string>(
  form: URLSearchParams,
  list: string,
  names: readonly Name[],
): Record<Name, string>[] {
  const places = new Set(
    [...form.keys()].flatMap((key) => {
      const [first, place = ''] = key.split('.');
      return first === list && /^\d{1,3}$/.test(place) ? [Number(place)] : [];
    }),
  );
  return [...places]
    .sort((one, other) => one - other)
    .map(
      (place) =>
        Object.fromEntries(
          names.map((name) => [name, readField(form, `${list}.${place}.${name}`)]),
        ) as Record<Name, string>,
    );
}

/** The fields of a form that was sent. */
export function readFields(form: URLSearchParams, type: DocumentType): IssueFields {
  const single = Object.fromEntries(
    singleNames.map((name) => [name, readField(form, name, kinds[name])]),
  ) as Record<SingleName, string>;
  const items = readRows(form, 'items', ['sku', 'description', 'quantity', 'unit_price']);
  const payments = readRows(form, 'payments', ['method', 'amount', 'date', ...paymentFields]);
  return withReceivedLine({
    type,
    single,
    items: items.length > 0 ? items : [blankLine],
    payments: takesPayments(type) ? payments : [],
    setOffs: single.account === '' ? [] : readRows(form, 'set_offs', ['document_id', 'amount']),
    withheld: single.account === '' ? [] : readRows(form, 'withheld', ['document_id', 'amount']),
  });
}

/** The same as names and values, for a form that only repeats them. */
export function entriesOf({
  type,
  single,
  items,
  payments,
  setOffs,
  withheld,
}: IssueFields): (readonly [string, string])[] {
  const rows = (list: string, given: readonly object[]) =>
    given.flatMap((row, place) =>
      Object.entries(row).map(([name, value]) => [`${list}.${place}.${name}`, String(value)] as const),
    );
  return [
    ['type', type],
    ...Object.entries(single),
    ...rows('items', items),
    ...rows('payments', payments),
    ...rows('set_offs', setOffs),
    ...rows('withheld', withheld),
  ];
}

export const isBlankLine = ({ sku, description, unit_price }: LineFields) =>
  sku === '' && description === '' && unit_price === '';

/** Whether nothing was typed. What every form begins with, and what a source gives to it, is there again without a draft. */
export function isBlank({ single, items, payments }: IssueFields): boolean {
  const typed = [
    ...typedNames.map((name) => single[name]),
    ...items.flatMap(({ sku, description, unit_price }) => [sku, description, unit_price]),
    ...payments.map(({ amount }) => amount),
  ];
  return typed.every((value) => value === '');
}

/** Without lines that nothing was typed into, so that errors name the places of the form. */
export function withoutBlankLines(fields: IssueFields): IssueFields {
  const typed = fields.items.filter((line) => !isBlankLine(line));
  return { ...fields, items: typed.length > 0 ? typed : fields.items.slice(0, 1) };
}

/** What all payments come to; null where one of them has no amount. */
export function sumOfPayments({ payments }: IssueFields): string | null {
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
