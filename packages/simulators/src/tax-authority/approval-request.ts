import { isValidIsraeliId } from './israeli-id.js';

/** One fault, in the shape of the authority's `message.errors[]`. */
export interface ApprovalError {
  readonly code: number;
  readonly message: string;
  readonly param: string;
  readonly location: 'body';
}

/** What a checked request becomes: failures of its shape (HTTP 422), failures of its content (HTTP 200, refused), or none. */
export interface ApprovalVerdict {
  readonly shape: readonly ApprovalError[];
  readonly content: readonly ApprovalError[];
}

export interface Field {
  readonly mandatory?: true;
  readonly wants: string;
  holds(value: unknown): boolean;
}

export const text = (length: number): Field => ({
  wants: `text of 1 to ${length} characters`,
  holds: (value) => typeof value === 'string' && value.length > 0 && [...value].length <= length,
});
export const whole = (digits: number, fewest = 1): Field => ({
  wants: `a whole number of ${fewest === digits ? digits : `${fewest} to ${digits}`} digits`,
  holds: (value) =>
    Number.isInteger(value) &&
    (value as number) >= (fewest === 1 ? 0 : 10 ** (fewest - 1)) &&
    (value as number) < 10 ** digits,
});
/** '12.2' of the specification: up to 12 whole digits, 2 decimals, never negative. */
export const amount: Field = {
  wants: 'a number from 0 to 999999999999.99 with at most 2 decimals',
  holds: (value) =>
    typeof value === 'number' &&
    value >= 0 &&
    value <= 999_999_999_999.99 &&
    // JSON numbers are counted on their shortest decimal form: 0.29 has two decimals although 0.29 * 100 is no integer.
    /^\d+(\.\d{1,2})?$/.test(String(value)),
};
const date: Field = { wants: 'a date YYYY-MM-DD', holds: (value) => dayOf(value) !== undefined };
export const must = (field: Field): Field => ({ ...field, mandatory: true });

/** The keys of `POST Invoices/v2/Approval`, July 2024: all lower case. */
const fields: Readonly<Record<string, Field>> = {
  invoice_id: must(text(50)),
  invoice_type: must({
    wants: 'one of 300, 305, 310, 320, 330, 332, 340, 345',
    holds: (value) => [300, 305, 310, 320, 330, 332, 340, 345].includes(value as number),
  }),
  // A JSON number, so the leading zeros of a private dealer's id are gone.
  vat_number: must(whole(9)),
  union_vat_number: whole(9),
  authorized_company: whole(9),
  user_id: whole(9),
  user_name: text(25),
  invoice_reference_number: must(text(20)),
  customer_vat_number: whole(9),
  customer_name: text(25),
  invoice_date: must(date),
  invoice_issuance_date: must(date),
  branch_id: text(7),
  accounting_software_number: must(whole(9)),
  client_software_key: text(50),
  amount_before_discount: must(amount),
  discount: must(amount),
  payment_amount: must(amount),
  vat_amount: must(amount),
  payment_amount_including_vat: must(amount),
  invoice_note: text(100),
  action: {
    wants: 'a whole number from 0 to 4',
    holds: (value) => [0, 1, 2, 3, 4].includes(value as number),
  },
  vehicle_license_number: whole(10),
  phone_of_driver: text(10),
  arrival_date: date,
  estimated_arrival_time: {
    wants: 'a time hh:mm',
    holds: (value) => typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value),
  },
  transition_location: whole(2),
  delivery_address: text(60),
  additional_information: whole(4),
  items: { wants: 'a list', holds: (value) => Array.isArray(value) },
};

const itemFields: Readonly<Record<string, Field>> = {
  index: whole(6),
  catalog_id: text(13),
  category: whole(6),
  description: text(30),
  measure_unit_description: text(20),
  quantity: amount,
  price_per_unit: amount,
  discount: amount,
  total_amount: amount,
  vat_rate: amount,
  vat_amount: amount,
};

/**
 * Checks the body of an approval request as the authority's schema and its rules do.
 *
 * The schema's failures come first and alone, because rules cannot be judged on a broken shape. Unknown keys are failures: keys
 * copied out of the right-to-left specification tend to be reversed (`id_invoice`), and silence would hide it.
 *
 * @param today the day in Israel, YYYY-MM-DD
 */
export function checkApproval(body: Readonly<Record<string, unknown>>, today: string): ApprovalVerdict {
  const shape = [...checkFields(body, fields, '')];
  if (Array.isArray(body.items)) {
    body.items.forEach((item: unknown, index) => {
      const at = `items[${index}]`;
      if (typeof item !== 'object' || item === null) {
        shape.push(fault(422, `${at} must be an object`, at));
      } else {
        shape.push(...checkFields(item as Record<string, unknown>, itemFields, `${at}.`));
      }
    });
  }
  return { shape, content: shape.length > 0 ? [] : [...checkRules(body, today)] };
}

export function* checkFields(
  body: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, Field>>,
  prefix: string,
): Generator<ApprovalError> {
  for (const [name, field] of Object.entries(known)) {
    const value = body[name];
    if (value === undefined || value === null) {
      if (field.mandatory) {
        yield fault(422, `${prefix}${name} is mandatory`, `${prefix}${name}`);
      }
    } else if (!field.holds(value)) {
      yield fault(422, `${prefix}${name} must be ${field.wants}`, `${prefix}${name}`);
    }
  }
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(known, name)) {
      yield fault(422, `${prefix}${name} is unknown`, `${prefix}${name}`);
    }
  }
}

/** Codes as published by the authority; the texts are ours. */
function* checkRules(body: Readonly<Record<string, unknown>>, today: string): Generator<ApprovalError> {
  if (body.user_id === undefined && body.user_name === undefined) {
    yield fault(446, 'neither user_id nor user_name was sent', 'user_id');
  }
  for (const name of ['vat_number', 'union_vat_number', 'customer_vat_number']) {
    const value = body[name];
    if (value !== undefined && value !== null && !isValidIsraeliId(String(value))) {
      yield fault(431, `${name} is not a valid VAT number`, name);
    }
  }
  const ahead = ((dayOf(body.invoice_date) ?? 0) - (dayOf(today) ?? 0)) / dayMs;
  if (ahead < -366) {
    yield fault(434, 'invoice_date is more than a year ago', 'invoice_date');
  }
  if (ahead > 30) {
    yield fault(435, 'invoice_date is more than 30 days ahead', 'invoice_date');
  }
  if (body.action === 3 && (body.vat_amount as number) > 0) {
    yield fault(437, 'vat_amount must be 0 with action 3', 'vat_amount');
  }
}

export function fault(code: number, message: string, param: string): ApprovalError {
  return { code, message, param, location: 'body' };
}

const dayMs = 24 * 60 * 60 * 1000;

function dayOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return undefined;
  }
  const instant = Date.parse(`${value}T00:00:00Z`);
  // 2026-02-30 parses as a day of March in some engines; a real day comes back as it was written.
  return Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(value) ? undefined : instant;
}
