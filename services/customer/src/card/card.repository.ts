import { randomUUID } from 'node:crypto';
import { type CustomerDetails, cardDetails } from '@pinkas/contracts';
import { nameKey } from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import { type CardDetails, cardName, changesCard } from './card.js';
import type { CardTable, CustomerTables } from './card.tables.js';

export type CardRow = Omit<Selectable<CardTable>, 'email_key' | 'phone_key'>;

/** All of them, by name, so that the statements are prepared. */
const cardColumns = [
  'business_id',
  'id',
  'name',
  'name_key',
  'tax_id',
  'legal_type',
  'email',
  'phone',
  'address',
  'city',
  'created_at',
  'confirmed_at',
  'claimed_until',
  'removed_details',
] as const satisfies readonly (keyof CardTable)[];

/** A card of the business, by id; also a reserved one, whose id its document may show before the event arrives. */
export async function findCard(
  db: Database<CustomerTables>,
  businessId: string,
  id: string,
): Promise<CardRow | undefined> {
  return db
    .selectFrom('card')
    .select(cardColumns)
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Those of the cards that a document was issued to. */
export async function findConfirmedCards(
  db: Database<CustomerTables>,
  businessId: string,
  ids: readonly string[],
): Promise<CardRow[]> {
  if (ids.length === 0) {
    return [];
  }
  return db
    .selectFrom('card')
    .select(cardColumns)
    .where('business_id', '=', businessId)
    .where('id', 'in', ids)
    .where('confirmed_at', 'is not', null)
    .execute();
}

/** Locks a card until the transaction ends. @returns undefined where it does not exist any more. */
export async function lockCard(
  trx: Transaction<CustomerTables>,
  card: { business_id: string; id: string },
): Promise<CardRow | undefined> {
  return trx
    .selectFrom('card')
    .select(cardColumns)
    .where('business_id', '=', card.business_id)
    .where('id', '=', card.id)
    .forUpdate()
    .executeTakeFirst();
}

/** The details of a card by which a customer is reached. */
export type ContactDetails = Pick<CardRow, 'email' | 'phone' | 'address' | 'city'>;

/** A card as the console shows it. */
export function toDetails(card: CardRow): CustomerDetails {
  const { id, name, tax_id, legal_type, email, phone, address, city, created_at } = card;
  return { id, name, tax_id, legal_type, email, phone, address, city, created_at: created_at.toISOString() };
}

/** Stores contact details of a locked card; null removes one. */
export async function updateContactDetails(
  trx: Transaction<CustomerTables>,
  card: Pick<CardRow, 'business_id' | 'id' | 'removed_details'>,
  changed: Partial<ContactDetails>,
): Promise<void> {
  const removed = Object.entries(changed).flatMap(([name, value]) => (value === null ? [name] : []));
  await trx
    .updateTable('card')
    .set({ ...changed, removed_details: [...new Set([...card.removed_details, ...removed])] })
    .where('business_id', '=', card.business_id)
    .where('id', '=', card.id)
    .execute();
}

/** A customer of the business, by name. */
export async function findCustomerByName(
  db: Database<CustomerTables>,
  businessId: string,
  name: string,
): Promise<CardRow | undefined> {
  return db
    .selectFrom('card')
    .select(cardColumns)
    .where('business_id', '=', businessId)
    .where('name_key', '=', nameKey(name))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
}

/**
 * The card of a name, reserved until then if it is new. Of two callers at the same moment the second waits for the first
 * and gets the same card.
 */
export async function reserveCard(
  trx: Transaction<CustomerTables>,
  card: { businessId: string; name: string; now: Date; until: Date },
): Promise<CardRow> {
  return trx
    .insertInto('card')
    .values({
      business_id: card.businessId,
      id: randomUUID(),
      name: cardName(card.name),
      name_key: nameKey(card.name),
      tax_id: null,
      legal_type: null,
      email: null,
      phone: null,
      address: null,
      city: null,
      created_at: card.now,
      confirmed_at: null,
      claimed_until: card.until,
    })
    .onConflict((conflict) =>
      conflict.columns(['business_id', 'name_key']).doUpdateSet({
        claimed_until: sql`case when card.confirmed_at is null
          then greatest(card.claimed_until, excluded.claimed_until) end`,
      }),
    )
    .returning(cardColumns)
    .executeTakeFirstOrThrow();
}

/** The oldest customer with a tax id, other than the card, whose id is null where there is none yet. */
export async function findOtherByTaxId(
  db: Database<CustomerTables> | Transaction<CustomerTables>,
  card: { business_id: string; id: string | null },
  taxId: string,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('card')
    .select('id')
    .where('business_id', '=', card.business_id)
    .where('tax_id', '=', taxId)
    .$if(card.id !== null, (query) => query.where('id', '!=', card.id))
    .where('confirmed_at', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

/**
 * Confirms a card and fills its empty fields; what a card has is never overwritten.
 * @returns false where another card has the name by now: this one is stored under its id with a number behind the name.
 */
export async function confirmCard(
  trx: Transaction<CustomerTables>,
  card: { business_id: string; id: string; name: string } & CardDetails,
  at: Date,
): Promise<boolean> {
  const key = { business_id: card.business_id, id: card.id };
  const details = {
    tax_id: card.tax_id,
    legal_type: card.legal_type,
    email: card.email,
    phone: card.phone,
    address: card.address,
    city: card.city,
  } satisfies Record<(typeof cardDetails)[number], unknown>;
  const existing = await lockCard(trx, key);
  if (existing) {
    if (!changesCard(existing, details)) {
      return true;
    }
    await trx
      .updateTable('card')
      .set({
        ...Object.fromEntries(cardDetails.map((name) => [name, existing[name] ?? details[name]])),
        confirmed_at: existing.confirmed_at ?? at,
        claimed_until: null,
      })
      .where('business_id', '=', key.business_id)
      .where('id', '=', key.id)
      .execute();
    return true;
  }
  // The reservation was purged because the event came more than an hour late: the card is created again, since its id is in the
  // document for ever.
  const insertAs = async (name: string) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('card')
      .values({
        ...key,
        ...details,
        name: cardName(name),
        name_key: nameKey(name),
        created_at: at,
        confirmed_at: at,
        claimed_until: null,
      })
      .onConflict((conflict) => conflict.columns(['business_id', 'name_key']).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows !== 0n;
  };
  if (await insertAs(card.name)) {
    return true;
  }
  for (let ordinal = 2; !(await insertAs(`${cardName(card.name)} (${ordinal})`)); ordinal += 1) {}
  return false;
}
