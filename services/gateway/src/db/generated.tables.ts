import type { Generated } from 'kysely';

/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {
  api_key: {
    business_id: string;
    id: string;
    name: string;
    prefix: string;
    hash: Buffer;
    scopes: string[];
    per_minute: number;
    daily_documents: number;
    created_at: Date;
    revoked_at: Date | null;
    mode: Generated<string>;
    /** To the minute; null: it never was. */
    last_used_at: Date | null;
  };
  business: {
    id: string;
    name: string;
    legal_type: string | null;
    tax_id: string | null;
    address: string | null;
    city: string | null;
    email: string | null;
    phone: string | null;
    vat_rate: string;
    prices_include_vat: boolean;
    payment_terms_days: number;
    first_numbers: unknown;
    allocation_threshold_net: string;
    tax_authority_connected: boolean;
    allocation_hold_minutes: number;
    auto_send: unknown;
    accountant_copy: unknown;
    wallet_labels: unknown;
    language: string;
    subscription: string;
    archived: boolean;
    provider: string;
    track: string;
    accent_color: string | null;
    logo_sha256: string | null;
    donation_approval: unknown;
    quote_valid_days: number | null;
    delivery_notes_without_prices: boolean;
    mail_from: string | null;
    created_at: Date;
    updated_at: Date;
    default_notes: string | null;
    events: Generated<boolean>;
    /** Stated on documents that ask for money. Null: not stated. */
    payment_instructions: unknown;
    /** Null: from the date of the document. */
    payment_terms_from: string | null;
  };
  kill_switch: {
    only_row: Generated<boolean>;
    api_enabled: boolean;
    changed_at: Date;
  };
  request_log: {
    /** The id of the book. */
    business_id: string;
    at: Date;
    id: string;
    /** A caller may give several requests the same. */
    request_id: string;
    key_id: string;
    method: string;
    route: string | null;
    status: number;
    code: string | null;
    idempotency_key: string | null;
    replayed: boolean;
    document_id: string | null;
    duration_ms: number;
    errors: unknown;
    /** Of a refused request, without secrets; what is personal is masked when it is read. */
    body: unknown;
    body_truncated: boolean;
    /**
     * The members of error.details of a refused request, without the errors of a validation_error, which
     * have a column.
     */
    details: unknown;
  };
  request_log_day: {
    business_id: string;
    day: string;
    requests: number;
    bodies: number;
  };
}
