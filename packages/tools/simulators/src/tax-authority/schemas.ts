import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';

// A request of many invoices may have more errors than the eight that are reported by default.
Settings.Set({ maxErrors: 200 });

type Json = Readonly<Record<string, unknown>>;

/** At least one character that is neither blank nor 0, as OA has it. */
const meaningful = '^(?=.*[^\\s0])[\\s0]*.*$';
/** YYYY-MM-DD. OA's pattern has no end, so that more passes there; what the service answers to that is not known. */
const datePattern = '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';
const highest = 999_999_999_999.99;
const highestId = 999_999_999;

const integer = (minimum: number, maximum: number): Json => ({ type: 'integer', minimum, maximum });
const amount = (minimum = 0): Json => ({ type: 'number', minimum, maximum: highest });
const text = (maxLength: number, more: Json = {}): Json => ({ type: 'string', maxLength, ...more });
const date: Json = text(10, { minLength: 1, pattern: datePattern });
const nullable = (schema: Json): Json => ({ ...schema, type: [schema.type, 'null'] });

function object(required: Json, optional: Json = {}, additionalProperties = false): Json {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
    additionalProperties,
  };
}

/** [A] OA: InvoiceItem. Its pattern of `category` is written at a number, where it has no effect. */
const item = object(
  {},
  {
    index: nullable(integer(0, 999_999)),
    catalog_id: nullable(text(13)),
    category: nullable(integer(0, 999_999)),
    description: nullable(text(30)),
    measure_unit_description: nullable(text(20)),
    quantity: nullable(amount(-highest)),
    price_per_unit: nullable(amount()),
    discount: nullable(amount(-highest)),
    total_amount: nullable(amount(-highest)),
    vat_rate: nullable({ type: 'number', minimum: 0, maximum: 99.99 }),
    vat_amount: nullable(amount(-highest)),
  },
);

/** [A] OA: InvoiceRequest. */
const invoice = object(
  {
    invoice_id: text(50, { minLength: 1, pattern: meaningful }),
    invoice_type: { type: 'integer', enum: [300, 305, 310, 320, 330, 332, 340, 345, 348] },
    vat_number: integer(10, highestId),
    invoice_reference_number: text(20, { minLength: 1, pattern: meaningful }),
    customer_vat_number: integer(10, highestId),
    invoice_date: date,
    invoice_issuance_date: date,
    accounting_software_number: integer(1, highestId),
    amount_before_discount: amount(),
    discount: amount(),
    payment_amount: amount(),
    vat_amount: amount(),
    payment_amount_including_vat: amount(),
  },
  {
    union_vat_number: nullable(integer(0, highestId)),
    authorized_company: nullable(integer(0, highestId)),
    user_id: nullable(integer(10, highestId)),
    user_name: nullable(text(25, { pattern: meaningful })),
    customer_name: nullable(text(25)),
    customer_country_code: nullable(text(3)),
    branch_id: nullable(text(7)),
    client_software_key: nullable(text(50)),
    invoice_note: nullable(text(100)),
    action: { type: 'integer', enum: [0, 3, 4] },
    vehicle_license_number: nullable(integer(0, 2_147_483_647)),
    phone_of_driver: nullable(text(10)),
    arrival_date: nullable(text(10, { pattern: datePattern })),
    estimated_arrival_time: nullable(text(5, { pattern: '^(?:[01]\\d|2[0-3]):(?:[0-5]\\d)$' })),
    transition_location: nullable(integer(0, 99)),
    delivery_address: nullable(text(60)),
    additional_information: nullable(integer(0, 9_999)),
    additional_information_1: nullable(text(50)),
    additional_information_2: nullable(text(50)),
    additional_information_3: { type: 'number', minimum: 0, maximum: 3.4028235e38, multipleOf: 1 },
    items: { type: ['array', 'null'], items: item },
  },
);

/** [A] P1 table 2.6, OL, HI; who issues is [B]. */
const batch = object(
  {
    vat_number: integer(10, highestId),
    invoices_amount: integer(0, highestId),
    invoices_payment_amount: amount(),
    invoices_vat_amount: amount(),
    invoices_list: { type: 'array', minItems: 1, items: invoice },
  },
  {
    union_vat_number: nullable(integer(0, highestId)),
    user_id: nullable(integer(10, highestId)),
    user_name: nullable(text(25)),
  },
);

/** [A] DU, SO, OL, HI. */
const decision = object(
  {
    invoice_id: text(50, { minLength: 1 }),
    vat_number: integer(10, highestId),
    accounting_software_number: integer(1, highestId),
  },
  {
    authorized_company: nullable(integer(0, highestId)),
    user_id: nullable(integer(10, highestId)),
    user_name: nullable(text(25)),
  },
);

/** [A] OL, SO: v2 in lower case. */
const lookUp = (needsReference: boolean): Json => {
  const reference = { invoice_reference_number: text(20, { minLength: 1 }) };
  return object(
    {
      customer_vat_number: integer(10, highestId),
      vat_number: integer(10, highestId),
      payment_amount: amount(),
      vat_amount: amount(),
      invoice_date: date,
      ...(needsReference && reference),
    },
    needsReference ? {} : reference,
  );
};

/** [A] P1 ch. 3. */
const details = object(
  {
    customer_vat_number: integer(10, highestId),
    confirmation_number: text(26, { pattern: '^[0-9]{9,26}$' }),
  },
  { vat_number: nullable(integer(10, highestId)) },
);

const minimumAmount = object({ date: text(10, { minLength: 10 }) });

/** [A] MS, IF; the form of the dates is an option. */
const uploadLinks = object(
  { caseNumber: integer(10, highestId), startPeriod: text(10), endPeriod: text(10) },
  { representorCompanyId: integer(0, highestId) },
);

/** A number as P0 writes 'N9': the paper does not say whether a JSON number or digits ([C]). */
const digits = (count: number): Json => ({
  anyOf: [
    { type: 'integer', minimum: 0, maximum: 10 ** count - 1 },
    { type: 'string', pattern: `^[0-9]{1,${count}}$` },
  ],
});
/** 'N10.2' of P0: ten whole digits. */
const shekels: Json = { type: 'number', minimum: 0, maximum: 9_999_999_999.99 };
const compactDate: Json = { type: 'string', pattern: '^[0-9]{4}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])$' };

/** [A] P0 annex A. */
const donation = (unknownKeys: boolean): Json =>
  object(
    {
      Charity_association_number: digits(9),
      Donation_ID: text(50, { minLength: 1 }),
      Donor_identity: digits(9),
      Donor_name: text(64, { minLength: 1 }),
      Receipt_date: compactDate,
      Receipt_issuance_date: compactDate,
      Amount_in_NIS: shekels,
      Document_type: { enum: [405, 410, '405', '410'] },
      Payment_method: digits(2),
      Accounting_software_number: digits(8),
    },
    {
      Receipt_number: text(20),
      Passport_number: text(30),
      Standard_country_code: text(3),
      Foreign_currency_code: text(3),
      Amount_in_Foreign_Exchange: shekels,
      Base_document_number: text(30),
      Credit_transaction_type: digits(1),
      Last_4_credit_card_digits: digits(4),
      Additional_information: digits(4),
    },
    unknownKeys,
  );

const bank: Json = { Bank_number: digits(2), Bank_branch_number: digits(3), Bank_account_number: digits(10) };
const check: Json = { Check_number: digits(10), Check_date: compactDate, Check_amount: shekels };

/** The requests that are checked, by name. */
const schemas = {
  invoice,
  batch,
  decision,
  lookUp: lookUp(false),
  lookUpWithReference: lookUp(true),
  details,
  minimumAmount,
  uploadLinks,
  donation: donation(false),
  donationWithMore: donation(true),
  donationOfCheck: object({ ...bank, ...check }),
  donationOfBank: object(bank, check),
  donationId: object({ Donation_ID: text(50, { minLength: 1 }) }),
} satisfies Record<string, Json>;

const compiled = new Map<string, Validator>();

/** A fault of a request: where, what, and the value as text. */
interface SchemaFault {
  readonly param: string;
  readonly message: string;
  readonly value: string | null;
}

/** Holds a body against one of the schemas. */
export function faultsOf(name: keyof typeof schemas, body: unknown): SchemaFault[] {
  let validator = compiled.get(name);
  if (!validator) {
    validator = Compile(schemas[name] as unknown as TSchema) as Validator;
    compiled.set(name, validator);
  }
  if (validator.Check(body)) {
    return [];
  }
  const faults = new Map<string, SchemaFault>();
  for (const error of validator.Errors(body)) {
    const params = error.params as { requiredProperties?: string[]; additionalProperties?: string[] };
    const members = params.requiredProperties ?? params.additionalProperties ?? [];
    for (const param of members.length > 0
      ? members.map((member) => `${error.instancePath}/${member}`)
      : [error.instancePath]) {
      const value = valueAt(body, param);
      const shown = value === undefined ? null : JSON.stringify(value);
      faults.set(
        param,
        faults.get(param) ?? { param: param.slice(1) || 'body', message: error.message, value: shown },
      );
    }
  }
  return [...faults.values()];
}

function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const member of pointer.split('/').slice(1)) {
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : undefined;
  }
  return value;
}
