import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  card: {
    business_id: string;
    id: string;
    name: string;
    name_key: string;
    /** Nine digits with leading zeros. */
    tax_id: string | null;
    legal_type: string | null;
    email: string | null;
    phone: string | null;
    address: string | null;
    city: string | null;
    created_at: Date;
    /**
     * Null: the card is only reserved by a request in flight, has nothing but its name, and is no customer
     * yet.
     */
    confirmed_at: Date | null;
    claimed_until: Date | null;
    /** Details that a person has removed, however often documents have filled them since. */
    removed_details: Generated<string[]>;
    /** What addresses are searched by: in lower case. */
    email_key: string | null;
    /** What phone numbers are searched by: digits, without the code of the country and zeros before. */
    phone_key: string | null;
    /** Null: those of the business. */
    payment_terms: unknown;
    /**
     * Folded names that it had before: a request that names one of them finds this card, unless another
     * card has the name now.
     */
    former_name_keys: Generated<string[]>;
    /** The id that the request to open it named, where a document in flight had reserved it; else null. */
    opened_as: string | null;
  };
  card_name_suffix: {
    business_id: string;
    suffix: string;
    card_id: string;
  };
  reservation: {
    business_id: string;
    document_id: string;
    card_id: string;
    /** Nine digits; null: the document writes none on the card. */
    tax_id: string | null;
    reserved_until: Date;
  };
}
