import { completeConnection, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Operation,
  ofBusiness,
  ofEveryBusiness,
  remainingMs,
} from '@pinkas/service-kit';
import type { AllocationTables } from '../allocation/allocation.tables.js';
import { AskAuthority } from '../allocation/ask-authority.js';
import { AuthorityGrants, GrantRefused } from '../authority/authority-grants.js';
import { AuthorityTokens } from '../authority/authority-tokens.js';
import { failRequest, takeRequest } from './connection.repository.js';
import { hashOf } from './start-connection.js';

/** The code lives as long as the redirect; somebody looks at a browser meanwhile. */
const exchangeTimeoutMs = 4_000;
/** Left of the caller's time for storing the tokens and answering. */
const answerReserveMs = 500;

/**
 * Turns the code of an owner into tokens. The state is spent first, in a transaction of its own: whoever comes second with
 * it, or with one that is too old, gets nothing, also when the authority is away.
 */
@Operation(completeConnection)
export class CompleteConnection {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly grants: AuthorityGrants,
    private readonly tokens: AuthorityTokens,
    private readonly worker: AskAuthority,
  ) {}

  async handle(request: RequestOf<typeof completeConnection>): Promise<ReplyOf<typeof completeConnection>> {
    const stateHash = hashOf(request.state);
    const named = request.business_id;
    const visible = named === undefined ? ofEveryBusiness(this.db) : ofBusiness(this.db, named);
    const businessId = await takeRequest(visible, stateHash, this.clock.now());
    if (businessId === undefined) return { outcome: 'stale', business_id: null, reason: null };
    const reason = await this.#connect(businessId, request.code);
    if (reason === null) {
      this.logger.info({ business_id: businessId }, 'the business is connected to the tax authority');
      this.worker.nudge();
      return { outcome: 'connected', business_id: businessId, reason: null };
    }
    await failRequest(ofBusiness(this.db, businessId), stateHash, reason);
    return { outcome: 'failed', business_id: businessId, reason };
  }

  /** @returns why it did not work, or null. */
  async #connect(businessId: string, code: string | null): Promise<string | null> {
    if (code === null) return 'The owner did not agree at the tax authority.';
    const timeoutMs = Math.max(1, remainingMs(exchangeTimeoutMs + answerReserveMs) - answerReserveMs);
    let grant: Awaited<ReturnType<AuthorityGrants['fromCode']>>;
    try {
      grant = await this.grants.fromCode(code, AbortSignal.timeout(Math.ceil(timeoutMs)));
    } catch (error) {
      this.logger.warn(
        { business_id: businessId, err: error },
        'the tax authority gave no tokens for a code',
      );
      return error instanceof GrantRefused
        ? 'The tax authority did not take the code: it was used, or is too old.'
        : 'The tax authority gave no tokens for the code.';
    }
    await ofBusiness(this.db, businessId)
      .transaction()
      .execute((trx) => this.tokens.connected(trx, businessId, grant));
    return null;
  }
}
