import { consumers, customerRecorded, type documentIssued, type EventOf } from '@pinkas/contracts';
import { normaliseTaxId } from '@pinkas/domain';
import {
  EventHandler,
  InjectLogger,
  type Logger,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import { changesCard, withoutDetails } from './card.js';
import { confirmCard, findCard } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';
import { endReservation } from './reservation.repository.js';
import { ReservationEvents } from './reservation-events.js';

/**
 * Confirms the card of an issued document, fills its empty fields, and ends the document's reservation. A document that found a
 * card with all it knows has reserved nothing, and nobody waits for it: it costs one read.
 */
@EventHandler(consumers.recordCustomer)
export class RecordCustomer {
  constructor(
    private readonly events: ReservationEvents,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async handle(
    { document, customer_changes: changes }: EventOf<typeof documentIssued>,
    trx: OutboxTransaction<CustomerTables>,
  ): Promise<void> {
    const { customer } = document;
    if (!changes) {
      const card = await findCard(trx, document.business_id, customer.id);
      // What a person has removed since was on the card when the document was resolved: it must not come back.
      const news = card && withoutDetails(customer, card.removed_details);
      if (card && news && !changesCard(card, news)) {
        return;
      }
    }
    // Before the card, as in a release: another order could deadlock.
    await endReservation(trx, document.business_id, document.id);
    const kept = await confirmCard(
      trx,
      {
        ...customer,
        business_id: document.business_id,
        tax_id: customer.tax_id === null ? null : normaliseTaxId(customer.tax_id),
      },
      new Date(document.issued_at),
    );
    if (!kept) {
      this.logger.warn({ document_id: document.id, customer_id: customer.id }, 'late customer card renamed');
    }
    await publish(trx, customerRecorded, document.id, {
      document_id: document.id,
      business_id: document.business_id,
      customer_id: customer.id,
    });
  }

  committed({ document }: EventOf<typeof documentIssued>): void {
    this.events.notify(document.business_id);
  }
}
