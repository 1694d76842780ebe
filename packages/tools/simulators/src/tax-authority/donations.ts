import { type Answer, answer, type DataError, schemaErrors } from './answer.js';
import type { Book } from './book.js';
import type { Clock } from './clock.js';
import type { Fault } from './faults.js';
import { isValidIsraeliId } from './israeli-id.js';
import type { Options } from './options.js';
import { faultsOf } from './schemas.js';

interface Context {
  readonly book: Book;
  readonly clock: Clock;
  readonly options: Options;
  readonly fault: Fault;
}

type Body = Readonly<Record<string, unknown>>;

/** [A] P0 annex A. */
const paymentMethods = [1, 2, 3, 4, 8, 10, 11];
const methodsWithRows = [2, 4, 8];
const card = 3;
const check = 2;
const cancellation = 410;
const anonymous = 999_999_999;
const foreigner = 888_888_888;

/** The number of a donation that exists, by its `Donation_ID`; a guess, and off by default. */
export function findDonation(id: string, { book, options }: Pick<Context, 'book' | 'options'>): Answer {
  const grant = book.grantsOf(id)[0];
  const source = '[C] donationsLookUp';
  return grant
    ? answer(200, { status: 200, [options.donationNumber]: grant.confirmation_number }, source)
    : answer(400, { status: 400, message: 'no such donation' }, source);
}

/** A report of a donation (405) or of its cancellation (410). Fields by P0; codes and answers are guesses. */
export function reportDonation(body: Body, context: Context): Answer {
  const { book, clock, options, fault } = context;
  const { fields, rows } = split(body, options);
  const faults = [
    ...faultsOf(options.donationUnknownKeys === 'ignore' ? 'donationWithMore' : 'donation', fields),
    ...rows.flatMap((row) =>
      faultsOf(Number(body.Payment_method) === check ? 'donationOfCheck' : 'donationOfBank', row),
    ),
  ];
  if (faults.length > 0) {
    const listed = faults.map(({ message, param, value }) => ({ value, msg: message, param }));
    return schemaErrors(listed, clock.now(), '[A] P0 (fields); the answer [C]');
  }
  const errors = logicalErrors(body, rows.length, context);
  if (errors.length > 0 || fault.mode === 'refuse') {
    const refused = [errorOf(fault.code, 'Donation_ID', 'The report was not accepted')];
    return notReported(options.donationErrorStatus, errors.length > 0 ? errors : refused);
  }
  const id = String(body.Donation_ID);
  const earlier = book.grantsOf(id)[0];
  if (earlier && options.donationRepeat === 'error') {
    const repeated = [errorOf(499, 'Donation_ID', 'The donation was reported before')];
    return notReported(options.donationErrorStatus, repeated);
  }
  const isRepeated = earlier !== undefined && options.donationRepeat === 'same';
  const own = isRepeated ? earlier : book.grant(id);
  const grant = fault.mode === 'foreign' ? book.another(id) : own;
  const number = { [options.donationNumber]: grant.confirmation_number };
  const reported = {
    status: 200,
    message: 'Success',
    Donation_ID: grant.invoice_id,
    ...number,
    approved: true,
  };
  return answer(200, reported, '[C] no paper shows the answer');
}

function notReported(status: 200 | 400, errors: readonly DataError[]): Answer {
  const body = { status, message: { errors }, confirmation_number: '0', approved: false };
  return answer(status, body, '[C] donationErrorStatus');
}

function errorOf(code: number, param: string, message: string): DataError {
  return { code, message, param, location: 'request' };
}

/** P0 has rows, and no name of their list. */
function split(body: Body, { donationRows }: Options): { fields: Body; rows: readonly unknown[] } {
  const fields: Record<string, unknown> = {};
  const rows: unknown[] = [];
  for (const [key, value] of Object.entries(body)) {
    if (Array.isArray(value) && (donationRows === null || donationRows === key)) {
      rows.push(...value);
    } else {
      fields[key] = value;
    }
  }
  return { fields, rows };
}

/** What P0 demands beyond the form of fields. It gives no codes: 499 is the simulator's. */
function logicalErrors(body: Body, rowCount: number, { book }: Context): DataError[] {
  const method = Number(body.Payment_method);
  const donor = Number(body.Donor_identity);
  const isCancellation = Number(body.Document_type) === cancellation;
  const base = String(body.Base_document_number ?? '');
  const isKnownDonor = donor === anonymous || donor === foreigner || isValidIsraeliId(String(donor));
  const isKnownBase = book.newest().some(({ confirmation_number }) => confirmation_number === base);
  const wrong: readonly (readonly [boolean, string, string])[] = [
    [
      !isValidIsraeliId(String(body.Charity_association_number)),
      'Charity_association_number',
      'is no VAT number',
    ],
    [!isKnownDonor, 'Donor_identity', 'is no identity number, 999999999 or 888888888'],
    [!paymentMethods.includes(method), 'Payment_method', `is none of ${paymentMethods.join(', ')}`],
    [method === card && body.Credit_transaction_type === undefined, 'Credit_transaction_type', 'is required'],
    [methodsWithRows.includes(method) && rowCount === 0, 'Bank_number', 'rows are required for this means'],
    [!methodsWithRows.includes(method) && rowCount > 0, 'Bank_number', 'rows are for checks and banks only'],
    [isCancellation && !isKnownBase, 'Base_document_number', 'is no number of a report'],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, param, text]) => errorOf(499, param, text));
}
