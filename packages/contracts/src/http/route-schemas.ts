import { documentTypes, modes, paymentMethods } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { CustomerCard } from '../customer/index.js';
import { scopes } from '../define.js';
import { deliveryChannels } from '../schema/business.js';
import {
  AllocationOutcome,
  CustomerMatch,
  DeliveryOutcome,
  DonationOutcome,
  documentStatuses,
  PreviewedAllocation,
} from '../schema/document.js';
import {
  Address,
  CalendarDate,
  described,
  Instant,
  Money,
  Nullable,
  Strict,
  Uuid,
} from '../schema/fields.js';
import { previewWarnings } from '../schema/preview-warnings.js';

/** The business profile (API specification, 2.2). */
export const Profile = Strict(
  {
    mode: Type.Enum([...modes], {
      description:
        'The book of the key: `live`, or `test`, in which nothing counts and nothing is sent. The books share the profile of the business and nothing else.',
    }),
    business: Strict({
      id: Uuid,
      name: Type.String(),
      legal_type: Type.String({
        description:
          '`osek_murshe` licensed dealer, `hevra_baam` company, `osek_patur` exempt dealer, `amuta` NPO, `public_institution`. The last three issue no tax invoices (VAT law, section 50).',
      }),
      legal_type_he: Type.String({ description: 'The Hebrew label of `legal_type`.' }),
      tax_id: Nullable(Type.String(), 'Nine digits; null while the profile lacks it.'),
      vat_rate: Type.Number({ description: 'Percent, for example 18; 0 for exempt dealers and in Eilat.' }),
      prices_include_vat: Type.Boolean({ description: 'The default of the request field of the same name.' }),
    }),
    allowed_document_types: Type.Array(Type.Enum([...documentTypes]), {
      description: 'What this business may issue.',
    }),
    tax_authority_connected: Type.Boolean({
      description: 'Whether allocation numbers are asked for automatically.',
    }),
    allocation_threshold_net: described(
      Money,
      'ILS before VAT. A document whose net is above it needs an allocation number.',
    ),
    auto_send: Strict({
      enabled: Type.Boolean({ description: 'Whether documents are sent to customers without being asked.' }),
      channel: Type.Enum([...deliveryChannels]),
      quiet_hours: Nullable(
        Type.String(),
        'HH:MM-HH:MM in Asia/Jerusalem, the start inside and the end outside; may pass midnight. Null: none.',
      ),
    }),
    limits: Strict({
      per_minute: Type.Integer({ description: 'Requests per minute of this key.' }),
      daily_documents: Type.Integer({ description: 'Documents per day (Asia/Jerusalem) of this key.' }),
      used_today: Type.Integer({ description: 'Documents that this key has issued today.' }),
    }),
    key: Strict({
      name: Type.String({ description: 'The label of the key that calls.' }),
      prefix: Type.String({ description: 'The leading characters of the key, to distinguish keys.' }),
      scopes: Type.Array(Type.Enum([...scopes])),
      created_at: Instant,
    }),
  },
  { description: 'The business of the key, its limits, and the key.' },
);
export type Profile = Static<typeof Profile>;

/** The customer of a document, as answers have it. */
export const DocumentCustomer = Strict(
  {
    id: Nullable(Uuid, 'The customer card.'),
    name: Nullable(Type.String()),
    tax_id: Nullable(Type.String()),
  },
  { description: 'As it was when the document was issued; never changes.' },
);

/** The amounts of a document, as answers have them. */
export const DocumentTotals = Strict(
  {
    subtotal: described(Money, 'The lines before VAT and before the discount.'),
    discount: described(Money, 'The discount before VAT; 0 where there is none.'),
    vat: described(Money, 'VAT in ILS.'),
    vat_rate: Type.Number({ description: 'Percent.' }),
    total: described(Money, 'What the document comes to, VAT included.'),
    paid: described(
      Money,
      'The sum of its own payments; on a tax_invoice or a proforma, of the receipts based on it.',
    ),
    currency: Type.Literal('ILS'),
  },
  {
    description:
      'ILS with at most 2 decimals. Always `subtotal` − `discount` + `vat` = `total`. Computed exactly, rounded half away from zero.',
  },
);

/** A line of a document, as answers have it. */
export const DocumentItem = Strict({
  description: Type.String(),
  quantity: Type.Number(),
  unit_price: described(Money, 'ILS for one unit; net or gross as it was sent.'),
  line_total: described(Money, 'ILS; net or gross like the unit price.'),
  sku: Nullable(Type.String()),
});

/** A payment of a document, as answers have it. */
export const DocumentPayment = Strict({
  method: Type.Enum([...paymentMethods]),
  amount: described(Money, 'ILS.'),
  date: CalendarDate,
  reference: Nullable(Type.String()),
  check_number: Nullable(Type.String()),
  bank_code: Nullable(Type.Integer()),
  card_last_digits: Nullable(Type.String()),
});

const documentFields = {
  id: Uuid,
  public_id: Type.String({
    description:
      'Unguessable; the last part of `view_url` and `pdf_url`. A person who has it sees the document.',
  }),
  type: Type.Enum([...documentTypes]),
  number: Type.Integer({
    minimum: 1,
    description: 'The number in the book: one sequence for each business and type, without gaps.',
  }),
  status: Type.Enum([...documentStatuses], {
    description:
      'tax_invoice_receipt, receipt, donation_receipt and credit_note are issued `closed`, all others `open`. `cancelled` hides a document from lists; its number stays in the book.',
  }),
  date: described(CalendarDate, 'The date of the document, Asia/Jerusalem.'),
  due_date: Nullable(CalendarDate, 'When it is to be paid: tax_invoice and proforma only.'),
  external_ref: Nullable(Type.String(), "The caller's reference, as it was sent."),
  customer: DocumentCustomer,
  totals: DocumentTotals,
  allocation_number: Nullable(
    Type.String(),
    "The tax authority's allocation number as printed, 9 digits, as soon as it is known.",
  ),
  view_url: described(Address, 'The hosted page of the document; needs no key.'),
  pdf_url: described(
    Address,
    'The signed PDF; needs no key. The same bytes until a revision, for example with the allocation number.',
  ),
  based_on: Nullable(Uuid, 'The id of the source document.'),
  cancelled_at: Nullable(Instant, 'When it was cancelled, in UTC.'),
  created_at: described(Instant, 'When it was issued, in UTC.'),
};

/** A document as lists and events have it (API specification, 2.4, with allocation and delivery). */
export const CreatedDocument = Strict(
  {
    ...documentFields,
    allocation: AllocationOutcome,
    delivery: DeliveryOutcome,
    donation: Type.Optional(DonationOutcome),
  },
  { description: 'A document with what is known of its allocation number and its delivery.' },
);
export type CreatedDocument = Static<typeof CreatedDocument>;

const warnings = Type.Array(
  Strict({
    code: Type.Enum([...previewWarnings], { description: 'Stable: safe to branch on.' }),
    message: Type.String({ description: 'In English, for people.' }),
    message_he: Type.String({ description: 'The same in Hebrew.' }),
  }),
  { description: 'What a person should know of the document; mostly empty. No warning refuses it.' },
);

/** What POST /documents answers. */
export const NewDocument = Strict(
  { ...CreatedDocument.properties, warnings },
  { description: 'A document that was issued; a replay has the warnings of the first answer.' },
);
export type NewDocument = Static<typeof NewDocument>;

/** What POST /documents/preview answers. */
export const DocumentPreview = Strict(
  {
    type: documentFields.type,
    date: documentFields.date,
    due_date: documentFields.due_date,
    totals: DocumentTotals,
    allocation: PreviewedAllocation,
    delivery: DeliveryOutcome,
    customer: Strict(
      { id: Nullable(Uuid, 'The customer card; null: issuing opens one.'), matched_by: CustomerMatch },
      { description: 'The customer card that the document would be issued to.' },
    ),
    warnings,
  },
  { description: 'What a document would be, if it were issued now.' },
);
export type DocumentPreview = Static<typeof DocumentPreview>;

/** What GET /documents/{id} answers: an item of a list, with items, payments, title and notes. */
export const DocumentDetail = Strict(
  {
    ...CreatedDocument.properties,
    title: Nullable(Type.String()),
    notes: Nullable(Type.String()),
    items: Type.Array(DocumentItem),
    payments: Type.Array(DocumentPayment),
  },
  { description: 'A document with its lines, its payments, its title and its notes.' },
);
export type DocumentDetail = Static<typeof DocumentDetail>;

/** An entry of GET /document-types (API specification, 2.3). */
export const DocumentTypeEntry = Strict({
  type: Type.Enum([...documentTypes]),
  name: Type.String({ description: 'In English.' }),
  name_he: Type.String({ description: 'In Hebrew.' }),
  requires_payments: Type.Boolean({ description: '`false`: payments are refused.' }),
  allows_discount: Type.Boolean(),
  based_on_types: Type.Array(Type.Enum([...documentTypes]), {
    description: 'What a document of this type may be based on.',
  }),
  based_on_required: Type.Boolean(),
});
export type DocumentTypeEntry = Static<typeof DocumentTypeEntry>;

/** An entry of GET /errors. */
export const ErrorCatalogueEntry = Strict({
  code: Type.String(),
  http_status: Type.Integer(),
  retryable: Type.Boolean({
    description: 'Whether the same request with the same Idempotency-Key may be sent again.',
  }),
  message: Type.String({ description: 'In English.' }),
  message_he: Type.String({ description: 'In Hebrew.' }),
  hint: Nullable(Type.String(), 'What to do about it.'),
  doc_url: described(Address, 'A page about this code.'),
  details: Type.Array(Type.String(), {
    description: 'The members of `error.details` that the code carries.',
  }),
});
export type ErrorCatalogueEntry = Static<typeof ErrorCatalogueEntry>;

/** What POST /documents/{id}/cancel answers: the document without allocation and delivery. */
export const CancelledDocument = Strict(documentFields, { description: 'A document.' });
export type CancelledDocument = Static<typeof CancelledDocument>;

/** A page of GET /documents. */
export const DocumentPage = Strict({
  data: Type.Array(CreatedDocument),
  next_cursor: Nullable(Type.String(), 'The `cursor` of the next page; null on the last page.'),
});
export type DocumentPage = Static<typeof DocumentPage>;

/** The query of GET /documents (API specification, 4.5). */
export const DocumentQuery = Strict({
  type: Type.Optional(Type.Enum([...documentTypes], { description: 'Only documents of this type.' })),
  from: Type.Optional(described(CalendarDate, 'Only documents of this date or later.')),
  to: Type.Optional(described(CalendarDate, 'Only documents of this date or earlier.')),
  external_ref: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Only documents with exactly this caller's reference.",
    }),
  ),
  include_cancelled: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether cancelled documents are listed as well.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Documents in one page.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: '`next_cursor` of the page before; the other parameters stay as they were.',
    }),
  ),
});
export type DocumentQuery = Static<typeof DocumentQuery>;

/** What GET /customers answers. */
export const CustomerList = Strict({ data: Type.Array(CustomerCard) });
export type CustomerList = Static<typeof CustomerList>;

/** The query of GET /customers (API specification, 4.8). */
export const CustomerQuery = Strict({
  q: Type.Optional(
    Type.String({
      maxLength: 120,
      description:
        'What the name contains, whatever the letter case, points of vowels, quotation marks, apostrophes and hyphens it was typed with or without, or the exact tax id, with or without its leading zeros. Absent: every customer.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'Customers at the most.' }),
  ),
});
export type CustomerQuery = Static<typeof CustomerQuery>;
