import { type allocationSettled, consumers, type EventOf } from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, type OutboxTransaction } from '@pinkas/service-kit';
import { findById, recordAllocation } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { publishDocumentEvent } from '../document/document-events.js';

type Settled = EventOf<typeof allocationSettled>;

/** Records the allocation number of a document, or why it has none, and publishes it for callers where the business wants events. */
@EventHandler(consumers.recordAllocation)
export class RecordAllocation {
  constructor(@InjectClock() private readonly clock: Clock) {}

  async handle(event: Settled, trx: OutboxTransaction<IssuingTables>): Promise<void> {
    const { document, business, allocation, refusal } = event;
    await recordAllocation(trx, document, allocation, refusal);
    // A decision about a refusal follows the event of the refusal.
    if (!business.events || (refusal && refusal.decision !== null)) {
      return;
    }
    const type = typeOf(event);
    if (type === null) {
      return;
    }
    const row = await findById(trx, document.business_id, document.id);
    // A late failure is no event of a document that has a number.
    if (row && (row.allocation_number === null || allocation.number !== null)) {
      await publishDocumentEvent(trx, type, row, this.clock.now().toISOString());
    }
  }
}

/** Null where there was no number to obtain: the authority gives the type none. */
function typeOf({ allocation, refused }: Settled) {
  switch (allocation.status) {
    case 'issued':
      return 'allocation.issued';
    case 'failed':
      return refused ? 'allocation.refused' : 'allocation.failed';
    case 'not_required':
    case 'skipped_customer_tax_id_missing':
    case 'skipped_business_tax_id_missing':
      return null;
  }
}
