import { listConnections, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { listConnectionsAfter } from '../authority/connection.repository.js';
import { connectionOf } from '../authority/connection-state.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** Every connection, page by page. */
@Operation(listConnections)
export class ListConnections {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({
    after,
    limit,
  }: RequestOf<typeof listConnections>): Promise<ReplyOf<typeof listConnections>> {
    const found = await listConnectionsAfter(acrossTenants(this.db), after, limit + 1);
    const page = found.slice(0, limit);
    const now = this.clock.now();
    return {
      connections: page.map((row) => connectionOf(row, now)),
      next_after: found.length > limit ? (page.at(-1)?.business_id ?? null) : null,
    };
  }
}
