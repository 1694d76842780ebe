import { documentIssued, type EventOf, normaliseTaxId } from '@pinkas/contracts';
import { Consumer, InjectLogger, type Logger, type Transaction } from '@pinkas/service-kit';
import { confirmCard } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';

/** Makes the card of an issued document real, and fills what it did not have. */
@Consumer(documentIssued, 'customer-cards')
export class RecordCustomer {
  constructor(@InjectLogger() private readonly logger: Logger) {}

  async handle(
    { document }: EventOf<typeof documentIssued>,
    trx: Transaction<CustomerTables>,
  ): Promise<void> {
    const { customer } = document;
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
  }
}
