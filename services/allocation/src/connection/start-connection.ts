import { createHash, randomBytes } from 'node:crypto';
import { type ReplyOf, type RequestOf, startConnection } from '@pinkas/contracts';
import {
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { AuthorityGrants } from '../authority/authority-grants.js';
import { storeRequest } from '../authority/connection.repository.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** How long an owner may take to log in at the authority. */
const requestLifeMs = 10 * 60 * 1_000;

/** The stored hash of a state: reading the database completes no connection. */
export const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

/** Creates the URL at which an owner logs in, with a state that belongs to this request only. */
@Operation(startConnection)
export class StartConnection {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly grants: AuthorityGrants,
  ) {}

  async handle({
    business_id,
    person_id,
    return_url,
    user_id,
    user_name,
  }: RequestOf<typeof startConnection>): Promise<ReplyOf<typeof startConnection>> {
    const state = randomBytes(32).toString('base64url');
    const requestedAt = this.clock.now();
    const expiresAt = new Date(requestedAt.getTime() + requestLifeMs);
    await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        await storeRequest(trx, {
          business_id,
          state_hash: hashOf(state),
          person_id: person_id ?? null,
          return_url: return_url ?? null,
          user_id: user_id ?? null,
          user_name: user_id === undefined ? (user_name ?? null) : null,
          requested_at: requestedAt,
          expires_at: expiresAt,
        });
        await appendAudit(trx, {
          business_id,
          action: 'connection.start',
          subject: business_id,
          actor: actorOf(person_id),
          before: null,
          after: { expires_at: expiresAt.toISOString() },
        });
      });
    return {
      authorize_url: this.grants.authorizeUrl(state),
      requested_at: requestedAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    };
  }
}
