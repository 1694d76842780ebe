import { consumers, type EventOf, type numberRequired } from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, type Transaction } from '@pinkas/service-kit';
import { insertAllocation } from '../attempt/allocation.repository.js';
import { AllocationWorker } from '../attempt/allocation-worker.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** Makes the request for the allocation number of an issued document due. */
@EventHandler(consumers.recordRequiredNumber)
export class RecordRequiredNumber {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly worker: AllocationWorker,
  ) {}

  async handle(event: EventOf<typeof numberRequired>, trx: Transaction<AllocationTables>): Promise<void> {
    await insertAllocation(trx, 'number', event, this.clock.now());
  }

  committed(): void {
    this.worker.trigger();
  }
}
