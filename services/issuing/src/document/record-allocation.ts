import { allocationSettled, type EventOf } from '@pinkas/contracts';
import { Consumer, type Transaction } from '@pinkas/service-kit';
import { recordAllocation } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

/** Writes the allocation number, or why there is none, into the book. */
@Consumer(allocationSettled, 'issuing-record-allocation')
export class RecordAllocation {
  async handle(event: EventOf<typeof allocationSettled>, trx: Transaction<IssuingTables>): Promise<void> {
    await recordAllocation(trx, event.document, event.allocation);
  }
}
