import type {
  Business,
  DonationApproval,
  LoggedRequest,
  PaymentInstructions,
  Scope,
} from '@pinkas/contracts';
import type { Mode, PaymentTermsStart } from '@pinkas/domain';
import type { AsGenerated, TrailTables, Typed } from '@pinkas/service-kit';
import type { ColumnType } from 'kysely';
import type { GeneratedTables } from './generated.tables.js';

/** A jsonb column: parsed when read, written as text. */
type Json<T> = ColumnType<T, string, string>;
/** A numeric column: read as text, since it is exact. */
type Numeric = ColumnType<string, number, number>;

/** Settings that are one of some words. */
type WordSettings = 'legal_type' | 'language' | 'subscription' | 'provider' | 'track';
type NestedSettings = 'first_numbers' | 'auto_send' | 'accountant_copy' | 'wallet_labels';
type NumericSettings = 'vat_rate' | 'allocation_threshold_net';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnGatewayTables {
  /** One business with its settings. */
  business: Pick<Business, WordSettings> & { [K in NestedSettings]: Json<Business[K]> } & {
    [K in NumericSettings]: Numeric;
  } & {
    donation_approval: ColumnType<DonationApproval | null, string | null, string | null>;
    payment_instructions: ColumnType<PaymentInstructions | null, string | null, string | null>;
    payment_terms_from: PaymentTermsStart | null;
    events: boolean;
    created_at: ColumnType<Date, Date, never>;
  };
  /**
   * One API key; its value is not stored, only its hash.
   * - `hash`: HMAC-SHA-256 of the key's value under the pepper.
   */
  api_key: {
    /** Which book of the business it leads to. */
    mode: Mode;
    scopes: Scope[];
  };
  /** The one row of the kill switch. */
  kill_switch: {
    only_row: ColumnType<true, never, never>;
  };
  /** One request of a key, as it was answered. */
  request_log: {
    errors: ColumnType<LoggedRequest['errors'] | null, string | null, never>;
    body: ColumnType<Record<string, unknown> | null, string | null, never>;
    details: ColumnType<LoggedRequest['details'] | null, string | null, never>;
  };
  /** How many requests a book had on a day. */
  request_log_day: AsGenerated;
}

/** The tables of the gateway. */
export interface GatewayTables extends TrailTables, Typed<GeneratedTables, OwnGatewayTables> {}

export type BusinessTable = GatewayTables['business'];
export type ApiKeyTable = GatewayTables['api_key'];

/** All columns of `business`, by name, so that the statements are prepared. */
export const businessColumns = [
  'business.id',
  'business.name',
  'business.legal_type',
  'business.tax_id',
  'business.address',
  'business.city',
  'business.email',
  'business.phone',
  'business.vat_rate',
  'business.prices_include_vat',
  'business.payment_terms_days',
  'business.first_numbers',
  'business.allocation_threshold_net',
  'business.tax_authority_connected',
  'business.allocation_hold_minutes',
  'business.auto_send',
  'business.accountant_copy',
  'business.wallet_labels',
  'business.language',
  'business.subscription',
  'business.archived',
  'business.provider',
  'business.track',
  'business.accent_color',
  'business.logo_sha256',
  'business.donation_approval',
  'business.quote_valid_days',
  'business.delivery_notes_without_prices',
  'business.mail_from',
  'business.default_notes',
  'business.events',
  'business.payment_instructions',
  'business.payment_terms_from',
  'business.created_at',
  'business.updated_at',
] as const satisfies readonly `business.${keyof BusinessTable}`[];
