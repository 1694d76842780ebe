import { customerRecorded, documentIssued, type EventOf, normaliseTaxId } from '@pinkas/contracts';
import { announce, Consumer, InjectLogger, type Logger, type Transaction } from '@pinkas/service-kit';
import { confirmCard } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';
import { endReservation } from './reservation.repository.js';
import { ReservationEnds } from './reservation-ends.js';

/** Makes the card of an issued document real, fills what it did not have, and ends what the document had reserved. */
@Consumer(documentIssued, 'customer-cards')
export class RecordCustomer {
  constructor(
    private readonly ends: ReservationEnds,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async handle(
    { document }: EventOf<typeof documentIssued>,
    trx: Transaction<CustomerTables>,
  ): Promise<void> {
    const { customer } = document;
    // Before the card, as a release does it: in another order the two could wait for each other.
    await endReservation(trx, document.business_id, document.id);
    const written = await confirmCard(
      trx,
      {
        ...customer,
        business_id: document.business_id,
        tax_id: customer.tax_id === null ? null : normaliseTaxId(customer.tax_id),
      },
      new Date(document.issued_at),
    );
    if (!written) {
      this.logger.error(
        { document_id: document.id, customer_id: customer.id },
        'the name of a customer belongs to another card by now; the document keeps its snapshot',
      );
    }
    await announce(trx, customerRecorded, document.id, {
      document_id: document.id,
      business_id: document.business_id,
      customer_id: customer.id,
    });
  }

  committed({ document }: EventOf<typeof documentIssued>): void {
    this.ends.announce(document.business_id);
  }
}
