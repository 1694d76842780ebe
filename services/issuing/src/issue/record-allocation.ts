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
    const row = await findById(trx, document.business_id, document.id);
    // A late failure is no event of a document that has a number.
    if (row && (row.allocation_number === null || allocation.number !== null)) {
      await publishDocumentEvent(trx, typeOf(event), row, this.clock.now().toISOString());
    }
  }
}

function typeOf({ allocation, refused }: Settled) {
  if (allocation.status === 'issued') {
    return 'allocation.issued';
  }
  return refused ? 'allocation.refused' : 'allocation.failed';
}
