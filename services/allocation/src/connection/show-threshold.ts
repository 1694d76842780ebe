import { type ReplyOf, showAllocationThreshold } from '@pinkas/contracts';
import { acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { AllocationTables } from '../db/allocation.tables.js';
import { latestThreshold } from './threshold.repository.js';

/** The threshold of allocation numbers that the authority has named. */
@Operation(showAllocationThreshold)
export class ShowThreshold {
  constructor(@InjectDatabase() private readonly db: Database<AllocationTables>) {}

  async handle(): Promise<ReplyOf<typeof showAllocationThreshold>> {
    return { answer: await latestThreshold(acrossTenants(this.db)) };
  }
}
