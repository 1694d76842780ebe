import { type Answer, answer, rejected, schemaErrors, withErrorId } from './answer.js';
import { areEqual } from './approvals.js';
import type { Book, Grant } from './book.js';
import type { Clock } from './clock.js';
import { dataError } from './data-errors.js';
import type { Login } from './oauth-store.js';
import type { Options } from './options.js';

interface Context {
  readonly book: Book;
  readonly clock: Clock;
  readonly options: Options;
  readonly login: Login;
}

interface LookUpBody {
  readonly customer_vat_number: number;
  readonly vat_number: number;
  readonly payment_amount: number;
  readonly vat_amount: number;
  readonly invoice_date: string;
  readonly invoice_reference_number?: string;
}

interface DetailsBody {
  readonly customer_vat_number: number;
  readonly confirmation_number: string;
  readonly vat_number?: number | null;
}

/** Whether a login may act for a VAT number: [A] OA, P1, PF (406 otherwise). */
export function mayActFor(login: Login, vatNumber: number, { permittedVats }: Options): boolean {
  return permittedVats === null ? login.vats.has(vatNumber) : permittedVats.includes(vatNumber);
}

function mayAsk(login: Login, customer: number, options: Options): boolean {
  return options.lookupBy === 'anyone' || mayActFor(login, customer, options);
}

/** The number of an invoice, asked for by its buyer: [A] P1 ch. 3, EX pp. 5 and 7. */
export function findNumber(body: LookUpBody, context: Context): { found: Grant | null; answer: Answer } {
  const { book, clock, options, login } = context;
  if (!mayAsk(login, body.customer_vat_number, options)) {
    return { found: null, answer: withErrorId(406, clock.now(), '[B] SO, SK; lookupBy [C]') };
  }
  const visibleUntil = clock.now().getTime() - options.visibleAfterSeconds * 1_000;
  const matches = book
    .newest()
    .filter(
      ({ at, invoice }) =>
        invoice !== undefined &&
        Date.parse(at) <= visibleUntil &&
        invoice.vat_number === body.vat_number &&
        invoice.customer_vat_number === body.customer_vat_number &&
        invoice.invoice_date === body.invoice_date &&
        areEqual(invoice.payment_amount, body.payment_amount) &&
        areEqual(invoice.vat_amount, body.vat_amount) &&
        (body.invoice_reference_number === undefined ||
          invoice.invoice_reference_number === body.invoice_reference_number),
    );
  const isAmbiguous = matches.length > 1 && options.lookupSeveral === 472;
  const found = isAmbiguous ? undefined : matches.at(-1);
  if (!found) {
    const source = isAmbiguous ? '[C] lookupSeveral' : '[A] EX p. 5';
    return { found: null, answer: rejected([dataError(472)], source) };
  }
  const { confirmation_number } = found;
  const message = `Invoice confirmation number for the received data is: ${confirmation_number}`;
  return { found, answer: answer(200, { status: 200, message, confirmation_number }, '[A] EX p. 7') };
}

const detailKeys = [
  'invoice_type',
  'vat_number',
  'union_vat_number',
  'invoice_reference_number',
  'customer_vat_number',
  'customer_name',
  'invoice_date',
  'invoice_issuance_date',
  'amount_before_discount',
  'discount',
  'payment_amount_including_vat',
  'payment_amount',
  'vat_amount',
  'invoice_note',
  'items',
];

/** The invoice of a number, nine digits or all: [A] P1 ch. 3, EX. */
export function findInvoice(body: DetailsBody, { book, clock, options, login }: Context): Answer {
  if (!mayAsk(login, body.customer_vat_number, options)) {
    return withErrorId(406, clock.now(), '[B] SO, SK; lookupBy [C]');
  }
  const matches = book
    .newest()
    .filter(
      ({ confirmation_number, invoice }) =>
        invoice?.customer_vat_number === body.customer_vat_number &&
        confirmation_number.endsWith(body.confirmation_number) &&
        (body.vat_number === undefined || body.vat_number === null || invoice.vat_number === body.vat_number),
    );
  if (matches.length > 1) {
    const message = 'For correct information please send VAT number';
    return answer(200, { status: 200, message }, '[A] P1 (v1)');
  }
  const invoice = matches[0]?.invoice;
  if (!invoice) {
    return rejected([dataError(472)], '[A] EX p. 5');
  }
  const known = invoice as unknown as Record<string, unknown>;
  const message = Object.fromEntries(detailKeys.map((key) => [key, known[key] ?? null]));
  return answer(200, { status: 200, message }, '[A] EX');
}

const dateForms = {
  'DD-MM-YYYY': /^(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/,
  'YYYY-MM-DD': /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
};

/** The threshold of a date: [B] SK; the form of the date [C]. */
export function minimumAmount(date: string, { clock, options }: Pick<Context, 'clock' | 'options'>): Answer {
  const forms =
    options.minimumDate === 'either' ? Object.values(dateForms) : [dateForms[options.minimumDate]];
  const parts = forms.map((form) => form.exec(date)?.groups).find((groups) => groups !== undefined);
  if (!parts) {
    const fault = { value: date, msg: `the date must be ${options.minimumDate}`, param: 'date' };
    return schemaErrors([fault], clock.now(), '[C] minimumDate');
  }
  const iso = `${parts.year}-${parts.month}-${parts.day}`;
  const amount = options.thresholds.findLast(([from]) => from <= iso)?.[1] ?? 0;
  return answer(200, { status: 200, minimum_amount: amount }, '[B] SK');
}

/** v1 writes the keys of v2 with capitals (P1, PF): v2's key by v1's. */
const lowerOf: Readonly<Record<string, string>> = {
  Customer_VAT_Number: 'customer_vat_number',
  Vat_Number: 'vat_number',
  Payment_Amount: 'payment_amount',
  VAT_Amount: 'vat_amount',
  Invoice_Date: 'invoice_date',
  Invoice_Reference_Number: 'invoice_reference_number',
  Confirmation_Number: 'confirmation_number',
};

/** A body of v1 with the keys of v2; a key in v2's letters becomes unknown. */
export function bodyOfV1(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [lowerOf[key] ?? `${key} (v1 writes Title_Case)`, value]),
  );
}

/** An answer with the capitals of v1, whose details are flat. */
export function answerOfV1(given: Answer): Answer {
  const { message, ...rest } = given.body as { readonly message?: unknown };
  const isDetails = typeof message === 'object' && message !== null && 'invoice_type' in message;
  const flat = isDetails ? { ...rest, ...message } : { ...rest, message };
  const body = Object.fromEntries(Object.entries(flat).map(([key, value]) => [titleCase(key), value]));
  return { ...given, body, source: `${given.source}; v1 [A] P1` };
}

function titleCase(key: string): string {
  const known = Object.entries(lowerOf).find(([, lower]) => lower === key)?.[0];
  return known ?? key.replace(/(^|_)[a-z]/g, (letter) => letter.toUpperCase());
}
