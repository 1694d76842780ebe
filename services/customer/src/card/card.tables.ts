import type { CustomerLegalType } from '@pinkas/domain';
import type { MessagingTables } from '@pinkas/service-kit';
import type { Generated } from 'kysely';

export interface CardTable {
  business_id: string;
  id: string;
  /** As first received, in Unicode NFC and trimmed. */
  name: string;
  /** What names are compared by; see `nameKey`. */
  name_key: string;
  /** Nine digits. */
  tax_id: string | null;
  legal_type: CustomerLegalType | null;
  email: string | null;
  phone: string | null;
  address: string | null;
  city: string | null;
  created_at: Date;
  /** When the first document was issued to it; null: only reserved. */
  confirmed_at: Date | null;
  /** Until when a request in flight may still issue to a reserved card; null once it is confirmed. */
  claimed_until: Date | null;
  /** Details that a person has removed: documents that were issued before have them. */
  removed_details: Generated<string[]>;
  /** What contact details are searched by; a trigger writes them. */
  email_key: Generated<string | null>;
  phone_key: Generated<string | null>;
}

/** What a document in flight reserves. */
export interface ReservationTable {
  business_id: string;
  document_id: string;
  card_id: string;
  /** Nine digits that the document writes on the card; null: none. */
  tax_id: string | null;
  /** After it the reservation counts no more. */
  reserved_until: Date;
}

/** The positions where a search text may begin in a name; triggers on `card` write them. */
export interface CardNameSuffixTable {
  business_id: string;
  /** At most 32 characters of the folded name. */
  suffix: string;
  card_id: string;
}

/** The tables of the customer service. */
export interface CustomerTables extends MessagingTables {
  card: CardTable;
  reservation: ReservationTable;
  card_name_suffix: CardNameSuffixTable;
}
