import { randomUUID } from 'node:crypto';
import {
  type ContactDetail,
  type CustomerDetails,
  customerDetails,
  type PaymentTerms,
} from '@pinkas/contracts';
import { nameKey } from '@pinkas/domain';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import { type CardDetails, cardName, changesCard, detailsOf, noDetails } from './card.js';
import type { CardTable, CustomerTables } from './card.tables.js';

export type CardRow = Omit<Selectable<CardTable>, 'email_key' | 'phone_key' | 'opened_as'>;

/** All of them, by name, so that the statements are prepared. */
const cardColumns = [
  'business_id',
  'id',
  'name',
  'name_key',
  ...customerDetails,
  'created_at',
  'confirmed_at',
  'claimed_until',
  'removed_details',
  'payment_terms',
  'former_name_keys',
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
type ContactDetails = Pick<CardRow, ContactDetail>;

/** A card as the console shows it. */
export function toDetails(card: CardRow): CustomerDetails {
  const { id, name, created_at, payment_terms } = card;
  return {
    id,
    name,
    ...detailsOf((detail) => card[detail]),
    created_at: created_at.toISOString(),
    ...(payment_terms && { payment_terms }),
  };
}

/** The changes that a person makes to a card. */
export type CardChange = Partial<ContactDetails & Pick<CardRow, 'name' | 'payment_terms'>>;

/** Stores what a person has changed of a locked card; null removes a detail. A former name still finds the card. */
export async function updateCard(
  trx: Transaction<CustomerTables>,
  card: CardRow,
  { name, payment_terms, ...changed }: CardChange,
): Promise<void> {
  const removed = Object.entries(changed).flatMap(([detail, value]) => (value === null ? [detail] : []));
  const key = name === undefined ? card.name_key : nameKey(name);
  const former = [...card.former_name_keys, card.name_key].filter((each) => each !== key);
  await trx
    .updateTable('card')
    .set({
      ...changed,
      removed_details: [...new Set([...card.removed_details, ...removed])],
      ...(name !== undefined && { name, name_key: key, former_name_keys: [...new Set(former)] }),
      ...(payment_terms !== undefined && { payment_terms: payment_terms && JSON.stringify(payment_terms) }),
    })
    .where('business_id', '=', card.business_id)
    .where('id', '=', card.id)
    .execute();
}

/** Whether another card has a name. Of two renames to it at once the second waits, and violates the unique constraint. */
export async function hasOther(
  trx: Transaction<CustomerTables>,
  card: { business_id: string; id: string },
  name: string,
): Promise<boolean> {
  const found = await trx
    .selectFrom('card')
    .select('id')
    .where('business_id', '=', card.business_id)
    .where('name_key', '=', nameKey(name))
    .where('id', '!=', card.id)
    .executeTakeFirst();
  return found !== undefined;
}

/** The input with which a person opens a card. */
type NewCard = { name: string; payment_terms: PaymentTerms | null } & CardDetails;

/** The card that a request to open one, now repeated, has made of a reserved one. */
export async function findOpenedAs(
  trx: Transaction<CustomerTables>,
  requested: { business_id: string; id: string },
  name: string,
): Promise<CardRow | undefined> {
  return trx
    .selectFrom('card')
    .select(cardColumns)
    .where('business_id', '=', requested.business_id)
    .where('name_key', '=', nameKey(name))
    .where('opened_as', '=', requested.id)
    .executeTakeFirst();
}

/**
 * Opens a card that no document has.
 * @returns undefined where another customer has the name. A card that a request in flight has reserved under it becomes this one
 *   (`findOpenedAs`).
 */
export async function openCard(
  trx: Transaction<CustomerTables>,
  key: { business_id: string; id: string },
  { name, payment_terms, ...details }: NewCard,
  now: Date,
): Promise<CardRow | undefined> {
  const stored = {
    ...details,
    name,
    payment_terms: payment_terms && JSON.stringify(payment_terms),
    confirmed_at: now,
    claimed_until: null,
  };
  return trx
    .insertInto('card')
    .values({ ...key, ...stored, name_key: nameKey(name), created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['business_id', 'name_key'])
        .doUpdateSet({ ...stored, opened_as: key.id })
        .where('card.confirmed_at', 'is', null),
    )
    .returning(cardColumns)
    .executeTakeFirst();
}

/** A customer of the business, by its name, or by one that it had before. */
export async function findCustomerByName(
  db: Database<CustomerTables>,
  businessId: string,
  name: string,
): Promise<CardRow | undefined> {
  const customers = db
    .selectFrom('card')
    .select(cardColumns)
    .where('business_id', '=', businessId)
    .where('confirmed_at', 'is not', null);
  const key = nameKey(name);
  return (
    (await customers.where('name_key', '=', key).executeTakeFirst()) ??
    // The condition of the index of the few cards that were renamed.
    (await customers
      .where(sql<boolean>`former_name_keys <> '{}'`)
      .where(sql<boolean>`former_name_keys @> array[${key}]`)
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst())
  );
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
      ...noDetails,
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
  const details = detailsOf((detail) => card[detail]);
  const existing = await lockCard(trx, key);
  if (existing) {
    if (!changesCard(existing, details)) {
      return true;
    }
    await trx
      .updateTable('card')
      .set({
        ...detailsOf((detail) => existing[detail] ?? details[detail]),
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
