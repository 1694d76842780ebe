import { HttpError } from '@pinkas/service-kit/http';

/**
 * What no public paper states, or what two readers of the papers state differently: each guess is an option here, with the
 * default that the simulator follows. `GET /_options` shows the values, `POST /_options` changes them.
 */
interface Option<Value> {
  readonly default: Value;
  /** What it decides, and who states what (ids of the README). */
  readonly about: string;
  readonly wants: string;
  holds(value: unknown): boolean;
}

function choice<const Values extends readonly [string | number, ...(string | number)[]]>(
  about: string,
  ...values: Values
): Option<Values[number]> {
  return {
    default: values[0],
    about,
    wants: `one of ${values.join(', ')}`,
    holds: (value) => values.includes(value as Values[number]),
  };
}

function flag(about: string, byDefault: boolean): Option<boolean> {
  return {
    default: byDefault,
    about,
    wants: 'true or false',
    holds: (value) => typeof value === 'boolean',
  };
}

function count<Value extends number | null>(about: string, byDefault: Value): Option<Value | number> {
  return {
    default: byDefault,
    about,
    wants: `a whole number${byDefault === null ? ', or null' : ''}`,
    holds: (value) =>
      (byDefault === null && value === null) || (Number.isInteger(value) && Number(value) >= 0),
  };
}

function text<Value extends string | null>(about: string, byDefault: Value): Option<Value | string> {
  return {
    default: byDefault,
    about,
    wants: `text${byDefault === null ? ', or null' : ''}`,
    holds: (value) => (byDefault === null && value === null) || (typeof value === 'string' && value !== ''),
  };
}

function list<Entry>(
  about: string,
  wants: string,
  isEntry: (entry: unknown) => boolean,
): Option<readonly Entry[] | null> {
  return {
    default: null,
    about,
    wants: `a list of ${wants}, or null`,
    holds: (value) => value === null || (Array.isArray(value) && value.every(isEntry)),
  };
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** The threshold from a day on (VAT instruction 01/2025), as `[first day, shekels]`. */
type Threshold = readonly [from: string, amount: number];

const thresholds: Option<readonly Threshold[]> = {
  default: [
    ['2024-05-05', 25_000],
    ['2025-01-01', 20_000],
    ['2026-01-01', 10_000],
    ['2026-06-01', 5_000],
  ],
  about: 'what MinimumAmount answers, by the first day (VAT instruction 01/2025)',
  wants: 'a list of [YYYY-MM-DD, shekels]',
  holds: (value) =>
    Array.isArray(value) &&
    value.every((entry) => Array.isArray(entry) && isText(entry[0]) && Number.isFinite(entry[1])),
};

/** Every option. A default may be changed only with a source. */
export const optionTable = {
  // OAuth
  refreshAuth: choice(
    'where a refresh carries client id and secret: PD shows the body; OL was refused with Basic alone; two teams use Basic',
    'body',
    'basic',
    'either',
  ),
  codeAuth: choice('where a code is turned in with id and secret: PD shows Basic', 'basic', 'body', 'either'),
  wrongClientStatus: choice('the status with unauthorized_client, of which PF shows the body', 401, 400),
  codeSeconds: count('how long an authorization code lasts: not published', 600),
  consentDays: count('how long a consent lasts (PD: 3 months)', 90),
  consentFrom: choice('from when these days count: PD speaks of the login', 'login', 'refresh'),
  refreshesMax: count('after how many refreshes a consent ends (PD: a number that is not given)', null),
  refreshExpiresIn: choice(
    'refresh_token_expires_in of a refreshed token: constant in the samples (PF, PD)',
    'full',
    'remaining',
  ),
  redirectUris: list<string>('the redirect addresses of the application; null: any', 'addresses', isText),
  clientIdHeader: choice(
    'whether calls need X-IBM-Client-Id: PD mentions it, its sample and OA do not have it',
    'optional',
    'required',
  ),
  subscriptions: list<string>(
    'the products of the application by the first part of their paths, e.g. Invoices; null: all',
    'first parts of paths',
    isText,
  ),
  permittedVats: list<number>(
    'for which VAT numbers a login has permission; null: for each that it asks for as the seller',
    'VAT numbers',
    Number.isInteger,
  ),
  // Approval
  schemaErrors: choice(
    'who answers a wrong field: PF saw 422 of the gateway, OA has a 400',
    'gateway',
    'service',
  ),
  otherSellers: choice(
    'a seller that is none of the four of the sandbox: production grants; PF saw 500 in the sandbox',
    'grant',
    500,
  ),
  unknownVats: list<number>(
    'sellers and buyers without a VAT file, e.g. private people, who get 431; null: none',
    'numbers',
    Number.isInteger,
  ),
  checkDigits: flag('whether 431 is the answer to a VAT number whose check digit is wrong', true),
  oldestDays: count('from how many days back an invoice is too old, 434 (EX, OL: one year)', 365),
  aheadDays: count('from how many days ahead an invoice is too early, 435 (EX, OL: a month)', 30),
  repeat: choice('the answer to a granted invoice_id that is asked for again', 'same', 'new', 'error'),
  noNumber: choice(
    'the answer to 300 and 330, which get no number by table 2.5 of v2: 330 got one in v1 (P1)',
    'grant',
    'none',
    460,
    400,
  ),
  vatWithReverseCharge: choice('the status of 437 (P1: 200 in v1)', 200, 400),
  reverseChargeUnrefused: choice('action 3 for an invoice that was not refused', 'grant', 463),
  overdrawnProforma: choice('action 4 beyond what the 332 was granted for, or without one', 460, 'grant'),
  // Decisions
  decisionsPath: text(
    'the path of the decisions: English paper, OL, DU, HI, SO; IF reads Invoice-decision/v1',
    'InvoiceDecisionApi/v1',
  ),
  objectionAfterContinue: choice(
    'FurtherObjection after Continue (DU: a hearing is foreseen)',
    'accept',
    462,
  ),
  // Information
  lookupBy: choice(
    'who may look a number up: P1, PI and SK call it the customer side',
    'recipient',
    'anyone',
  ),
  lookupReference: choice(
    'invoice_reference_number: optional in OL, IF; SO always sends it',
    'optional',
    'required',
  ),
  lookupSeveral: choice('several invoices that match', 'newest', 472),
  visibleAfterSeconds: count('how long after the grant a number can be found', 0),
  minimumDate: choice(
    "the form of MinimumAmount's date: SK shows the first",
    'DD-MM-YYYY',
    'YYYY-MM-DD',
    'either',
  ),
  thresholds,
  // Donations: fields by P0, path by PD; everything about the answer is a guess.
  donationsPath: text('the path of reports (PD)', 'Donations/v1/Report'),
  donationNumber: text('the member that holds the number', 'confirmation_number'),
  donationRepeat: choice('the answer to a Donation_ID that was reported before', 'same', 'new', 'error'),
  donationErrorStatus: choice('the status of a logical error', 400, 200),
  donationUnknownKeys: choice('a key that P0 does not have', 'refuse', 'ignore'),
  donationRows: text('the name of the list of rows; null: any list', null),
  donationsLookUp: text(
    'the path of a look-up by Donation_ID, of which no source is known; null: none',
    null,
  ),
  // Transmission of the uniform structure (MS, IF).
  transmissionDate: choice(
    'the form of the dates of a period: the examples show the first, the prose the second',
    'YYYY-MM-DD',
    'DD-MM-YYYY',
  ),
  transmissionRequired: flag(
    'whether the structure is asked of the business (IF has the sentence of a no)',
    true,
  ),
  transmissionMaxBytes: count('how long a file may be, as its link states', 1_073_741_824),
  transmissionVerdict: choice('what becomes of an uploaded file', 'Approved', 'Rejected', 'Uploaded', ''),
  fileStatusKey: choice(
    'how a status is asked for: MS sends fileUniqueId, IF fileName',
    'fileUniqueId',
    'fileName',
  ),
} satisfies Record<string, Option<unknown>>;

type Widened<Value> = Value extends boolean ? boolean : Value;

/** The options in force. */
export type Options = {
  readonly [Name in keyof typeof optionTable]: Widened<
    (typeof optionTable)[Name] extends Option<infer Value> ? Value : never
  >;
};

/** The documented defaults. */
export const defaultOptions = Object.fromEntries(
  Object.entries(optionTable).map(([name, option]) => [name, option.default]),
) as unknown as Options;

/** Reads options from a parsed JSON object. @throws HttpError (400) that names every fault. */
export function readOptions(
  given: Readonly<Record<string, unknown>>,
  current: Options = defaultOptions,
): Options {
  const failures: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const option = Object.hasOwn(optionTable, name)
      ? optionTable[name as keyof typeof optionTable]
      : undefined;
    if (!option) {
      failures.push(`${name} is unknown (known: ${Object.keys(optionTable).join(', ')})`);
    } else if (!option.holds(value)) {
      failures.push(`${name} must be ${option.wants}`);
    }
  }
  if (failures.length > 0) {
    throw new HttpError(400, failures.join('; '));
  }
  return { ...current, ...given };
}
