import type { Business, DonationApproval } from '@pinkas/contracts';
import type { AuditTables } from '@pinkas/service-kit';
import type { ColumnType } from 'kysely';
import type { ApiKeyTable } from './api-key.tables.js';
import type { KillSwitchTable } from './kill-switch.tables.js';

/** A jsonb column: parsed when read, written as text. */
type Json<T> = ColumnType<T, string, string>;
/** A numeric column: read as text, since it is exact. */
type Numeric = ColumnType<string, number, number>;

type NestedSettings = 'first_numbers' | 'auto_send' | 'accountant_copy' | 'wallet_labels';
type NumericSettings = 'vat_rate' | 'allocation_threshold_net';
type OptionalSettings =
  | 'allocation_hold_minutes'
  | 'accent_color'
  | 'logo'
  | 'donation_approval'
  | 'quote_valid_days'
  | 'delivery_notes_without_prices'
  | 'mail_from'
  | 'default_notes'
  | 'events';

/** One business with its settings. */
export type BusinessTable = Omit<
  Business,
  NestedSettings | NumericSettings | OptionalSettings | 'created_at'
> & {
  [K in NestedSettings]: Json<Business[K]>;
} & { [K in NumericSettings]: Numeric } & {
  allocation_hold_minutes: number;
  accent_color: string | null;
  logo_sha256: string | null;
  donation_approval: ColumnType<DonationApproval | null, string | null, string | null>;
  quote_valid_days: number | null;
  delivery_notes_without_prices: boolean;
  mail_from: string | null;
  default_notes: string | null;
  events: boolean;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
};

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
  'business.created_at',
  'business.updated_at',
] as const satisfies readonly `business.${keyof BusinessTable}`[];

/** The tables of the gateway. */
export interface GatewayTables extends AuditTables {
  business: BusinessTable;
  api_key: ApiKeyTable;
  kill_switch: KillSwitchTable;
}
