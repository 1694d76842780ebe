import { Controller } from '@nestjs/common';
import { completeConnection, type ReplyOf, type RequestOf, timeLimitsMs } from '@pinkas/contracts';
import {
  acrossTenants,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Operation,
  remainingMs,
} from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { AllocationWorker } from '../attempt/allocation-worker.js';
import { AuthorityGrants, ClientRejectedError, GrantRefusedError } from '../authority/authority-grants.js';
import { AuthorityTokens } from '../authority/authority-tokens.js';
import {
  failRequest,
  findConnection,
  findReturnUrl,
  findTakenRequest,
  hashOfState,
  lockConnectionChanges,
  takeRequest,
} from '../authority/connection.repository.js';
import { connectionFacts } from '../authority/connection-state.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { ThresholdMonitor } from './threshold-monitor.js';

/** The owner waits at a browser for the redirect. */
const exchangeTimeoutMs = timeLimitsMs.authorityCodeExchange;
/** Left of the caller's time for storing the tokens and answering. */
const answerReserveMs = timeLimitsMs.replyReserve;

/**
 * Exchanges an owner's code for tokens. The state is used up first, in a transaction of its own: a second or expired use gets
 * nothing, also when the authority is unreachable.
 */
@Controller()
export class CompleteConnection {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly grants: AuthorityGrants,
    private readonly tokens: AuthorityTokens,
    private readonly worker: AllocationWorker,
    private readonly threshold: ThresholdMonitor,
  ) {}

  @Operation(completeConnection)
  async handle(request: RequestOf<typeof completeConnection>): Promise<ReplyOf<typeof completeConnection>> {
    const stateHash = hashOfState(request.state);
    const named = request.business_id;
    const visible = named === undefined ? acrossTenants(this.db) : forTenant(this.db, named);
    const now = this.clock.now();
    const businessId = await takeRequest(visible, stateHash, request.person_id ?? null, now);
    if (businessId === undefined) {
      const returnUrl = await findReturnUrl(visible, stateHash, now);
      const none = { business_id: null, reason: null };
      return returnUrl === undefined
        ? { outcome: 'stale', ...none }
        : { outcome: 'other_person', ...none, return_url: returnUrl };
    }
    const reason = await this.#connect(businessId, stateHash, request);
    if (reason === 'stale') {
      return { outcome: 'stale', business_id: null, reason: null };
    }
    if (reason === null) {
      this.logger.info({ business_id: businessId }, 'tax authority connected');
      this.worker.trigger();
      // Its documents are decided by the authority's threshold, which is asked with the token of a business.
      this.threshold.trigger();
      return { outcome: 'connected', business_id: businessId, reason: null };
    }
    await failRequest(forTenant(this.db, businessId), stateHash, reason);
    return { outcome: 'failed', business_id: businessId, reason };
  }

  /** @returns why it did not work, or null; `stale`: the request was ended or replaced. */
  async #connect(
    businessId: string,
    stateHash: Buffer,
    { code, person_id: personId }: RequestOf<typeof completeConnection>,
  ): Promise<string | null> {
    if (code === null) {
      return 'The owner did not agree at the tax authority.';
    }
    const timeoutMs = Math.max(1, remainingMs(exchangeTimeoutMs + answerReserveMs) - answerReserveMs);
    let grant: Awaited<ReturnType<AuthorityGrants['fromCode']>>;
    try {
      grant = await this.grants.fromCode(code, timeoutSignal(Math.ceil(timeoutMs)));
    } catch (error) {
      this.logger.warn({ business_id: businessId, err: error }, 'authorization code exchange failed');
      if (error instanceof ClientRejectedError) {
        return 'The tax authority does not accept this application: its operator has to correct the id, the secret or the subscription.';
      }
      return error instanceof GrantRefusedError
        ? 'The tax authority did not take the code: it was used, or is too old.'
        : 'The tax authority gave no tokens for the code.';
    }
    return forTenant(this.db, businessId)
      .transaction()
      .execute(async (trx) => {
        await lockConnectionChanges(trx, businessId);
        const taken = await findTakenRequest(trx, businessId, stateHash);
        if (!taken) {
          return 'stale';
        }
        const before = await findConnection(trx, businessId);
        await this.tokens.storeConnected(trx, businessId, grant, taken);
        await appendTrail(trx, {
          business_id: businessId,
          action: 'connection.complete',
          subject: businessId,
          // What the operator began is completed by the owner who was given the address.
          actor: personId === undefined ? 'owner' : actorOf(personId),
          before: connectionFacts(before),
          after: connectionFacts(await findConnection(trx, businessId)),
        });
        return null;
      });
  }
}
