import type { PaymentTerms } from '@pinkas/contracts';
import type { CustomerLegalType } from '@pinkas/domain';
import type { AsGenerated, MessagingTables, Typed } from '@pinkas/service-kit';
import type { ColumnType, Generated } from 'kysely';
import type { GeneratedTables } from '../db/generated.tables.js';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnCustomerTables {
  /**
   * A customer of a business.
   * - `name`: As first received, in Unicode NFC and trimmed.
   * - `name_key`: What names are compared by; see `nameKey`.
   * - `claimed_until`: Until when a request in flight may still issue to a reserved card; null once it is
   *   confirmed.
   */
  card: {
    legal_type: CustomerLegalType | null;
    payment_terms: ColumnType<PaymentTerms | null, string | null | undefined, string | null>;
    /** The forms in which contact details are searched; a trigger writes them. */
    email_key: Generated<string | null>;
    phone_key: Generated<string | null>;
  };
  /**
   * What a document in flight reserves.
   * - `reserved_until`: After it the reservation counts no more.
   */
  reservation: AsGenerated;
  /**
   * The positions where a search text may begin in a name; triggers on `card` write them.
   * - `suffix`: At most 32 characters of the folded name.
   */
  card_name_suffix: AsGenerated;
}

/** The tables of the customer service. */
export interface CustomerTables extends MessagingTables, Typed<GeneratedTables, OwnCustomerTables> {}

export type CardTable = CustomerTables['card'];
export type ReservationTable = CustomerTables['reservation'];
