import type { Business } from '@pinkas/contracts';
import type { Kysely, Selectable } from 'kysely';
import { type BusinessTable, businessColumns, type GatewayTables } from '../db/gateway.tables.js';

/** The settings as columns; nested ones are JSON text. */
function toColumns({
  accent_color,
  logo,
  donation_approval,
  quote_valid_days,
  delivery_notes_without_prices,
  mail_from,
  default_notes,
  payment_instructions,
  payment_terms_from,
  events,
  ...business
}: Omit<Business, 'id' | 'created_at'>) {
  return {
    ...business,
    accent_color: accent_color ?? null,
    logo_sha256: logo?.sha256 ?? null,
    donation_approval: donation_approval ? JSON.stringify(donation_approval) : null,
    quote_valid_days: quote_valid_days ?? null,
    delivery_notes_without_prices: delivery_notes_without_prices ?? false,
    mail_from: mail_from ?? null,
    default_notes: default_notes ?? null,
    payment_instructions: payment_instructions ? JSON.stringify(payment_instructions) : null,
    payment_terms_from: payment_terms_from ?? null,
    events: events ?? false,
    first_numbers: JSON.stringify(business.first_numbers),
    auto_send: JSON.stringify(business.auto_send),
    accountant_copy: JSON.stringify(business.accountant_copy),
    wallet_labels: JSON.stringify(business.wallet_labels),
  };
}

/** A row as a business. */
export function toBusiness(row: Selectable<BusinessTable>): Business {
  return {
    id: row.id,
    name: row.name,
    legal_type: row.legal_type,
    tax_id: row.tax_id,
    address: row.address,
    city: row.city,
    email: row.email,
    phone: row.phone,
    vat_rate: Number(row.vat_rate),
    prices_include_vat: row.prices_include_vat,
    payment_terms_days: row.payment_terms_days,
    first_numbers: row.first_numbers,
    allocation_threshold_net: Number(row.allocation_threshold_net),
    tax_authority_connected: row.tax_authority_connected,
    allocation_hold_minutes: row.allocation_hold_minutes,
    auto_send: row.auto_send,
    accountant_copy: row.accountant_copy,
    wallet_labels: row.wallet_labels,
    language: row.language,
    subscription: row.subscription,
    archived: row.archived,
    provider: row.provider,
    track: row.track,
    ...(row.accent_color !== null && { accent_color: row.accent_color }),
    ...(row.logo_sha256 !== null && { logo: { sha256: row.logo_sha256 } }),
    ...(row.donation_approval !== null && { donation_approval: row.donation_approval }),
    ...(row.quote_valid_days !== null && { quote_valid_days: row.quote_valid_days }),
    ...(row.delivery_notes_without_prices && { delivery_notes_without_prices: true }),
    ...(row.mail_from !== null && { mail_from: row.mail_from }),
    ...(row.default_notes !== null && { default_notes: row.default_notes }),
    ...(row.payment_instructions !== null && { payment_instructions: row.payment_instructions }),
    ...(row.payment_terms_from !== null && { payment_terms_from: row.payment_terms_from }),
    ...(row.events && { events: true }),
    created_at: row.created_at.toISOString(),
  };
}

/** Stores a new business. */
export async function insertBusiness(db: Kysely<GatewayTables>, business: Business): Promise<void> {
  const { created_at, ...settings } = business;
  const createdAt = new Date(created_at);
  await db
    .insertInto('business')
    .values({ ...toColumns(settings), id: business.id, created_at: createdAt, updated_at: createdAt })
    .execute();
}

/** Stores the settings of a business that exists. */
export async function updateBusinessSettings(
  db: Kysely<GatewayTables>,
  business: Business,
  updatedAt: Date,
): Promise<void> {
  const { id, created_at: _, ...settings } = business;
  await db
    .updateTable('business')
    .set({ ...toColumns(settings), updated_at: updatedAt })
    .where('id', '=', id)
    .execute();
}

/** @returns the business, or undefined. */
export async function findBusiness(db: Kysely<GatewayTables>, id: string): Promise<Business | undefined> {
  const row = await db.selectFrom('business').select(businessColumns).where('id', '=', id).executeTakeFirst();
  return row && toBusiness(row);
}

/** Like `findBusiness`, and locks the row until the transaction ends. */
export async function lockBusiness(trx: Kysely<GatewayTables>, id: string): Promise<Business | undefined> {
  const row = await trx
    .selectFrom('business')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row && toBusiness(row);
}

/** Businesses in the order of their creation, from the one after `after`. */
export async function listBusinessesAfter(
  db: Kysely<GatewayTables>,
  after: string | undefined,
  limit: number,
): Promise<Business[]> {
  let query = db.selectFrom('business').selectAll().orderBy('created_at').orderBy('id').limit(limit);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('created_at', 'id'),
        '>',
        selectFrom('business as last')
          .select(['last.created_at', 'last.id'])
          .where('last.id', '=', after)
          .$asTuple('created_at', 'id'),
      ),
    );
  }
  return (await query.execute()).map(toBusiness);
}
