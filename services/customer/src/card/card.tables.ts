import type { CustomerLegalType } from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';

export interface CardTable {
  business_id: string;
  id: string;
  /** As it was first said, in Unicode NFC and trimmed. */
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
}

export interface TaxIdClaimTable {
  business_id: string;
  tax_id: string;
  card_id: string;
  claimed_until: Date;
}

/** The tables of the customer service. */
export interface CustomerTables extends MessagingTables {
  card: CardTable;
  tax_id_claim: TaxIdClaimTable;
}
