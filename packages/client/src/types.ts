/* Written by `npm run generate` from the schemas that the HTTP API validates with. */

/** The ten types of document. */
export type DocumentType =
  | 'quote'
  | 'order'
  | 'delivery_note'
  | 'return_note'
  | 'proforma'
  | 'tax_invoice'
  | 'tax_invoice_receipt'
  | 'receipt'
  | 'credit_note'
  | 'donation_receipt';

/** The means of payment. */
export type PaymentMethod =
  | 'cash'
  | 'check'
  | 'credit_card'
  | 'bank_transfer'
  | 'wallet_method_1'
  | 'wallet_method_2'
  | 'wallet_method_3'
  | 'wallet_method_4'
  | 'wallet_method_5';

/** What a customer is to the tax authority. */
export type CustomerLegalType = 'hevra_baam' | 'osek_murshe' | 'osek_patur' | 'amuta' | 'private';

/**
 * The document to issue. Number, VAT rate, totals, status and allocation number are never sent: the service
 * computes them. An unknown field is a `validation_error`. Texts may be in any language and direction;
 * lengths count Unicode code points. Every line break (CR LF, CR, U+2028 and others) is kept as `\n`. No text
 * has NUL or half of a surrogate pair. What the schema cannot state: `due_date` is not before `date`.
 */
export interface CreateDocument {
  /** What to issue. `GET /document-types` lists what this business may issue. */
  type: DocumentType;
  /**
   * The date of the document, Asia/Jerusalem. Default: today. Not in the future (`future_date`), and not
   * earlier than the last document of the same type (`date_before_last_document`), cancelled ones included.
   */
  date?: string;
  /**
   * When it is to be paid: on a tax_invoice or a proforma only, and not before `date`. Default: by the
   * payment terms of the business.
   */
  due_date?: string;
  customer: CustomerInput;
  foreign_donor?: ForeignDonor;
  /** The lines. */
  items: readonly ItemInput[];
  /**
   * Whether unit prices, and an amount of discount, are gross (with VAT) or net. Default: the setting of the
   * business (`GET /me`).
   */
  prices_include_vat?: boolean;
  discount?: DiscountInput;
  /**
   * Required for receipt, tax_invoice_receipt and donation_receipt unless the total is 0, and refused on
   * every other type. Their sum must be within 0.01 of the total (`payments_total_mismatch`).
   */
  payments?: readonly PaymentInput[];
  /**
   * The id of the source document. A credit_note needs one: a tax_invoice or a tax_invoice_receipt. `GET
   * /document-types` lists for each type what it may be based on. A receipt closes its tax_invoice or
   * proforma; a tax_invoice or a tax_invoice_receipt closes its source; a credit_note closes a tax_invoice
   * once credits and receipts reach its total. A cancelled document is no source.
   */
  based_on?: string;
  /** Printed as a header. */
  title?: string;
  /** Printed below the totals. */
  notes?: string;
  /**
   * ILS, at most 2 decimals: round a total that has more. A safety check: unless the computed total is within
   * 0.01 of it, nothing is issued (`total_mismatch`).
   */
  expected_total?: number;
  /**
   * Default `true`. `false`: this document is not sent to the customer. The accountant's copy follows the
   * settings of the business regardless.
   */
  send?: boolean;
  /** The caller's own reference, for example an order number. Echoed; documents can be listed by it. */
  external_ref?: string;
}

/**
 * Who the document is for. One of `id` and `name` is required. The document keeps a snapshot: what the
 * request said, and from the card what it did not say. The snapshot never changes when the card does.
 */
export interface CustomerInput {
  /** An existing customer of this business, else `customer_not_found`. A `name` beside it is ignored. */
  id?: string;
  /**
   * The customer card of this name is used, else a new one is opened. Names are compared in Unicode NFC,
   * without regard to letter case, to white space and line breaks around and between words, and to characters
   * that cannot be seen, such as marks of direction. What the request says of an existing customer fills the
   * empty fields of its card and overwrites none. White space around the name and characters that cannot be
   * seen do not count towards its least length.
   */
  name?: string;
  /**
   * Identity, company or dealer number, 5 to 9 digits; the check digit is verified
   * (`invalid_customer_tax_id`). An allocation number needs it.
   */
  tax_id?: string;
  /** What the customer is to the tax authority. */
  legal_type?: CustomerLegalType;
  /**
   * Where the document is sent when the business sends by e-mail. What is accepted can be sent to: a local
   * part without quotes of at most 64 octets, and a domain of at least two labels, which may be an
   * internationalized one (`דוגמה.example`); an IP address is none.
   */
  email?: string;
  /**
   * An optional `+`, then 7 to 20 digits, hyphens or spaces. Where the document is sent when the business
   * sends by WhatsApp. An Israeli mobile number may lack its 0, and have 972 without +. Another that begins
   * with neither 0 nor +, or has fewer than seven digits, is kept, and nothing is sent to it
   * (`phone_unusable` in a preview).
   */
  phone?: string;
  /** Street and house number. */
  address?: string;
  city?: string;
  /**
   * Send `true` only after `customer_identity_conflict`: the card of the given name is used, or opened,
   * although another card has the same tax id.
   */
  identity_confirmed?: boolean;
}

/**
 * Of a donation_receipt alone, in place of `customer.tax_id`: the donation is reported as that of a foreign
 * resident. Without both it is reported as anonymous.
 */
export interface ForeignDonor {
  /** The country of the donor, ISO 3166-1 alpha-2. */
  country: string;
  /** The number of the passport, where it is known. */
  passport?: string;
}

/** One line: `line_total` = quantity × unit_price, rounded half away from zero to 2 decimals. */
export interface ItemInput {
  /**
   * What is sold. White space and characters that cannot be seen are no description alone; a line break is
   * printed as a blank.
   */
  description: string;
  /** At most 4 decimals, counted on the shortest form of the number: 1.50 has one. */
  quantity: number;
  /** ILS for one unit, at most 2 decimals; net or gross by `prices_include_vat`. */
  unit_price: number;
  /** The caller's article number. */
  sku?: string;
}

/** A discount on the whole document. Not on a receipt or a donation_receipt. */
export interface DiscountInput {
  type: 'percent' | 'amount';
  /**
   * Above 0. Percent (at most 100) or ILS (rounded to 2 decimals), in the price basis of the request: net or
   * gross by `prices_include_vat`. A discount above the sum of the lines is a `validation_error`.
   */
  value: number;
}

/**
 * One payment. The fields after `date` belong to the methods that they name; on another method they are a
 * `validation_error`.
 */
export interface PaymentInput {
  /**
   * The means of payment. `wallet_method_1` to `wallet_method_5` are payment apps and digital wallets, by
   * default Bit, PayBox, PayPal, Google Pay and Apple Pay; the name that each shows on a document is a
   * setting of the business.
   */
  method: PaymentMethod;
  /** ILS, at most 2 decimals. */
  amount: number;
  /** When it was paid, Asia/Jerusalem. Default: the document's date. */
  date?: string;
  /** Only with `bank_transfer` and the wallet methods. */
  reference?: string;
  /** Only with `check`. */
  check_number?: string;
  /** When the check is due. Only with `check`. */
  check_date?: string;
  /** Number of the bank. Only with `check`. */
  bank_code?: number;
  /** Number of the branch. Only with `check`. */
  branch?: string;
  /** Number of the account. Only with `check`. */
  account?: string;
  /** The last 4 digits. Only with `credit_card`. */
  card_last_digits?: string;
  /** Brand or kind of the card. Only with `credit_card`. */
  card_type?: string;
}

export interface CancelDocument {
  /** Why; kept with the document. */
  reason?: string;
}

/** The types of event. */
export type EventType =
  | 'document.issued'
  | 'document.cancelled'
  | 'document.closed'
  | 'allocation.issued'
  | 'allocation.refused'
  | 'allocation.failed'
  | 'donation.reported'
  | 'donation.refused'
  | 'donation.failed'
  | 'delivery.sent'
  | 'delivery.failed'
  | 'reminder.sent'
  | 'reminder.failed'
  | 'authority.expiring'
  | 'authority.disconnected'
  | 'endpoint.test';

/** The states of a document. */
export type DocumentStatus = 'open' | 'closed' | 'cancelled';

/**
 * ILS with at most 2 decimals. Always `subtotal` − `discount` + `vat` = `total`. Computed exactly, rounded
 * half away from zero.
 */
export interface Totals {
  /** The lines before VAT and before the discount. */
  subtotal: number;
  /** The discount before VAT; 0 where there is none. */
  discount: number;
  /** VAT in ILS. */
  vat: number;
  /** Percent. */
  vat_rate: number;
  /** What the document comes to, VAT included. */
  total: number;
  /** The sum of its own payments; on a tax_invoice or a proforma, of the receipts based on it. */
  paid: number;
  currency: 'ILS';
}

/** As it was when the document was issued; never changes. */
export interface DocumentCustomer {
  /** The customer card. */
  id: string | null;
  name: string | null;
  tax_id: string | null;
}

export interface DocumentItem {
  description: string;
  quantity: number;
  /** ILS for one unit; net or gross as it was sent. */
  unit_price: number;
  /** ILS; net or gross like the unit price. */
  line_total: number;
  sku: string | null;
}

export interface DocumentPayment {
  method: PaymentMethod;
  /** ILS. */
  amount: number;
  date: string;
  reference: string | null;
  check_number: string | null;
  bank_code: number | null;
  card_last_digits: string | null;
}

/** A document. */
export interface Document {
  id: string;
  /** Unguessable; the last part of `view_url` and `pdf_url`. A person who has it sees the document. */
  public_id: string;
  type: DocumentType;
  /** The number in the book: one sequence for each business and type, without gaps. */
  number: number;
  /**
   * tax_invoice_receipt, receipt, donation_receipt and credit_note are issued `closed`, all others `open`.
   * `cancelled` hides a document from lists; its number stays in the book.
   */
  status: DocumentStatus;
  /** The date of the document, Asia/Jerusalem. */
  date: string;
  /** When it is to be paid: tax_invoice and proforma only. */
  due_date: string | null;
  /** The caller's reference, as it was sent. */
  external_ref: string | null;
  customer: DocumentCustomer;
  totals: Totals;
  /** The tax authority's allocation number as printed, 9 digits, as soon as it is known. */
  allocation_number: string | null;
  /** The hosted page of the document; needs no key. */
  view_url: string;
  /**
   * The signed PDF; needs no key. The same bytes until a revision, for example with the allocation number.
   */
  pdf_url: string;
  /** The id of the source document. */
  based_on: string | null;
  /** When it was cancelled, in UTC. */
  cancelled_at: string | null;
  /** When it was issued, in UTC. */
  created_at: string;
}

/** A document with what is known of its allocation number and its delivery. */
export interface CreatedDocument {
  id: string;
  /** Unguessable; the last part of `view_url` and `pdf_url`. A person who has it sees the document. */
  public_id: string;
  type: DocumentType;
  /** The number in the book: one sequence for each business and type, without gaps. */
  number: number;
  /**
   * tax_invoice_receipt, receipt, donation_receipt and credit_note are issued `closed`, all others `open`.
   * `cancelled` hides a document from lists; its number stays in the book.
   */
  status: DocumentStatus;
  /** The date of the document, Asia/Jerusalem. */
  date: string;
  /** When it is to be paid: tax_invoice and proforma only. */
  due_date: string | null;
  /** The caller's reference, as it was sent. */
  external_ref: string | null;
  customer: DocumentCustomer;
  totals: Totals;
  /** The tax authority's allocation number as printed, 9 digits, as soon as it is known. */
  allocation_number: string | null;
  /** The hosted page of the document; needs no key. */
  view_url: string;
  /**
   * The signed PDF; needs no key. The same bytes until a revision, for example with the allocation number.
   */
  pdf_url: string;
  /** The id of the source document. */
  based_on: string | null;
  /** When it was cancelled, in UTC. */
  cancelled_at: string | null;
  /** When it was issued, in UTC. */
  created_at: string;
  allocation: Allocation;
  delivery: Delivery;
  donation?: Donation;
}

/** A document that was issued; a replay has the warnings of the first answer. */
export interface IssuedDocument {
  id: string;
  /** Unguessable; the last part of `view_url` and `pdf_url`. A person who has it sees the document. */
  public_id: string;
  type: DocumentType;
  /** The number in the book: one sequence for each business and type, without gaps. */
  number: number;
  /**
   * tax_invoice_receipt, receipt, donation_receipt and credit_note are issued `closed`, all others `open`.
   * `cancelled` hides a document from lists; its number stays in the book.
   */
  status: DocumentStatus;
  /** The date of the document, Asia/Jerusalem. */
  date: string;
  /** When it is to be paid: tax_invoice and proforma only. */
  due_date: string | null;
  /** The caller's reference, as it was sent. */
  external_ref: string | null;
  customer: DocumentCustomer;
  totals: Totals;
  /** The tax authority's allocation number as printed, 9 digits, as soon as it is known. */
  allocation_number: string | null;
  /** The hosted page of the document; needs no key. */
  view_url: string;
  /**
   * The signed PDF; needs no key. The same bytes until a revision, for example with the allocation number.
   */
  pdf_url: string;
  /** The id of the source document. */
  based_on: string | null;
  /** When it was cancelled, in UTC. */
  cancelled_at: string | null;
  /** When it was issued, in UTC. */
  created_at: string;
  allocation: Allocation;
  delivery: Delivery;
  donation?: Donation;
  /** What a person should know of the document; mostly empty. No warning refuses it. */
  warnings: {
    /** Stable: safe to branch on. */
    code:
      | 'number_not_connected'
      | 'number_customer_tax_id_missing'
      | 'number_business_tax_id_missing'
      | 'customer_tax_id_missing'
      | 'donation_not_connected'
      | 'donation_donor_id_missing'
      | 'source_overpaid'
      | 'source_overcredited'
      | 'source_invoiced_twice'
      | 'source_of_other_customer'
      | 'date_in_past'
      | 'due_date_passed'
      | 'total_is_zero'
      | 'payments_rounded'
      | 'phone_unusable'
      | 'recipient_missing'
      | 'recipient_suppressed'
      | 'sending_not_possible';
    /** In English, for people. */
    message: string;
    /** The same in Hebrew. */
    message_he: string;
  }[];
}

/** A document with its lines, its payments, its title and its notes. */
export interface DocumentDetail {
  id: string;
  /** Unguessable; the last part of `view_url` and `pdf_url`. A person who has it sees the document. */
  public_id: string;
  type: DocumentType;
  /** The number in the book: one sequence for each business and type, without gaps. */
  number: number;
  /**
   * tax_invoice_receipt, receipt, donation_receipt and credit_note are issued `closed`, all others `open`.
   * `cancelled` hides a document from lists; its number stays in the book.
   */
  status: DocumentStatus;
  /** The date of the document, Asia/Jerusalem. */
  date: string;
  /** When it is to be paid: tax_invoice and proforma only. */
  due_date: string | null;
  /** The caller's reference, as it was sent. */
  external_ref: string | null;
  customer: DocumentCustomer;
  totals: Totals;
  /** The tax authority's allocation number as printed, 9 digits, as soon as it is known. */
  allocation_number: string | null;
  /** The hosted page of the document; needs no key. */
  view_url: string;
  /**
   * The signed PDF; needs no key. The same bytes until a revision, for example with the allocation number.
   */
  pdf_url: string;
  /** The id of the source document. */
  based_on: string | null;
  /** When it was cancelled, in UTC. */
  cancelled_at: string | null;
  /** When it was issued, in UTC. */
  created_at: string;
  allocation: Allocation;
  delivery: Delivery;
  donation?: Donation;
  title: string | null;
  notes: string | null;
  items: DocumentItem[];
  payments: DocumentPayment[];
}

export interface DocumentPage {
  data: CreatedDocument[];
  /** The `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

/** What a document would be, if it were issued now. */
export interface DocumentPreview {
  type: DocumentType;
  /** The date of the document, Asia/Jerusalem. */
  date: string;
  /** When it is to be paid: tax_invoice and proforma only. */
  due_date: string | null;
  totals: Totals;
  /** Whether an allocation number would be asked for. */
  allocation: {
    /**
     * `required`: a number will be asked for when the document is issued. The others are as in the response
     * of an issued document.
     */
    status:
      | 'required'
      | 'not_required'
      | 'skipped_customer_tax_id_missing'
      | 'skipped_business_tax_id_missing';
  };
  delivery: Delivery;
  /** The customer card that the document would be issued to. */
  customer: {
    /** The customer card; null: issuing opens one. */
    id: string | null;
    /** By what the customer card was found; null: none was found, and issuing opens one. */
    matched_by: 'id' | 'name' | null;
  };
  /** What a person should know of the document; mostly empty. No warning refuses it. */
  warnings: {
    /** Stable: safe to branch on. */
    code:
      | 'number_not_connected'
      | 'number_customer_tax_id_missing'
      | 'number_business_tax_id_missing'
      | 'customer_tax_id_missing'
      | 'donation_not_connected'
      | 'donation_donor_id_missing'
      | 'source_overpaid'
      | 'source_overcredited'
      | 'source_invoiced_twice'
      | 'source_of_other_customer'
      | 'date_in_past'
      | 'due_date_passed'
      | 'total_is_zero'
      | 'payments_rounded'
      | 'phone_unusable'
      | 'recipient_missing'
      | 'recipient_suppressed'
      | 'sending_not_possible';
    /** In English, for people. */
    message: string;
    /** The same in Hebrew. */
    message_he: string;
  }[];
}

/**
 * The tax authority's allocation number: needed on a tax_invoice, tax_invoice_receipt or credit_note whose
 * net is above the threshold of the business (VAT law, section 47(a2)). It never holds up issuing.
 */
export interface Allocation {
  /**
   * `not_required`: below the threshold, another type, a customer who deducts no VAT, or the business is not
   * connected. `issued`: the number is there. `skipped_customer_tax_id_missing`,
   * `skipped_business_tax_id_missing`: not asked for, since a tax id is missing. `failed`: the authority
   * refused or did not answer in time; a later number appears in `allocation_number`.
   */
  status:
    | 'not_required'
    | 'issued'
    | 'skipped_customer_tax_id_missing'
    | 'skipped_business_tax_id_missing'
    | 'failed';
  /** The number as printed: 9 digits. */
  number: string | null;
  /** Why there is no number, in words; null only for `issued`. */
  reason: string | null;
}

/** What becomes of the customer's copy. It never holds up issuing. */
export interface Delivery {
  /**
   * `queued`: it will be sent. `deferred_quiet_hours`: it will be sent at `scheduled_for`. `disabled`: the
   * business does not send by itself. `suppressed`: the request said `send: false`, or the address is not
   * written to any more. `no_recipient`: no address for the channel on the document. `send_failed`: it could
   * not be queued.
   */
  status: 'queued' | 'deferred_quiet_hours' | 'disabled' | 'suppressed' | 'no_recipient' | 'send_failed';
  /** What it is sent by; null where nothing is to be sent. */
  channel: 'email' | 'whatsapp' | 'both' | null;
  /** The end of the quiet hours, where it waits for them. */
  scheduled_for: string | null;
}

/**
 * Of a donation_receipt alone: the report of the donation to the tax authority (Income Tax Ordinance, section
 * 46), which a receipt of an approved institution needs from 1 January 2026 on. It never holds up issuing.
 */
export interface Donation {
  /**
   * `not_required`: the business does not report donations. `reported`: the number is there. `pending`: the
   * report goes on. `failed`: it could not be made, and a person has to correct why. `refused`: the authority
   * refused it. `cancelled`: the report was cancelled, by the owner of the business. Only `reported` gives
   * the donor a credit.
   */
  status: 'not_required' | 'reported' | 'pending' | 'failed' | 'refused' | 'cancelled';
  /**
   * The tax authority's number as printed. A receipt with several means of payment has one report for each,
   * and their numbers, separated by a comma and a space.
   */
  number: string | null;
  /** Why there is no number, or what has become of a cancellation, in words; else null. */
  reason: string | null;
}

/** The business of the key, its limits, and the key. */
export interface Profile {
  /**
   * The book of the key: `live`, or `test`, in which nothing counts and nothing is sent. The books share the
   * profile of the business and nothing else.
   */
  mode: 'live' | 'test';
  business: {
    id: string;
    name: string;
    /**
     * `osek_murshe` licensed dealer, `hevra_baam` company, `osek_patur` exempt dealer, `amuta` NPO,
     * `public_institution`. The last three issue no tax invoices (VAT law, section 50).
     */
    legal_type: string;
    /** The Hebrew label of `legal_type`. */
    legal_type_he: string;
    /** Nine digits; null while the profile lacks it. */
    tax_id: string | null;
    /** Percent, for example 18; 0 for exempt dealers and in Eilat. */
    vat_rate: number;
    /** The default of the request field of the same name. */
    prices_include_vat: boolean;
  };
  /** What this business may issue. */
  allowed_document_types: DocumentType[];
  /** Whether allocation numbers are asked for automatically. */
  tax_authority_connected: boolean;
  /** ILS before VAT. A document whose net is above it needs an allocation number. */
  allocation_threshold_net: number;
  auto_send: {
    /** Whether documents are sent to customers without being asked. */
    enabled: boolean;
    channel: 'email' | 'whatsapp' | 'both';
    /** HH:MM-HH:MM in Asia/Jerusalem, the start inside and the end outside; may pass midnight. Null: none. */
    quiet_hours: string | null;
  };
  limits: {
    /** Requests per minute of this key. */
    per_minute: number;
    /** Documents per day (Asia/Jerusalem) of this key. */
    daily_documents: number;
    /** Documents that this key has issued today. */
    used_today: number;
  };
  key: {
    /** The label of the key that calls. */
    name: string;
    /** The leading characters of the key, to distinguish keys. */
    prefix: string;
    scopes: ('documents:write' | 'documents:read' | 'customers:read')[];
    created_at: string;
  };
}

export interface DocumentTypeEntry {
  type: DocumentType;
  /** In English. */
  name: string;
  /** In Hebrew. */
  name_he: string;
  /** `false`: payments are refused. */
  requires_payments: boolean;
  allows_discount: boolean;
  /** What a document of this type may be based on. */
  based_on_types: DocumentType[];
  based_on_required: boolean;
}

export interface Customer {
  id: string;
  name: string;
  /** Nine digits. */
  tax_id: string | null;
  legal_type: CustomerLegalType | null;
  email: string | null;
  phone: string | null;
  city: string | null;
}

export interface CustomerList {
  data: Customer[];
}

/** The outcome of requesting an allocation number. */
export interface EventAllocation {
  /**
   * `failed`: there is no number yet, or none for good; where another attempt follows, another event follows
   * as well.
   */
  status: 'issued' | 'refused' | 'failed';
  /** The number as printed: 9 digits. */
  number: string | null;
  /** Why there is no number, in words; null only for `issued`. */
  reason: string | null;
}

/** A message to the customer or the accountant. */
export interface EventDelivery {
  channel: 'email' | 'whatsapp';
  /** Who receives the message. */
  purpose: 'customer' | 'accountant';
  /** The address, masked: enough to recognize it. */
  recipient: string;
  /** How often it was attempted. */
  attempt: number;
  /** Why it was given up; null where it was sent. */
  reason: string | null;
}

/** The connection of the business to the tax authority. */
export interface EventConnection {
  /** By when the owner has to log in again; null where it has ended. */
  valid_until: string | null;
}

/** A document was issued, by the API or in the console. */
export interface DocumentIssuedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'document.issued';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
  };
}

/** A document was cancelled. */
export interface DocumentCancelledEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'document.cancelled';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
  };
}

/** A document was closed by another document that is based on it. */
export interface DocumentClosedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'document.closed';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    /** The id of the document that closed it. */
    closed_by: string;
  };
}

/** A document has its allocation number. */
export interface AllocationIssuedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'allocation.issued';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    allocation: EventAllocation;
  };
}

/** The tax authority refused an allocation number. */
export interface AllocationRefusedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'allocation.refused';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    allocation: EventAllocation;
  };
}

/** An allocation number could not be obtained, for now or for good. */
export interface AllocationFailedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'allocation.failed';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    allocation: EventAllocation;
  };
}

/** A donation was reported to the tax authority, and has its number. */
export interface DonationReportedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'donation.reported';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    donation: Donation;
  };
}

/** The tax authority refused the report of a donation. */
export interface DonationRefusedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'donation.refused';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    donation: Donation;
  };
}

/** A donation could not be reported: a person has to correct why. */
export interface DonationFailedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'donation.failed';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    donation: Donation;
  };
}

/** A message left. */
export interface DeliverySentEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'delivery.sent';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    delivery: EventDelivery;
  };
}

/** A message was given up for good. */
export interface DeliveryFailedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'delivery.failed';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    delivery: EventDelivery;
  };
}

/** A reminder of open documents left; `document` is the oldest of them. */
export interface ReminderSentEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'reminder.sent';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    delivery: EventDelivery;
  };
}

/** A reminder of open documents was given up for good. */
export interface ReminderFailedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'reminder.failed';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    /** The document as a list showed it when the event was stored. */
    document: CreatedDocument;
    delivery: EventDelivery;
  };
}

/** The owner has to log in at the tax authority within 15 days. */
export interface AuthorityExpiringEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'authority.expiring';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    connection: EventConnection;
  };
}

/** The connection to the tax authority has ended. */
export interface AuthorityDisconnectedEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'authority.disconnected';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: {
    connection: EventConnection;
  };
}

/** The owner sends a test to an endpoint. */
export interface EndpointTestEvent {
  /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
  id: string;
  type: 'endpoint.test';
  /** When it happened, in UTC. */
  timestamp: string;
  /** The book that it belongs to. */
  mode: 'live' | 'test';
  /** The business, as `GET /me` names it. */
  business_id: string;
  data: Record<string, unknown>;
}

/**
 * Something that happened, as a webhook sends it and as the list has it. It is never changed. Ignore members
 * and types that you do not know.
 */
export type PinkasEvent =
  | DocumentIssuedEvent
  | DocumentCancelledEvent
  | DocumentClosedEvent
  | AllocationIssuedEvent
  | AllocationRefusedEvent
  | AllocationFailedEvent
  | DonationReportedEvent
  | DonationRefusedEvent
  | DonationFailedEvent
  | DeliverySentEvent
  | DeliveryFailedEvent
  | ReminderSentEvent
  | ReminderFailedEvent
  | AuthorityExpiringEvent
  | AuthorityDisconnectedEvent
  | EndpointTestEvent;

export interface EventPage {
  data: PinkasEvent[];
  /**
   * Where to go on: the `cursor` of the next page, or, where this is the last one, of the next time. Never
   * null.
   */
  next_cursor: string;
}

/** A request of this key, as it was answered. */
export interface LoggedRequest {
  /** Its `X-Request-Id`. */
  request_id: string;
  /** When it arrived, in UTC. */
  timestamp: string;
  method: string;
  /** The route below the base address, such as `/documents/:id`; null: there is none of that path. */
  route: string | null;
  /** The HTTP status of the answer. */
  status: number;
  /** The code of the error; null: there was none. */
  code: string | null;
  /**
   * Its `Idempotency-Key`, where the route takes one; masked as texts of a body are, with a mark that tells
   * it from others.
   */
  idempotency_key: string | null;
  /** `true`: the answer had `Idempotent-Replayed`. */
  replayed: boolean;
  /** The document that was issued, or returned again. */
  document_id: string | null;
  /** Milliseconds until the answer was ready. */
  duration_ms: number;
  /** What was wrong where, of a `validation_error`: the first 20. */
  errors: {
    /** Where it is, as in the answer: a JSON Pointer into the body, for example. */
    path: string;
    /** What is wrong there, in English. */
    message: string;
    /** The same in Hebrew. */
    message_he: string;
  }[];
  /** The other members of `error.details` of a request that was refused. Absent: there were none. */
  details?: {
    /** The customer whose card has the tax id. */
    existing_customer_id?: string;
    /** ILS: the computed total, to which the payments must sum. */
    total?: number;
    /** What a document of this type may be based on. */
    allowed_source_types?: DocumentType[];
    /** ILS: what the document would come to. */
    computed_total?: number;
    /** The date of the last document of this type. */
    last_document_date?: string;
  };
  /**
   * Of a request that was refused (4xx): its JSON body, as far as it is kept. Texts and numbers that may be
   * personal are `***`, and what looks like a key, a secret or a token was never stored. Absent: there was
   * none, or it was not JSON.
   */
  body?: Record<string, unknown>;
  /** `true`: `body` lacks parts of what was sent. */
  body_truncated: boolean;
}

export interface ErrorCatalogueEntry {
  code: string;
  http_status: number;
  /** Whether the same request with the same Idempotency-Key may be sent again. */
  retryable: boolean;
  /** In English. */
  message: string;
  /** In Hebrew. */
  message_he: string;
  /** What to do about it. */
  hint: string | null;
  /** A page about this code. */
  doc_url: string;
  /** The members of `error.details` that the code carries. */
  details: string[];
}

/** Every answer outside 2xx is this object. */
export interface ErrorBody {
  error: {
    /**
     * Stable: safe to branch on. `GET /errors` lists all codes. Treat a code that you do not know by its HTTP
     * status and `retryable`.
     */
    code: string;
    /** What is wrong, in English, for people. */
    message: string;
    /** The same in Hebrew, right to left. */
    message_he: string;
    /** What to do about it; absent where there is nothing. */
    hint?: string;
    /**
     * `true`: the same request with the same Idempotency-Key may be sent again, with growing waits between
     * attempts.
     */
    retryable: boolean;
    /** A page about this code. */
    doc_url: string;
    /** Facts about the refusal; which members there are depends on the code. */
    details?: {
      /** Where the subscription is renewed. */
      payment_url?: string;
      /** Every error that was found, up to 1000. */
      errors?: {
        /**
         * A JSON Pointer into the body, for example `/items/0/quantity`; `/query/<name>` for a query
         * parameter, `/headers/<name>` for a header.
         */
        path: string;
        /** What is wrong there, in English. */
        message: string;
        /** The same in Hebrew. */
        message_he: string;
      }[];
      /** The customer whose card has the tax id. */
      existing_customer_id?: string;
      /** ILS: the computed total, to which the payments must sum. */
      total?: number;
      /** What a document of this type may be based on. */
      allowed_source_types?: DocumentType[];
      /** ILS: what the document would come to. */
      computed_total?: number;
      /** The date of the last document of this type. */
      last_document_date?: string;
    };
  };
  /** Also the X-Request-Id header of the response. Quote it when you ask for help. */
  request_id: string;
}

export interface DocumentQuery {
  /** Only documents of this type. */
  type?: DocumentType;
  /** Only documents of this date or later. */
  from?: string;
  /** Only documents of this date or earlier. */
  to?: string;
  /** Only documents with exactly this caller's reference. */
  external_ref?: string;
  /** Whether cancelled documents are listed as well. */
  include_cancelled?: boolean;
  /** Documents in one page. */
  limit?: number;
  /** `next_cursor` of the page before; the other parameters stay as they were. */
  cursor?: string;
}

export interface EventQuery {
  /** Only events of these types; the parameter may be repeated. */
  type?: readonly EventType[];
  /** Only events of this document. */
  document_id?: string;
  /** Events in one page. */
  limit?: number;
  /** `next_cursor` of a page; the other parameters stay as they were. Absent: from the first. */
  cursor?: string;
}

export interface CustomerQuery {
  /**
   * What the name contains, whatever the letter case, points of vowels, quotation marks, apostrophes and
   * hyphens it was typed with or without, or the exact tax id, with or without its leading zeros. Absent:
   * every customer.
   */
  q?: string;
  /** Customers at the most. */
  limit?: number;
}

/** What a key may be used for. */
export type Scope = 'documents:write' | 'documents:read' | 'customers:read';

/** Every error code of the HTTP API. */
export type ErrorCode =
  | 'unauthorized'
  | 'key_revoked'
  | 'subscription_required'
  | 'business_archived'
  | 'business_profile_incomplete'
  | 'external_provider_not_supported'
  | 'issuing_blocked_expenses_only'
  | 'insufficient_scope'
  | 'not_found'
  | 'customer_not_found'
  | 'based_on_not_found'
  | 'invalid_json'
  | 'validation_error'
  | 'missing_idempotency_key'
  | 'invalid_customer_tax_id'
  | 'idempotency_key_reused'
  | 'request_in_progress'
  | 'customer_identity_conflict'
  | 'legal_type_forbidden'
  | 'payments_required'
  | 'payments_not_allowed'
  | 'payments_total_mismatch'
  | 'discount_not_allowed'
  | 'based_on_required'
  | 'based_on_type_not_allowed'
  | 'based_on_cancelled'
  | 'total_mismatch'
  | 'future_date'
  | 'date_before_last_document'
  | 'use_credit_note'
  | 'already_cancelled'
  | 'linked_document_closed'
  | 'rate_limited'
  | 'daily_limit_reached'
  | 'payload_too_large'
  | 'document_generation_failed'
  | 'engine_error'
  | 'api_disabled'
  | 'internal_error';

/** What `error.details` holds, by code. */
export interface ErrorDetails {
  subscription_required: {
    /** Where the subscription is renewed. */
    payment_url: string;
  };
  validation_error: {
    /** Every error that was found, up to 1000. */
    errors: {
      /**
       * A JSON Pointer into the body, for example `/items/0/quantity`; `/query/<name>` for a query parameter,
       * `/headers/<name>` for a header.
       */
      path: string;
      /** What is wrong there, in English. */
      message: string;
      /** The same in Hebrew. */
      message_he: string;
    }[];
  };
  customer_identity_conflict: {
    /** The customer whose card has the tax id. */
    existing_customer_id: string;
  };
  payments_total_mismatch: {
    /** ILS: the computed total, to which the payments must sum. */
    total: number;
  };
  based_on_type_not_allowed: {
    /** What a document of this type may be based on. */
    allowed_source_types: DocumentType[];
  };
  total_mismatch: {
    /** ILS: what the document would come to. */
    computed_total: number;
  };
  date_before_last_document: {
    /** The date of the last document of this type. */
    last_document_date: string;
  };
}

/** What `error.details` holds for an error of this code. */
export type ErrorDetailsOf<Code extends ErrorCode> = Code extends keyof ErrorDetails
  ? ErrorDetails[Code]
  : Readonly<Record<string, never>>;
