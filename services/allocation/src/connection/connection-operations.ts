import { randomBytes } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  endConnection,
  listConnections,
  type ReplyOf,
  type RequestOf,
  showAllocationThreshold,
  showConnection,
  startConnection,
} from '@pinkas/contracts';
import {
  acrossTenants,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Operation,
  OutboxRelay,
} from '@pinkas/service-kit';
import { AuthorityGrants } from '../authority/authority-grants.js';
import {
  deleteConnection,
  findConnection,
  findRequest,
  hashOfState,
  listConnectionsAfter,
  lockConnectionChanges,
  storeRequest,
} from '../authority/connection.repository.js';
import { publishConnectionEvent } from '../authority/connection-events.js';
import { connectionFacts, connectionOf } from '../authority/connection-state.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { latestThreshold } from './threshold.repository.js';

/** How long an owner may take to log in at the authority. */
const requestLifeMs = 10 * 60 * 1_000;

/** The connections of businesses to the tax authority, and the threshold that it has named. */
@Controller()
export class ConnectionOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly grants: AuthorityGrants,
    @InjectConfig() private readonly config: Pick<AllocationConfig, 'taxAuthorityTransmission'>,
    @InjectLogger() private readonly logger: Logger,
    private readonly relay: OutboxRelay,
  ) {}

  /** Creates the URL at which an owner logs in, with a state that belongs to this request only. */
  @Operation(startConnection)
  async start({
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
          state_hash: hashOfState(state),
          person_id: person_id ?? null,
          return_url: return_url ?? null,
          user_id: user_id ?? null,
          user_name: user_id === undefined ? (user_name ?? null) : null,
          requested_at: requestedAt,
          expires_at: expiresAt,
        });
        await appendTrail(trx, {
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

  /** The connection of one business, and the one that is being made. */
  @Operation(showConnection)
  async show({ business_id: id }: RequestOf<typeof showConnection>): Promise<ReplyOf<typeof showConnection>> {
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
            state: requestStateOf(request),
            reason: request.failure,
          }
        : null,
      transmission: this.config.taxAuthorityTransmission === 'on',
    };
  }

  /** Every connection, page by page. */
  @Operation(listConnections)
  async list({ after, limit }: RequestOf<typeof listConnections>): Promise<ReplyOf<typeof listConnections>> {
    const found = await listConnectionsAfter(acrossTenants(this.db), after, limit + 1);
    const page = found.slice(0, limit);
    const now = this.clock.now();
    return {
      connections: page.map((row) => connectionOf(row, now)),
      next_after: found.length > limit ? (page.at(-1)?.business_id ?? null) : null,
    };
  }

  /**
   * Deletes the tokens of a business, and the request for a connection that is being made. A renewal in flight holds the row: its
   * tokens are deleted after it. Documents whose number is pending then await the next connection.
   */
  @Operation(endConnection)
  async end({
    business_id,
    person_id,
  }: RequestOf<typeof endConnection>): Promise<ReplyOf<typeof endConnection>> {
    const ended = await this.relay.transaction(forTenant(this.db, business_id), async (trx) => {
      await lockConnectionChanges(trx, business_id);
      const { connection, request } = await deleteConnection(trx, business_id);
      if (connection || request) {
        await appendTrail(trx, {
          business_id,
          action: 'connection.end',
          subject: business_id,
          actor: actorOf(person_id),
          before: connectionFacts(connection),
          after: null,
        });
      }
      if (connection && connection.warning !== 'ended') {
        await publishConnectionEvent(trx, business_id, null, this.clock.now());
      }
      return connection !== undefined;
    });
    if (ended) {
      this.logger.info({ business_id }, 'tax authority connection deleted');
    }
    return { ended };
  }

  /** The threshold of allocation numbers that the authority has named. */
  @Operation(showAllocationThreshold)
  async showThreshold(): Promise<ReplyOf<typeof showAllocationThreshold>> {
    return { answer: await latestThreshold(acrossTenants(this.db)) };
  }
}

function requestStateOf({
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
