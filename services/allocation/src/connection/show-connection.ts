import { type ReplyOf, type RequestOf, showConnection } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { findConnection, findRequest } from '../authority/connection.repository.js';
import { connectionOf } from '../authority/connection-state.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** The connection of one business, and the one that is being made. */
@Operation(showConnection)
export class ShowConnection {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: Pick<AllocationConfig, 'taxAuthorityTransmission'>,
  ) {}

  async handle({
    business_id: id,
  }: RequestOf<typeof showConnection>): Promise<ReplyOf<typeof showConnection>> {
    const db = forTenant(this.db, id);
    // In this order: who sees no request any more sees the connection that it led to.
    const request = await findRequest(db, id);
    const row = await findConnection(db, id);
    return {
      connection: row ? connectionOf(row, this.clock.now()) : null,
      request: request
        ? {
            requested_at: request.requested_at.toISOString(),
            expires_at: request.expires_at.toISOString(),
            state: stateOf(request),
            reason: request.failure,
          }
        : null,
      transmission: this.config.taxAuthorityTransmission === 'on',
    };
  }
}

function stateOf({
  failure,
  used_at,
}: {
  failure: string | null;
  used_at: Date | null;
}): 'failed' | 'used' | 'open' {
  if (failure !== null) {
    return 'failed';
  }
  return used_at !== null ? 'used' : 'open';
}
