import { consumers, type donationDue, type EventOf } from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, type Transaction } from '@pinkas/service-kit';
import { insertAllocation } from '../attempt/allocation.repository.js';
import { AllocationWorker } from '../attempt/allocation-worker.js';
import { insertReports } from '../attempt/donation.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** Makes the report of the donation of an issued receipt due. */
@EventHandler(consumers.recordDueDonation)
export class RecordDueDonation {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly worker: AllocationWorker,
  ) {}

  async handle(event: EventOf<typeof donationDue>, trx: Transaction<AllocationTables>): Promise<void> {
    if (await insertAllocation(trx, 'donation', event, this.clock.now())) {
      await insertReports(trx, event.document);
    }
  }

  committed(): void {
    this.worker.trigger();
  }
}
