import { decimalsIn } from './expected-totals.js';

/**
 * The table of the create request (interface 2.6, with what the decisions add), written down once more, apart from the
 * schema that the system checks with.
 */

type Members = Record<string, unknown>;

/** The faults of a value at a place, as JSON Pointers. */
type Faults = (value: unknown, at: string) => string[];

interface Field {
  readonly required: boolean;
  readonly faults: Faults;
}

const optional = (faults: Faults): Field => ({ required: false, faults });
const required = (faults: Faults): Field => ({ required: true, faults });
const when =
  (fits: (value: unknown) => boolean): Faults =>
  (value, at) =>
    fits(value) ? [] : [at];

/** PostgreSQL and UTF-8 take neither NUL nor half of a surrogate pair. */
const keepable = (text: string): boolean => !text.includes('\0') && Buffer.from(text).toString() === text;
/** What cannot be seen: white space, control and format characters, marks without a letter, and what is not assigned. */
const invisible =
  /^[\p{White_Space}\p{Cc}\p{Cf}\p{Cn}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]*$/u;
/** What has no shape of its own: marks of direction, joiners, controls that are no white space. */
const shapeless =
  /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]|(?!\p{White_Space})\p{Cc}/gu;
const surrounding = /^[\p{White_Space}\ufeff]+|[\p{White_Space}\ufeff]+$/gu;
/** Lengths are counted in code points of what can be seen and the white space between it. */
const lengthOf = (text: string): number =>
  invisible.test(text) ? 0 : Array.from(text.replaceAll(shapeless, '').replaceAll(surrounding, '')).length;

const texts = (min: number, max: number): Faults =>
  when(
    (value) =>
      typeof value === 'string' &&
      keepable(value) &&
      lengthOf(value) >= min &&
      // White space counts where it is too much.
      Array.from(value).length <= max,
  );
const written = (pattern: RegExp): Faults =>
  when((value) => typeof value === 'string' && pattern.test(value));
const oneOf = (...values: string[]): Faults => when((value) => values.includes(value as string));
const yesOrNo = when((value) => typeof value === 'boolean');
const numbers = (fits: (value: number) => boolean, decimalsMax: number = Number.POSITIVE_INFINITY): Faults =>
  when(
    (value) =>
      typeof value === 'number' && Number.isFinite(value) && fits(value) && decimalsIn(value) <= decimalsMax,
  );
const day = when(
  (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value,
);
const uuid = written(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
const million = 1_000_000;

const wallets = [1, 2, 3, 4, 5].map((entry) => `wallet_method_${entry}`);
const methods = ['cash', 'check', 'credit_card', 'bank_transfer', ...wallets];
const types = [
  'quote',
  'order',
  'delivery_note',
  'return_note',
  'proforma',
  'tax_invoice',
  'tax_invoice_receipt',
  'receipt',
  'credit_note',
  'donation_receipt',
];

const customer: Record<string, Field> = {
  id: optional(uuid),
  name: optional(texts(2, 120)),
  tax_id: optional(written(/^[0-9]{5,9}$/)),
  legal_type: optional(oneOf('hevra_baam', 'osek_murshe', 'osek_patur', 'amuta', 'private')),
  email: optional(
    when((value) => typeof value === 'string' && value.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(value)),
  ),
  phone: optional(written(/^\+?[0-9\-\s]{7,20}$/)),
  address: optional(texts(0, 200)),
  city: optional(texts(0, 80)),
  identity_confirmed: optional(yesOrNo),
};

const item: Record<string, Field> = {
  description: required(texts(1, 200)),
  quantity: required(numbers((value) => value > 0 && value <= million, 4)),
  unit_price: required(numbers((value) => value >= 0 && value <= 100 * million, 2)),
  sku: optional(texts(0, 64)),
};

const discount: Record<string, Field> = {
  type: required(oneOf('percent', 'amount')),
  value: required(numbers((value) => value > 0 && value <= 100 * million)),
};

/** The means of payment that an extra field belongs to. */
const extras: Record<string, { methods: string[]; faults: Faults }> = {
  reference: { methods: ['bank_transfer', ...wallets], faults: texts(0, 64) },
  check_number: { methods: ['check'], faults: texts(0, 20) },
  check_date: { methods: ['check'], faults: day },
  bank_code: { methods: ['check'], faults: numbers((value) => value >= 1 && value <= 99, 0) },
  branch: { methods: ['check'], faults: texts(0, 10) },
  account: { methods: ['check'], faults: texts(0, 20) },
  card_last_digits: { methods: ['credit_card'], faults: written(/^[0-9]{4}$/) },
  card_type: { methods: ['credit_card'], faults: texts(0, 20) },
};

/** The extra fields of a means of payment. */
export function extrasOf(method: string): string[] {
  return Object.keys(extras).filter((name) => extras[name]?.methods.includes(method));
}

const payment: Record<string, Field> = {
  method: required(oneOf(...methods)),
  amount: required(numbers((value) => value > 0 && value <= 100 * million, 2)),
  date: optional(day),
  ...Object.fromEntries(Object.entries(extras).map(([name, extra]) => [name, optional(extra.faults)])),
};

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const below = (at: string, member: string | number): string =>
  `${at}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** An object with these fields and no others. */
const members =
  (fields: Record<string, Field>, more: (value: Members, at: string) => string[] = () => []): Faults =>
  (value, at) => {
    if (!isMembers(value)) {
      return [at];
    }
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
    return [
      ...unknown.map((name) => below(at, name)),
      ...Object.entries(fields).flatMap(([name, field]) => {
        if (Object.hasOwn(value, name)) {
          return field.faults(value[name], below(at, name));
        }
        return field.required ? [below(at, name)] : [];
      }),
      ...more(value, at),
    ];
  };

const listOf =
  (min: number, max: number, faults: Faults): Faults =>
  (value, at) => {
    if (!Array.isArray(value)) {
      return [at];
    }
    const wrongLength = value.length < min || value.length > max ? [at] : [];
    return [...wrongLength, ...value.flatMap((entry, index) => faults(entry, below(at, index)))];
  };

const idOrName = (value: Members, at: string): string[] =>
  Object.hasOwn(value, 'id') || Object.hasOwn(value, 'name') ? [] : [below(at, 'name')];

const extrasOfTheMethod = (value: Members, at: string): string[] =>
  methods.includes(value.method as string)
    ? Object.keys(extras)
        .filter((name) => Object.hasOwn(value, name) && !extrasOf(value.method as string).includes(name))
        .map((name) => below(at, name))
    : [];

const dueDate =
  (today: string) =>
  (value: Members): string[] => {
    if (!Object.hasOwn(value, 'due_date') || !types.includes(value.type as string)) {
      return [];
    }
    if (value.type !== 'tax_invoice' && value.type !== 'proforma') {
      return ['/due_date'];
    }
    const date = value.date ?? today;
    const bothDays = day(date, '').length === 0 && day(value.due_date, '').length === 0;
    return bothDays && (value.due_date as string) < (date as string) ? ['/due_date'] : [];
  };

/** A donor who lives abroad is of a donation alone, and in place of a tax id. */
const foreignDonor = (value: Members): string[] => {
  if (!Object.hasOwn(value, 'foreign_donor')) {
    return [];
  }
  const isOther = types.includes(value.type as string) && value.type !== 'donation_receipt';
  const hasTaxId = isMembers(value.customer) && Object.hasOwn(value.customer, 'tax_id');
  return isOther || hasTaxId ? ['/foreign_donor'] : [];
};

/**
 * Where a create request is at fault, as JSON Pointers without repetition; empty for a valid one.
 * @param today the day in Israel, which is the date of a request that names none.
 */
export function faultPointers(body: unknown, today: string): string[] {
  const request = members(
    {
      type: required(oneOf(...types)),
      date: optional(day),
      due_date: optional(day),
      customer: required(members(customer, idOrName)),
      foreign_donor: optional(
        members({
          country: required(written(/^[A-Z]{2}$/)),
          passport: optional(written(/^[A-Za-z0-9]{4,20}$/)),
        }),
      ),
      items: required(listOf(1, 100, members(item))),
      prices_include_vat: optional(yesOrNo),
      discount: optional(members(discount)),
      payments: optional(listOf(1, 20, members(payment, extrasOfTheMethod))),
      based_on: optional(uuid),
      title: optional(texts(0, 120)),
      notes: optional(texts(0, 1000)),
      expected_total: optional(numbers((value) => value >= 0 && value <= 100 * million, 2)),
      send: optional(yesOrNo),
      external_ref: optional(texts(0, 64)),
    },
    (value) => [...dueDate(today)(value), ...foreignDonor(value)],
  );
  return [...new Set(request(body, ''))];
}
