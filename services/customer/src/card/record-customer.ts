import { type cardChanged, consumers, customerRecorded, type EventOf } from '@pinkas/contracts';
import { normaliseTaxId } from '@pinkas/domain';
import {
  EventHandler,
  InjectLogger,
  type Logger,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import { confirmCard } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';
import { endReservation } from './reservation.repository.js';
import { ReservationEvents } from './reservation-events.js';

/**
 * Confirms the card of an issued document, fills its empty fields, and ends the document's reservation. A document that found a
 * card with all that it states has reserved nothing, and publishes no event.
 */
@EventHandler(consumers.recordCustomer)
export class RecordCustomer {
  constructor(
    private readonly events: ReservationEvents,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async handle(
    { business_id, document_id, customer, issued_at }: EventOf<typeof cardChanged>,
    trx: OutboxTransaction<CustomerTables>,
  ): Promise<void> {
    // Before the card, as in a release: another order could deadlock.
    await endReservation(trx, business_id, document_id);
    const kept = await confirmCard(
      trx,
      {
        ...customer,
        business_id,
        tax_id: customer.tax_id === null ? null : normaliseTaxId(customer.tax_id),
      },
      new Date(issued_at),
    );
    if (!kept) {
      this.logger.warn({ document_id, customer_id: customer.id }, 'late customer card renamed');
    }
    await publish(trx, customerRecorded, document_id, {
      document_id,
      business_id,
      customer_id: customer.id,
    });
  }

  committed({ business_id }: EventOf<typeof cardChanged>): void {
    this.events.notify(business_id);
  }
}
