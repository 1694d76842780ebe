import { Injectable } from '@nestjs/common';
import { allocationSettled, timeLimitsMs } from '@pinkas/contracts';
import { nextAttemptAt } from '@pinkas/domain';
import {
  acrossTenants,
  appendTrail,
  type BackgroundTask,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  JobWorker,
  type Logger,
  OutboxRelay,
  publish,
  Tracing,
} from '@pinkas/service-kit';
import { lockAllocation } from '../attempt/allocation.repository.js';
import {
  type ClaimedDecision,
  claimDecision,
  claimDueDecisions,
  type DecisionEnd,
  type DecisionRow,
  decisionsOf,
  nextDueDecision,
  storeDecisionAttempt,
} from '../attempt/decision.repository.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { type DecisionOutcome, decidedElsewhere, RefusalDecisions } from './refusal-decision.js';

const inFlightMax = 4;

/**
 * Sends decisions about refusals until the authority has taken them, or would not, for a day. A decision is stored before it is sent; one
 * whose answer was lost is sent again, and the authority answers that it has it.
 */
@Injectable()
export class DecisionSender implements BackgroundTask {
  readonly #worker: JobWorker<ClaimedDecision>;
  readonly #claimMs: number;

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    @InjectConfig() config: AllocationConfig,
    tracing: Tracing,
    private readonly authority: RefusalDecisions,
    private readonly relay: OutboxRelay,
  ) {
    const all = acrossTenants(db);
    this.#claimMs = config.taxAuthorityTimeoutMs + timeLimitsMs.authorityClaimMargin;
    this.#worker = new JobWorker({
      name: 'decision-sender',
      concurrency: inFlightMax,
      claimMs: this.#claimMs,
      logger,
      tracing,
      nextDue: () => nextDueDecision(all, clock),
      claim: (limit, now, until) => claimDueDecisions(all, limit, now, until),
      run: (row) => this.#send(row),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** Looks for due decisions now. */
  trigger(): void {
    this.#worker.trigger();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  /** Sends the pending decision about a document now, unless an attempt is in flight. */
  async sendNow(key: Pick<DecisionRow, 'business_id' | 'document_id'>): Promise<void> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + this.#claimMs);
    const claimed = await claimDecision(forTenant(this.db, key.business_id), key, now, until);
    if (claimed) {
      await this.#send(claimed);
    }
  }

  /** Never rejects: what could not be stored is sent again when the claim expires. */
  async #send(row: ClaimedDecision): Promise<void> {
    const ids = { business_id: row.business_id, document_id: row.document_id, decision: row.decision };
    try {
      const outcome = await this.#attempt(row);
      if (outcome.kind === 'failed') {
        const fields = { ...ids, attempts: row.attempts, reason: outcome.reason, err: outcome.cause };
        this.logger.warn(fields, 'refusal decision failed');
      }
      await this.#store(row, outcome);
    } catch (error) {
      this.logger.error({ ...ids, err: error }, 'refusal decision store failed');
    }
  }

  async #attempt(row: ClaimedDecision): Promise<DecisionOutcome> {
    const { business_id: businessId, decision, facts } = row;
    if (decision === 'reverse_charge') {
      return { kind: 'rejected', reason: 'Reverse charge is not offered.', answer: '' };
    }
    return this.authority.send(businessId, decision, facts, await this.#isKnown(row));
  }

  /** Whether a decision that the authority has is this one: an attempt before may have arrived, or a person has looked, and chose it again. */
  async #isKnown(row: ClaimedDecision): Promise<boolean> {
    if (row.attempts - 1 > row.unsent) {
      return true;
    }
    const before = await decisionsOf(forTenant(this.db, row.business_id), row);
    return before.some(
      ({ n, decision, reason }) =>
        n === row.n - 1 && decision === row.decision && reason === decidedElsewhere,
    );
  }

  async #store(row: ClaimedDecision, outcome: DecisionOutcome): Promise<void> {
    const now = this.clock.now();
    const end = decisionEnd(row, outcome, now);
    await this.relay.transaction(forTenant(this.db, row.business_id), async (trx) => {
      const current = await lockAllocation(trx, row);
      if (!current || !(await storeDecisionAttempt(trx, row, end, now)) || end.state === 'pending') {
        return;
      }
      const { decision, n } = row;
      await appendTrail(trx, {
        business_id: row.business_id,
        action: 'allocation.decided',
        subject: row.document_id,
        actor: row.actor,
        before: { decision, n, state: 'pending' },
        after: { decision, n, state: end.state, reason: end.reason },
      });
      // A number that came since counts, and so does the outcome of a request that goes on.
      if (end.state === 'taken' && current.state === 'refused') {
        await publish(trx, allocationSettled, row.document_id, {
          ...current.facts,
          allocation: { status: 'failed', number: null, reason: current.reason },
          pending: false,
          refused: true,
          refusal: { decision },
        });
      }
    });
  }
}

/** The stored facts of an attempt. */
function decisionEnd(row: DecisionRow, outcome: DecisionOutcome, now: Date): DecisionEnd {
  const { answer } = outcome;
  switch (outcome.kind) {
    case 'taken':
      return { state: 'taken', reason: null, next_attempt_at: null, answer, isUnsent: false };
    case 'rejected':
      return { state: 'failed', reason: outcome.reason, next_attempt_at: null, answer, isUnsent: false };
    case 'failed': {
      const next = outcome.retryable ? nextAttemptAt(row.attempts, row.decided_at, now) : null;
      const state = next ? 'pending' : 'failed';
      const isUnsent = !outcome.outcomeUnknown;
      return { state, reason: outcome.reason, next_attempt_at: next, answer, isUnsent };
    }
  }
}
