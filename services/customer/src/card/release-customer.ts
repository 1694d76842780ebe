import { type ReplyOf, type RequestOf, releaseCustomer } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { CustomerTables } from './card.tables.js';
import { deleteUnusedCard, endReservation } from './reservation.repository.js';
import { ReservationEvents } from './reservation-events.js';

/** Releases the reservation of a document that will not be issued. Idempotent. */
@Operation(releaseCustomer)
export class ReleaseCustomer {
  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    private readonly events: ReservationEvents,
  ) {}

  async handle({
    business_id,
    document_id,
  }: RequestOf<typeof releaseCustomer>): Promise<ReplyOf<typeof releaseCustomer>> {
    await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const cardId = await endReservation(trx, business_id, document_id);
        if (cardId !== undefined) {
          await deleteUnusedCard(trx, business_id, cardId);
        }
      });
    this.events.notify(business_id);
    return {};
  }
}
