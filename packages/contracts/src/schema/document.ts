import { documentTypes, paymentMethods, refusalDecisions } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { storedDetails } from './customer-members.js';
import { DiscountInput, ForeignDonor } from './document-input.js';
import { CalendarDate, Instant, Money, Nullable, Strict, Uuid } from './fields.js';

export * from './customer-members.js';
export * from './document-input.js';

/** The customer as printed on one document; a snapshot that never changes. */
export const CustomerSnapshot = Strict({
  id: Uuid,
  name: Type.String(),
  ...storedDetails,
});
export type CustomerSnapshot = Static<typeof CustomerSnapshot>;

export const Item = Strict({
  description: Type.String(),
  quantity: Type.Number(),
  unit_price: Money,
  line_total: Money,
  sku: Nullable(Type.String()),
});
export type Item = Static<typeof Item>;

export const Payment = Strict({
  method: Type.Enum([...paymentMethods]),
  amount: Money,
  date: CalendarDate,
  reference: Nullable(Type.String()),
  check_number: Nullable(Type.String()),
  check_date: Nullable(CalendarDate),
  bank_code: Nullable(Type.Integer()),
  branch: Nullable(Type.String()),
  account: Nullable(Type.String()),
  card_last_digits: Nullable(Type.String()),
  card_type: Nullable(Type.String()),
});
export type Payment = Static<typeof Payment>;

export const Totals = Strict({
  subtotal: Money,
  discount: Money,
  vat: Money,
  /** Percent. */
  vat_rate: Type.Number(),
  total: Money,
  currency: Type.Literal('ILS'),
});
export type Totals = Static<typeof Totals>;

const headFields = {
  id: Uuid,
  business_id: Uuid,
  /** 128 random bits, in the page's and the PDF's addresses. */
  public_id: Type.String(),
  type: Type.Enum([...documentTypes]),
  number: Type.Integer({ minimum: 1 }),
  date: CalendarDate,
  due_date: Nullable(CalendarDate),
  issued_at: Instant,
  external_ref: Nullable(Type.String()),
  customer: CustomerSnapshot,
  totals: Totals,
  /** The source document, where there is one. */
  based_on: Nullable(
    Strict({
      id: Uuid,
      type: Type.Enum([...documentTypes]),
      number: Type.Integer(),
      date: CalendarDate,
    }),
  ),
};

/** A document as an element of a list. */
export const DocumentHead = Strict(headFields);
export type DocumentHead = Static<typeof DocumentHead>;

/**
 * Everything that was fixed when a document was issued. It travels whole with each event, so that no consumer has to
 * ask back. What may change later (status, paid, allocation number, cancellation) is not in it.
 */
export const IssuedDocument = Strict({
  ...headFields,
  items: Type.Array(Item),
  /** Whether unit prices and line totals are gross. */
  prices_include_vat: Type.Boolean(),
  discount: Nullable(DiscountInput),
  payments: Type.Array(Payment),
  title: Nullable(Type.String()),
  notes: Nullable(Type.String()),
  /** False: the caller suppressed the automatic mail for this document. */
  send: Type.Boolean(),
  /** Of a donation receipt whose donor lives abroad. */
  foreign_donor: Type.Optional(ForeignDonor),
  /** Of a receipt that was issued with it, ILS: the tax that its customer has withheld, in addition to what was received. No answer to callers has it. */
  withheld: Type.Optional(Money),
});
export type IssuedDocument = Static<typeof IssuedDocument>;

/** A document that is not issued: without number, addresses and instant of issue. Of a customer who is new the card has no id yet. */
export const DraftDocument = Type.Omit(
  Strict({
    ...IssuedDocument.properties,
    customer: Strict({ ...CustomerSnapshot.properties, id: Nullable(Uuid) }),
  }),
  ['id', 'public_id', 'number', 'issued_at'],
  { additionalProperties: false },
);
export type DraftDocument = Static<typeof DraftDocument>;

export const documentStatuses = ['open', 'closed', 'cancelled'] as const;

export const allocationStatuses = [
  'not_required',
  'issued',
  'skipped_customer_tax_id_missing',
  'skipped_business_tax_id_missing',
  'failed',
] as const;

/** The outcome of asking for an allocation number (API specification, 2.4, rule 4.5). */
export const AllocationOutcome = Strict(
  {
    status: Type.Enum([...allocationStatuses], {
      description:
        '`not_required`: below the threshold, another type, a customer who deducts no VAT, or the business is not connected. `issued`: the number is there. `skipped_customer_tax_id_missing`, `skipped_business_tax_id_missing`: not asked for, since a tax id is missing. `failed`: the authority refused or did not answer in time; a later number appears in `allocation_number`.',
    }),
    number: Nullable(Type.String(), 'The number as printed: 9 digits.'),
    reason: Nullable(Type.String(), 'Why there is no number, in words; null only for `issued`.'),
  },
  {
    description:
      "The tax authority's allocation number: needed on a tax_invoice, tax_invoice_receipt or credit_note whose net is above the threshold of the business (VAT law, section 47(a2)). It never holds up issuing.",
  },
);
export type AllocationOutcome = Static<typeof AllocationOutcome>;

/** The outcome while the tax authority has not answered: allocation continues automatically. */
export const allocationPending: AllocationOutcome = {
  status: 'failed',
  number: null,
  reason:
    'The tax authority did not answer within the wait of the request; the request for a number goes on.',
};

/** The allocation number as a preview knows it. */
export const PreviewedAllocation = Strict(
  {
    status: Type.Enum(
      ['required', 'not_required', 'skipped_customer_tax_id_missing', 'skipped_business_tax_id_missing'],
      {
        description:
          '`required`: a number will be asked for when the document is issued. The others are as in the response of an issued document.',
      },
    ),
  },
  { description: 'Whether an allocation number would be asked for.' },
);

/** What has named the card of a customer. */
export const CustomerMatch = Nullable(
  Type.Enum(['id', 'name']),
  'By what the customer card was found; null: none was found, and issuing opens one.',
);

export const donationStatuses = [
  'not_required',
  'reported',
  'pending',
  'failed',
  'refused',
  'cancelled',
] as const;

/** The outcome of the report of a donation to the tax authority. */
export const DonationOutcome = Strict(
  {
    status: Type.Enum([...donationStatuses], {
      description:
        '`not_required`: the business does not report donations. `reported`: the number is there. `pending`: the report goes on. `failed`: it could not be made, and a person has to correct why. `refused`: the authority refused it. `cancelled`: the report was cancelled, by the owner of the business. Only `reported` gives the donor a credit.',
    }),
    number: Nullable(
      Type.String(),
      "The tax authority's number as printed. A receipt with several means of payment has one report for each, and their numbers, separated by a comma and a space.",
    ),
    reason: Nullable(
      Type.String(),
      'Why there is no number, or what has become of a cancellation, in words; else null.',
    ),
  },
  {
    description:
      'Of a donation_receipt alone: the report of the donation to the tax authority (Income Tax Ordinance, section 46), which a receipt of an approved institution needs from 1 January 2026 on. It never holds up issuing.',
  },
);
export type DonationOutcome = Static<typeof DonationOutcome>;

export const deliveryStatuses = [
  'queued',
  'deferred_quiet_hours',
  'disabled',
  'suppressed',
  'no_recipient',
  'send_failed',
] as const;

/** The outcome of the customer's copy as it is expected (API specification, 2.4, rule 4.6). */
export const DeliveryOutcome = Strict(
  {
    status: Type.Enum([...deliveryStatuses], {
      description:
        '`queued`: it will be sent. `deferred_quiet_hours`: it will be sent at `scheduled_for`. `disabled`: the business does not send by itself. `suppressed`: the request said `send: false`, or the address is not written to any more. `no_recipient`: no address for the channel on the document. `send_failed`: it could not be queued.',
    }),
    channel: Nullable(
      Type.Enum(['email', 'whatsapp', 'both']),
      'What it is sent by; null where nothing is to be sent.',
    ),
    scheduled_for: Nullable(Instant, 'The end of the quiet hours, where it waits for them.'),
  },
  { description: "What becomes of the customer's copy. It never holds up issuing." },
);
export type DeliveryOutcome = Static<typeof DeliveryOutcome>;

/** The authority has refused the allocation number of a document. */
export const RefusedNumber = Strict({
  /** What the owner has decided about that, and the authority has taken; null: nothing. */
  decision: Nullable(Type.Enum([...refusalDecisions])),
});
export type RefusedNumber = Static<typeof RefusedNumber>;

/** The facts that change after issuing. */
export const DocumentState = Strict({
  status: Type.Enum([...documentStatuses]),
  paid: Money,
  allocation_number: Nullable(Type.String()),
  /** Of a donation receipt alone. */
  donation: Type.Optional(DonationOutcome),
  /** Where it has no allocation number since the authority refused it. Only for its page, its PDF and the console. */
  refusal: Type.Optional(RefusedNumber),
  cancelled_at: Nullable(Instant),
  /** Why it was cancelled, where its caller said so. Only for its page, its PDF and the console. */
  cancel_reason: Type.Optional(Type.String()),
  /** ILS: what is set against it, of the money that its customer has on account or as tax that was withheld, where there is anything. As what follows, only for its page, its messages and the console. */
  set_off: Type.Optional(Money),
  /** ILS, of `set_off`: the tax that its customer has withheld, where there is any. */
  withheld: Type.Optional(Money),
  /** What the credit notes that are based on it amount to, ILS. */
  credited: Type.Optional(Money),
  /** The invoices that are based on it and not credited in full. */
  invoices: Type.Optional(Type.Integer({ minimum: 0 })),
  /** The receipts and credit notes that are based on it and name another customer. */
  other_customers: Type.Optional(Type.Integer({ minimum: 0 })),
  /** ILS: the VAT that its buyer cannot deduct, since it has no number only because its business was not connected. */
  undeductible_vat: Type.Optional(Money),
});
export type DocumentState = Static<typeof DocumentState>;

/** A document with what lists show of it. */
export const ListedDocument = Strict({
  document: DocumentHead,
  state: DocumentState,
  /** What is known of both now. */
  allocation: AllocationOutcome,
  delivery: DeliveryOutcome,
});
export type ListedDocument = Static<typeof ListedDocument>;
