import { type ReplyOf, type RequestOf, releaseCustomer } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness } from '@pinkas/service-kit';
import type { CustomerTables } from './card.tables.js';
import { endReservation, forgetReservedCard } from './reservation.repository.js';
import { ReservationEnds } from './reservation-ends.js';

/** Gives back what was reserved for a document that will not be issued; may be asked again, and for any document. */
@Operation(releaseCustomer)
export class ReleaseCustomer {
  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    private readonly ends: ReservationEnds,
  ) {}

  async handle({
    business_id,
    document_id,
  }: RequestOf<typeof releaseCustomer>): Promise<ReplyOf<typeof releaseCustomer>> {
    await ofBusiness(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const cardId = await endReservation(trx, business_id, document_id);
        if (cardId !== undefined) await forgetReservedCard(trx, business_id, cardId);
      });
    this.ends.announce(business_id);
    return {};
  }
}
