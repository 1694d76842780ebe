import Type, { type Static } from 'typebox';
import { walletMethods } from './business.js';
import { customerLegalTypes, documentTypes } from './document-types.js';
import { CalendarDate, Instant, Money, Nullable, Strict, Uuid } from './fields.js';

/** The means of payment (interface 2.6). */
export const paymentMethods = ['cash', 'check', 'credit_card', 'bank_transfer', ...walletMethods] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

const CustomerLegalType = Type.Enum([...customerLegalTypes]);
const atMost100Million = { maximum: 100_000_000 } as const;

/** The customer of a create request: `id` or `name`. */
export const CustomerInput = Strict(
  {
    id: Type.Optional(Uuid),
    name: Type.Optional(Type.String({ minLength: 2, maxLength: 120 })),
    tax_id: Type.Optional(Type.String({ pattern: '^\\d{5,9}$' })),
    legal_type: Type.Optional(CustomerLegalType),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    phone: Type.Optional(Type.String({ pattern: '^\\+?[\\d\\-\\s]{7,20}$' })),
    address: Type.Optional(Type.String({ maxLength: 200 })),
    city: Type.Optional(Type.String({ maxLength: 80 })),
    identity_confirmed: Type.Optional(Type.Boolean()),
  },
  { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
);
export type CustomerInput = Static<typeof CustomerInput>;

/** One payment of a create request; the fields after `date` belong to their method. */
export const PaymentInput = Strict({
  method: Type.Enum([...paymentMethods]),
  amount: Type.Number({ exclusiveMinimum: 0, ...atMost100Million }),
  date: Type.Optional(CalendarDate),
  reference: Type.Optional(Type.String({ maxLength: 64 })),
  check_number: Type.Optional(Type.String({ maxLength: 20 })),
  check_date: Type.Optional(CalendarDate),
  bank_code: Type.Optional(Type.Integer({ minimum: 1, maximum: 99 })),
  branch: Type.Optional(Type.String({ maxLength: 10 })),
  account: Type.Optional(Type.String({ maxLength: 20 })),
  card_last_digits: Type.Optional(Type.String({ pattern: '^\\d{4}$' })),
  card_type: Type.Optional(Type.String({ maxLength: 20 })),
});
export type PaymentInput = Static<typeof PaymentInput>;

export const DiscountInput = Strict({
  type: Type.Enum(['percent', 'amount']),
  value: Type.Number({ exclusiveMinimum: 0, ...atMost100Million }),
});

export const ItemInput = Strict({
  description: Type.String({ minLength: 1, maxLength: 200 }),
  /** Up to four decimals. */
  quantity: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
  /** ILS per unit, up to two decimals; net or gross by `prices_include_vat`. */
  unit_price: Type.Number({ minimum: 0, ...atMost100Million }),
  sku: Type.Optional(Type.String({ maxLength: 64 })),
});

/** The body of POST /documents (interface 2.6). */
export const CreateDocument = Strict({
  type: Type.Enum([...documentTypes]),
  date: Type.Optional(CalendarDate),
  due_date: Type.Optional(CalendarDate),
  customer: CustomerInput,
  items: Type.Array(ItemInput, { minItems: 1, maxItems: 100 }),
  prices_include_vat: Type.Optional(Type.Boolean()),
  discount: Type.Optional(DiscountInput),
  payments: Type.Optional(Type.Array(PaymentInput, { minItems: 1, maxItems: 20 })),
  based_on: Type.Optional(Uuid),
  title: Type.Optional(Type.String({ maxLength: 120 })),
  notes: Type.Optional(Type.String({ maxLength: 1000 })),
  expected_total: Type.Optional(Type.Number({ minimum: 0, ...atMost100Million })),
  send: Type.Optional(Type.Boolean()),
  external_ref: Type.Optional(Type.String({ maxLength: 64 })),
});
export type CreateDocument = Static<typeof CreateDocument>;

/** The customer as printed on one document; a snapshot that never changes. */
export const CustomerSnapshot = Strict({
  id: Uuid,
  name: Type.String(),
  tax_id: Nullable(Type.String()),
  legal_type: Nullable(CustomerLegalType),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  address: Nullable(Type.String()),
  city: Nullable(Type.String()),
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

/**
 * Everything that was fixed when a document was issued. It travels whole with each event, so that no consumer has to
 * ask back. What may change later (status, paid, allocation number, cancellation) is not in it.
 */
export const IssuedDocument = Strict({
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
  items: Type.Array(Item),
  /** Whether unit prices and line totals are gross. */
  prices_include_vat: Type.Boolean(),
  discount: Nullable(DiscountInput),
  payments: Type.Array(Payment),
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
  title: Nullable(Type.String()),
  notes: Nullable(Type.String()),
  /** False: the caller suppressed the automatic mail for this document. */
  send: Type.Boolean(),
});
export type IssuedDocument = Static<typeof IssuedDocument>;

export const documentStatuses = ['open', 'closed', 'cancelled'] as const;

export const allocationStatuses = [
  'not_required',
  'issued',
  'skipped_customer_tax_id_missing',
  'skipped_business_tax_id_missing',
  'failed',
] as const;

/** The outcome of asking for an allocation number (interface 2.4, rule 4.5). */
export const AllocationOutcome = Strict({
  status: Type.Enum([...allocationStatuses]),
  /** The printed number: nine digits. */
  number: Nullable(Type.String()),
  /** Why there is no number; null only for `issued`. */
  reason: Nullable(Type.String()),
});
export type AllocationOutcome = Static<typeof AllocationOutcome>;

export const deliveryStatuses = [
  'queued',
  'deferred_quiet_hours',
  'disabled',
  'suppressed',
  'no_recipient',
  'send_failed',
] as const;

/** What will happen with the customer's copy (interface 2.4, rule 4.6). */
export const DeliveryOutcome = Strict({
  status: Type.Enum([...deliveryStatuses]),
  channel: Nullable(Type.Enum(['email', 'whatsapp', 'both'])),
  scheduled_for: Nullable(Instant),
});
export type DeliveryOutcome = Static<typeof DeliveryOutcome>;

/** What changes after issuing. */
export const DocumentState = Strict({
  status: Type.Enum([...documentStatuses]),
  paid: Money,
  allocation_number: Nullable(Type.String()),
  cancelled_at: Nullable(Instant),
});
export type DocumentState = Static<typeof DocumentState>;
