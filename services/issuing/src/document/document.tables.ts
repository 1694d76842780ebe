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
import type { DocumentType, PaymentMethod, SettlementState } from '@pinkas/domain';
import type { AsGenerated, MessagingTables, Typed } from '@pinkas/service-kit';
import type { ColumnType, JSONColumnType } from 'kysely';
import type { GeneratedTables } from '../db/generated.tables.js';

/** A jsonb column: read as its value, written as JSON text. */
type Json<T> = ColumnType<T, string, string>;

/** What is recorded of an allocation number. */
type RecordedAllocation = AllocationOutcome & {
  /** Where the authority has refused it. */
  readonly refusal?: RefusedNumber;
};

/** What is set against a document: of the money that its customer has on account, or tax that the customer has withheld. */
export type SetOffKind = 'credit' | 'withheld';

/** The outcomes in the reply to an issue request. */
export interface ReplyOutcomes {
  allocation: AllocationOutcome;
  delivery: DeliveryOutcome;
  /** Of a donation receipt alone. */
  donation?: DonationOutcome;
}

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnIssuingTables {
  /**
   * A document as it was issued, with what became of it.
   * - `key_id`: Who issued it: an API key, or a person of the console; the other is null.
   */
  document: {
    type: DocumentType;
    status: DocumentState['status'];
    business: JSONColumnType<Business>;
    customer: JSONColumnType<CustomerSnapshot>;
    items: Json<Item[]>;
    discount_rule: Json<IssuedDocument['discount']> | null;
    payments: Json<Payment[]>;
    source: Json<IssuedDocument['based_on']> | null;
    foreign_donor: Json<ForeignDonor> | null;
    /** How far it is settled, which a trigger derives; null where it asks for no payment. */
    settlement: ColumnType<SettlementState | null, never, never>;
    allocation: Json<RecordedAllocation> | null;
    delivery: Json<DeliveryOutcome>;
    /** Of a donation receipt; null until the authority has answered. */
    donation: Json<DonationOutcome> | null;
    reply_outcomes: Json<ReplyOutcomes> | null;
    /** Those of the first reply; null where the release that issued it stored none. */
    warnings: Json<PreviewWarning[]> | null;
  };
  /**
   * The numbers of one document type of a business. Locking the row locks the next number.
   * - `last_date`: Null until the first document.
   */
  series: {
    type: DocumentType;
  };
  /** How many documents an API key issued on a day in Israel. */
  daily_count: AsGenerated;
  /** The position of the last document of a business. Locking the row locks the next position. */
  book: AsGenerated;
  /**
   * What the documents of a type, date and VAT rate amount to.
   * - `vat_rate`: Percent.
   * - `documents`: Without the cancelled ones, which no amount includes.
   */
  document_sum: {
    type: DocumentType;
  };
  /**
   * What the documents of a type on the account of a customer amount to in a month.
   * - `month`: Its first day.
   */
  account_sum: {
    type: DocumentType;
  };
  /**
   * What is left to pay of open documents, by account and due date; the sums of each as well, under
   * `ofAllAccounts` and 'infinity'.
   */
  debt_sum: AsGenerated;
  /**
   * What was set against a document: of the money on the account of its customer, or tax that the customer has withheld at source.
   */
  set_off: {
    kind: SetOffKind;
  };
  /** What the documents of a type and date have received by one means of payment. */
  payment_sum: {
    type: DocumentType;
    method: PaymentMethod;
  };
}

/** The tables of the issuing service. */
export interface IssuingTables extends MessagingTables, Typed<GeneratedTables, OwnIssuingTables> {}

export type DocumentTable = IssuingTables['document'];
export type SeriesTable = IssuingTables['series'];
export type DocumentSumTable = IssuingTables['document_sum'];
export type DebtSumTable = IssuingTables['debt_sum'];
