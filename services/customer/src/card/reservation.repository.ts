import { ApiError, advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import type { Insertable } from 'kysely';
import { findOtherByTaxId } from './card.repository.js';
import type { CustomerTables, ReservationTable } from './card.tables.js';

type Trx = Transaction<CustomerTables>;

/**
 * Serializes the requests that decide about a tax id. No unique index can: customers may share one, once the caller has
 * confirmed it.
 */
export async function lockTaxId(trx: Trx, businessId: string, taxId: string): Promise<void> {
  await advisoryLock(trx, 'tax id', businessId.toLowerCase(), taxId);
}

/** Whether a document that is being issued will write the tax id on another card than the one given. */
async function isClaimedForAnother(
  trx: Trx,
  card: { business_id: string; id: string },
  taxId: string,
  now: Date,
): Promise<boolean> {
  const found = await trx
    .selectFrom('reservation')
    .select('document_id')
    .where('business_id', '=', card.business_id)
    .where('tax_id', '=', taxId)
    .where('card_id', '!=', card.id)
    .where('reserved_until', '>', now)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether a document in flight writes the tax id on another card is not known yet. */
export class TaxIdUndecidedError extends Error {
  override readonly name = 'Undecided';
}

/**
 * Checks that no other card has a locked tax id, or may get it.
 * @throws ApiError `customer_identity_conflict`, TaxIdUndecidedError.
 */
export async function checkTaxId(
  trx: Trx,
  card: { business_id: string; id: string },
  taxId: string,
  now: Date,
): Promise<void> {
  // In this order: a document that is recorded between the two queries is seen by the second.
  const claimed = await isClaimedForAnother(trx, card, taxId, now);
  const existing = await findOtherByTaxId(trx, card, taxId);
  if (existing !== undefined) {
    throw new ApiError('customer_identity_conflict', { details: { existing_customer_id: existing } });
  }
  if (claimed) {
    throw new TaxIdUndecidedError('a document in flight will write this tax id on another card');
  }
}

/** Reserves for a document; what the same document had reserved before is replaced. */
export async function reserve(trx: Trx, reservation: Insertable<ReservationTable>): Promise<void> {
  await trx
    .insertInto('reservation')
    .values(reservation)
    .onConflict((conflict) =>
      conflict.columns(['business_id', 'document_id']).doUpdateSet({
        card_id: reservation.card_id,
        tax_id: reservation.tax_id,
        reserved_until: reservation.reserved_until,
      }),
    )
    .execute();
}

/**
 * Ends what a document had reserved.
 * @returns the card that it was about; undefined where it had reserved nothing.
 */
export async function endReservation(
  trx: Trx,
  businessId: string,
  documentId: string,
): Promise<string | undefined> {
  const ended = await trx
    .deleteFrom('reservation')
    .where('business_id', '=', businessId)
    .where('document_id', '=', documentId)
    .returning('card_id')
    .executeTakeFirst();
  return ended?.card_id;
}

/** Deletes a card that is no customer, unless another document holds it. */
export async function deleteUnusedCard(trx: Trx, businessId: string, cardId: string): Promise<void> {
  // A concurrent request locks the row until its reservation is written; the query below runs after that.
  await trx
    .selectFrom('card')
    .select('id')
    .where('business_id', '=', businessId)
    .where('id', '=', cardId)
    .where('confirmed_at', 'is', null)
    .forUpdate()
    .execute();
  await trx
    .deleteFrom('card')
    .where('business_id', '=', businessId)
    .where('id', '=', cardId)
    .where('confirmed_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('reservation')
            .select('document_id')
            .whereRef('reservation.business_id', '=', 'card.business_id')
            .whereRef('reservation.card_id', '=', 'card.id'),
        ),
      ),
    )
    .execute();
}

/** Deletes expired reservations, and reserved cards that never became a customer. */
export async function purgeReservations(
  db: Database<CustomerTables>,
  before: Date,
  now: Date,
): Promise<void> {
  await db.deleteFrom('reservation').where('reserved_until', '<', now).execute();
  await db.deleteFrom('card').where('confirmed_at', 'is', null).where('claimed_until', '<', before).execute();
}
