import { type ReplyOf, type RequestOf, revokeKey } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../business/business.tables.js';
import { markRevoked } from './api-key.repository.js';

/** Revokes a key, effective with its next request. */
@Operation(revokeKey)
export class RevokeKey {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof revokeKey>): Promise<ReplyOf<typeof revokeKey>> {
    // The operator names a key, not its business.
    const key = await markRevoked(acrossTenants(this.db), request.key_id, this.clock.now());
    if (!key) {
      throw new ApiError('not_found');
    }
    return key;
  }
}
