import { type allocationSettled, consumers, type EventOf } from '@pinkas/contracts';
import { EventHandler, type Transaction } from '@pinkas/service-kit';
import { recordAllocation } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';

/** Records the allocation number of a document, or why it has none. */
@EventHandler(consumers.recordAllocation)
export class RecordAllocation {
  async handle(event: EventOf<typeof allocationSettled>, trx: Transaction<IssuingTables>): Promise<void> {
    await recordAllocation(trx, event.document, event.allocation);
  }
}
