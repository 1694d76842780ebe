import type {
  AllocationOutcome,
  Business,
  CustomerSnapshot,
  DeliveryOutcome,
  DocumentState,
  DonationOutcome,
  ForeignDonor,
  IssuedDocument,
  Item,
  Payment,
  PreviewWarning,
  RefusedNumber,
} from '@pinkas/contracts';
import type { DocumentType, PaymentMethod } from '@pinkas/domain';
import type { MessagingTables } from '@pinkas/service-kit';
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

/** A numeric column: read as text, so that no agora is lost; written as text with two decimals. */
type Amount = string;
/** A jsonb column: read as its value, written as JSON text. */
type Json<T> = ColumnType<T, string, string>;

/** What is recorded of an allocation number. */
export type RecordedAllocation = AllocationOutcome & {
  /** Where the authority has refused it. */
  readonly refusal?: RefusedNumber;
};

/** The outcomes in the reply to an issue request. */
export interface ReplyOutcomes {
  allocation: AllocationOutcome;
  delivery: DeliveryOutcome;
  /** Of a donation receipt alone. */
  donation?: DonationOutcome;
}

export interface DocumentTable {
  business_id: string;
  id: string;
  public_id: string;
  type: DocumentType;
  number: number;
  /** The place in the order of commits of the business, in which lists show its documents. */
  position: number;
  status: DocumentState['status'];
  dated_on: string;
  due_on: string | null;
  issued_at: Date;
  cancelled_at: Date | null;
  cancel_reason: string | null;
  external_ref: string | null;
  idempotency_key: string;
  body_sha256: Buffer;
  /** Who issued it: an API key, or a person of the console; the other is null. */
  key_id: string | null;
  person_id: string | null;
  business: JSONColumnType<Business>;
  customer_id: string;
  customer: JSONColumnType<CustomerSnapshot>;
  /** The customer on whose account it is: of a receipt or a credit note the one whose document it settles. */
  account_id: string;
  items: Json<Item[]>;
  prices_include_vat: boolean;
  discount_rule: Json<IssuedDocument['discount']> | null;
  payments: Json<Payment[]>;
  subtotal: Amount;
  discount: Amount;
  vat: Amount;
  vat_rate: Amount;
  total: Amount;
  /** The total again, for indexes. */
  total_agorot: number;
  paid: Amount;
  /** What is left to pay of it, by `settlementOf`; null where it asks for no payment. */
  balance: Amount | null;
  source_id: string | null;
  source: Json<IssuedDocument['based_on']> | null;
  title: string | null;
  notes: string | null;
  send: boolean;
  foreign_donor: Json<ForeignDonor> | null;
  artifact_sha256: string;
  allocation_number: string | null;
  allocation: Json<RecordedAllocation> | null;
  delivery: Json<DeliveryOutcome>;
  /** Of a donation receipt; null until the authority has answered. */
  donation: Json<DonationOutcome> | null;
  reply_outcomes: Json<ReplyOutcomes> | null;
  /** Those of the first reply; null where the release that issued it stored none. */
  warnings: Json<PreviewWarning[]> | null;
  /** Over its facts and the hash of the document before it in its series. */
  hash: Buffer;
}

/** The numbers of one document type of a business. Locking the row locks the next number. */
export interface SeriesTable {
  business_id: string;
  type: DocumentType;
  first_number: number;
  next_number: number;
  /** Null until the first document. */
  last_date: string | null;
  last_issued_at: Date | null;
  /** The hash of the last document; null until the first one. */
  last_hash: Buffer | null;
}

/** How many documents an API key issued on a day in Israel. */
export interface DailyCountTable {
  business_id: string;
  key_id: string;
  counted_on: string;
  documents: number;
}

/** The position of the last document of a business. Locking the row locks the next position. */
export interface BookTable {
  business_id: string;
  last_position: number;
  /** The number of events for callers so far. */
  last_event: Generated<number>;
}

/** What the documents of a type, date and VAT rate amount to. */
export interface DocumentSumTable {
  business_id: string;
  type: DocumentType;
  dated_on: string;
  /** Percent. */
  vat_rate: Amount;
  /** Without the cancelled ones, which no amount includes. */
  documents: number;
  cancelled: number;
  net: Amount;
  vat: Amount;
  total: Amount;
}

/** What the documents of a type on the account of a customer amount to in a month. */
export interface AccountSumTable {
  business_id: string;
  type: DocumentType;
  /** Its first day. */
  month: string;
  account_id: string;
  documents: number;
  net: Amount;
  total: Amount;
}

/** What the documents of a type and date have received by one means of payment. */
export interface PaymentSumTable {
  business_id: string;
  type: DocumentType;
  dated_on: string;
  method: PaymentMethod;
  documents: number;
  payments: number;
  amount: Amount;
}

/** What is left to pay of open documents, by account and due date; the sums of each as well, under `ofAllAccounts` and 'infinity'. */
export interface DebtSumTable {
  business_id: string;
  account_id: string;
  due_on: string;
  documents: number;
  open_agorot: number;
  /** Of an account alone: what it has received beyond what its documents ask for. */
  on_account_agorot: number;
}

export interface IssuingTables extends MessagingTables {
  document: DocumentTable;
  series: SeriesTable;
  daily_count: DailyCountTable;
  book: BookTable;
  document_sum: DocumentSumTable;
  account_sum: AccountSumTable;
  debt_sum: DebtSumTable;
  payment_sum: PaymentSumTable;
}
