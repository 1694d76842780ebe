import { type ReplyOf, type RequestOf, revokeKey } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { lockKey, markRevoked } from './api-key.repository.js';

/** Revokes a key, effective with its next request. */
@Operation(revokeKey)
export class RevokeKey {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof revokeKey>): Promise<ReplyOf<typeof revokeKey>> {
    const { key_id, business_id } = request;
    // The operator names a key, not its business.
    const db = business_id === undefined ? acrossTenants(this.db) : forTenant(this.db, business_id);
    return db.transaction().execute(async (trx) => {
      const before = await lockKey(trx, key_id, business_id);
      if (!before) {
        throw new ApiError('not_found');
      }
      if (before.revoked_at !== null) {
        return before;
      }
      const key = await markRevoked(trx, before, this.clock.now());
      await appendAudit(trx, {
        business_id: key.business_id,
        action: 'key.revoke',
        subject: key.id,
        actor: actorOf(request.person_id),
        before: { revoked_at: null },
        after: { revoked_at: key.revoked_at },
      });
      return key;
    });
  }
}
