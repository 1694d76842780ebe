import { documentTypeRules, documentTypes, paymentMethods } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { inputDetails } from './customer-members.js';
import { CalendarDate, described, Strict, Uuid } from './fields.js';

/** The most that a unit price, a payment or a total that is stated may be; what a document comes to may be more. */
export const amountMax = 100_000_000;
const atMost100Million = { maximum: amountMax } as const;

/** The customer of a create request: `id` or `name`. */
export const CustomerInput = Strict(
  {
    id: Type.Optional(
      described(
        Uuid,
        'An existing customer of this business, else `customer_not_found`. A `name` beside it is ignored.',
      ),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 120,
        description:
          'The customer card of this name is used, else a new one is opened. Names are compared in Unicode NFC, without regard to letter case, to white space and line breaks around and between words, and to characters that cannot be seen, such as marks of direction. What the request says of an existing customer fills the empty fields of its card and overwrites none. White space around the name and characters that cannot be seen do not count towards its least length.',
      }),
    ),
    ...inputDetails,
    identity_confirmed: Type.Optional(
      Type.Boolean({
        description:
          'Send `true` only after `customer_identity_conflict`: the card of the given name is used, or opened, although another card has the same tax id.',
      }),
    ),
  },
  {
    anyOf: [
      { title: 'By id', required: ['id'] },
      { title: 'By name', required: ['name'] },
    ],
    description:
      'Who the document is for. One of `id` and `name` is required. The document keeps a snapshot: what the request said, and from the card what it did not say. The snapshot never changes when the card does.',
  },
);
export type CustomerInput = Static<typeof CustomerInput>;

/** One payment of a create request; the fields after `date` belong to their method. */
export const PaymentInput = Strict(
  {
    method: Type.Enum([...paymentMethods], {
      description:
        'The means of payment. `wallet_method_1` to `wallet_method_5` are payment apps and digital wallets, by default Bit, PayBox, PayPal, Google Pay and Apple Pay; the name that each shows on a document is a setting of the business.',
    }),
    amount: Type.Number({
      exclusiveMinimum: 0,
      publicMinimum: 0.01,
      ...atMost100Million,
      description: 'ILS, at most 2 decimals.',
    }),
    date: Type.Optional(
      described(CalendarDate, "When it was paid, Asia/Jerusalem. Default: the document's date."),
    ),
    reference: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only with `bank_transfer` and the wallet methods.' }),
    ),
    check_number: Type.Optional(Type.String({ maxLength: 20, description: 'Only with `check`.' })),
    check_date: Type.Optional(described(CalendarDate, 'When the check is due. Only with `check`.')),
    bank_code: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 99, description: 'Number of the bank. Only with `check`.' }),
    ),
    branch: Type.Optional(
      Type.String({ maxLength: 10, description: 'Number of the branch. Only with `check`.' }),
    ),
    account: Type.Optional(
      Type.String({ maxLength: 20, description: 'Number of the account. Only with `check`.' }),
    ),
    card_last_digits: Type.Optional(
      Type.String({ pattern: '^\\d{4}$', description: 'The last 4 digits. Only with `credit_card`.' }),
    ),
    card_type: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'Brand or kind of the card. Only with `credit_card`.',
      }),
    ),
  },
  {
    description:
      'One payment. The fields after `date` belong to the methods that they name; on another method they are a `validation_error`.',
  },
);
export type PaymentInput = Static<typeof PaymentInput>;

export const DiscountInput = Strict(
  {
    type: Type.Enum(['percent', 'amount']),
    value: Type.Number({
      exclusiveMinimum: 0,
      publicMinimum: 0,
      ...atMost100Million,
      description:
        'Above 0. Percent (at most 100) or ILS (rounded to 2 decimals), in the price basis of the request: net or gross by `prices_include_vat`. A discount above the sum of the lines is a `validation_error`.',
    }),
  },
  { description: 'A discount on the whole document. Not on a receipt or a donation_receipt.' },
);

export const ItemInput = Strict(
  {
    description: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'What is sold. White space and characters that cannot be seen are no description alone; a line break is printed as a blank.',
    }),
    quantity: Type.Number({
      exclusiveMinimum: 0,
      publicMinimum: 0.0001,
      maximum: 1_000_000,
      description: 'At most 4 decimals, counted on the shortest form of the number: 1.50 has one.',
    }),
    unit_price: Type.Number({
      minimum: 0,
      ...atMost100Million,
      description: 'ILS for one unit, at most 2 decimals; net or gross by `prices_include_vat`.',
    }),
    sku: Type.Optional(Type.String({ maxLength: 64, description: "The caller's article number." })),
  },
  {
    description: 'One line: `line_total` = quantity × unit_price, rounded half away from zero to 2 decimals.',
  },
);

/** A donor who lives abroad and has no Israeli id, as the tax authority takes it. */
export const ForeignDonor = Strict(
  {
    country: Type.String({
      pattern: '^[A-Z]{2}$',
      description: 'The country of the donor, ISO 3166-1 alpha-2.',
      examples: ['FR'],
    }),
    passport: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{4,20}$',
        description: 'The number of the passport, where it is known.',
      }),
    ),
  },
  {
    description:
      'Of a donation_receipt alone, in place of `customer.tax_id`: the donation is reported as that of a foreign resident. Without both it is reported as anonymous.',
  },
);
export type ForeignDonor = Static<typeof ForeignDonor>;

/** The body of POST /documents/{id}/cancel (API specification, 2.7). */
export const CancelDocument = Strict({
  reason: Type.Optional(Type.String({ maxLength: 200, description: 'Why; kept with the document.' })),
});
export type CancelDocument = Static<typeof CancelDocument>;

/** The body of POST /documents (API specification, 2.6). */
export const CreateDocument = Strict(
  {
    type: Type.Enum([...documentTypes], {
      description: 'What to issue. `GET /document-types` lists what this business may issue.',
    }),
    date: Type.Optional(
      described(
        CalendarDate,
        'The date of the document, Asia/Jerusalem. Default: today. Not in the future (`future_date`), and not earlier than the last document of the same type (`date_before_last_document`), cancelled ones included.',
      ),
    ),
    due_date: Type.Optional(
      described(
        CalendarDate,
        'When it is to be paid: on a tax_invoice or a proforma only, and not before `date`. Default: by the payment terms of the business.',
      ),
    ),
    customer: CustomerInput,
    foreign_donor: Type.Optional(ForeignDonor),
    items: Type.Array(ItemInput, { minItems: 1, maxItems: 100, description: 'The lines.' }),
    prices_include_vat: Type.Optional(
      Type.Boolean({
        description:
          'Whether unit prices, and an amount of discount, are gross (with VAT) or net. Default: the setting of the business (`GET /me`).',
      }),
    ),
    discount: Type.Optional(DiscountInput),
    payments: Type.Optional(
      Type.Array(PaymentInput, {
        minItems: 1,
        maxItems: 20,
        description:
          'Required for receipt, tax_invoice_receipt and donation_receipt unless the total is 0, and refused on every other type. Their sum must be within 0.01 of the total (`payments_total_mismatch`).',
      }),
    ),
    based_on: Type.Optional(
      described(
        Uuid,
        'The id of the source document. A credit_note needs one: a tax_invoice or a tax_invoice_receipt. `GET /document-types` lists for each type what it may be based on. A receipt closes its tax_invoice or proforma; a tax_invoice or a tax_invoice_receipt closes its source; a credit_note closes a tax_invoice once credits and receipts reach its total. A cancelled document is no source.',
      ),
    ),
    title: Type.Optional(Type.String({ maxLength: 120, description: 'Printed as a header.' })),
    notes: Type.Optional(Type.String({ maxLength: 1000, description: 'Printed below the totals.' })),
    expected_total: Type.Optional(
      Type.Number({
        minimum: 0,
        ...atMost100Million,
        description:
          'ILS, at most 2 decimals: round a total that has more. A safety check: unless the computed total is within 0.01 of it, nothing is issued (`total_mismatch`).',
      }),
    ),
    send: Type.Optional(
      Type.Boolean({
        description:
          "Default `true`. `false`: this document is not sent to the customer. The accountant's copy follows the settings of the business regardless.",
      }),
    ),
    external_ref: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          "The caller's own reference, for example an order number. Echoed; documents can be listed by it.",
      }),
    ),
  },
  {
    publicDependentSchemas: {
      due_date: {
        properties: { type: { enum: documentTypes.filter((type) => documentTypeRules[type].dueDate) } },
      },
      foreign_donor: {
        properties: { type: { const: 'donation_receipt' }, customer: { not: { required: ['tax_id'] } } },
      },
    },
    description:
      'The document to issue. Number, VAT rate, totals, status and allocation number are never sent: the service computes them. An unknown field is a `validation_error`. Texts may be in any language and direction; lengths count Unicode code points. Every line break (CR LF, CR, U+2028 and others) is kept as `\\n`. No text has NUL or half of a surrogate pair. What the schema cannot state: `due_date` is not before `date`.',
  },
);
export type CreateDocument = Static<typeof CreateDocument>;
