import type {
  AllocationOutcome,
  Business,
  CustomerSnapshot,
  DeliveryOutcome,
  DocumentState,
  DocumentType,
  IssuedDocument,
  Item,
  Payment,
} from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import type { ColumnType, JSONColumnType } from 'kysely';

/** Read as text, so that no agora is lost; written as text with two decimals. */
type Amount = string;
/** A jsonb column: read as its value, written as JSON text. */
type Json<T> = ColumnType<T, string, string>;

/** The outcomes that a creation was answered with. */
export interface CreationOutcomes {
  allocation: AllocationOutcome;
  delivery: DeliveryOutcome;
}

export interface DocumentTable {
  business_id: string;
  id: string;
  public_id: string;
  type: DocumentType;
  number: number;
  status: DocumentState['status'];
  dated_on: string;
  due_on: string | null;
  issued_at: Date;
  cancelled_at: Date | null;
  cancel_reason: string | null;
  external_ref: string | null;
  idempotency_key: string;
  body_sha256: Buffer;
  key_id: string;
  business: JSONColumnType<Business>;
  customer_id: string;
  customer: JSONColumnType<CustomerSnapshot>;
  items: Json<Item[]>;
  prices_include_vat: boolean;
  discount_rule: Json<IssuedDocument['discount']> | null;
  payments: Json<Payment[]>;
  subtotal: Amount;
  discount: Amount;
  vat: Amount;
  vat_rate: Amount;
  total: Amount;
  paid: Amount;
  source_id: string | null;
  source: Json<IssuedDocument['based_on']> | null;
  title: string | null;
  notes: string | null;
  send: boolean;
  artifact_sha256: string;
  allocation_number: string | null;
  allocation: Json<AllocationOutcome> | null;
  delivery: Json<DeliveryOutcome> | null;
  creation: Json<CreationOutcomes> | null;
}

/** One sequence of numbers: a type of document of a business. The row is the number's lock. */
export interface SeriesTable {
  business_id: string;
  type: DocumentType;
  next_number: number;
  /** Null until the first document. */
  last_date: string | null;
  last_issued_at: Date | null;
}

/** How many documents a key issued on a day in Israel. */
export interface DailyCountTable {
  business_id: string;
  key_id: string;
  counted_on: string;
  documents: number;
}

export interface IssuingTables extends MessagingTables {
  document: DocumentTable;
  series: SeriesTable;
  daily_count: DailyCountTable;
}
