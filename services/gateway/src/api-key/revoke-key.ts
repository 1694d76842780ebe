import { type ReplyOf, type RequestOf, revokeKey } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofEveryBusiness,
  Problem,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../business/business.tables.js';
import { markRevoked } from './api-key.repository.js';

/** Ends a key, from the very next request on. */
@Operation(revokeKey)
export class RevokeKey {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof revokeKey>): Promise<ReplyOf<typeof revokeKey>> {
    // The operator names a key, not its business.
    const key = await markRevoked(ofEveryBusiness(this.db), request.key_id, this.clock.now());
    if (!key) throw new Problem('not_found');
    return key;
  }
}
