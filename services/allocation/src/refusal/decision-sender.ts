import { Injectable } from '@nestjs/common';
import { allocationSettled } from '@pinkas/contracts';
import { nextAttemptAt } from '@pinkas/domain';
import {
  again,
  appendTrail,
  type Clock,
  type Database,
  done,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type JobEnd,
  JobKind,
  type JobRun,
  type Logger,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import { findByDocument, lockAllocation } from '../attempt/allocation.repository.js';
import {
  addDecisionJobs,
  type DecisionEnd,
  type DecisionRow,
  decisionJob,
  decisionsOf,
  storeDecisionAttempt,
} from '../attempt/decision.repository.js';
import type { AllocationFacts, AllocationTables } from '../db/allocation.tables.js';
import { type DecisionOutcome, decidedElsewhere, RefusalDecisions } from './refusal-decision.js';

type Trx = OutboxTransaction<AllocationTables>;

/** A decision that is sent, the decision before it, and what is sent of its document. */
interface SentDecision {
  readonly row: DecisionRow;
  readonly before: DecisionRow | undefined;
  readonly facts: AllocationFacts;
  readonly attempts: number;
}

/**
 * Sends decisions about refusals until the authority has taken them, or would not, for a day. A decision is stored before it is sent; one
 * whose answer was lost is sent again, and the authority answers that it has it.
 */
@Injectable()
export class DecisionSender extends JobKind<AllocationTables, Trx> {
  override readonly kind = decisionJob;
  override readonly concurrency = 4;

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly authority: RefusalDecisions,
  ) {
    super();
  }

  override addDue(all: Database<AllocationTables>, now: Date): Promise<void> {
    return addDecisionJobs(all, now);
  }

  override async run({ business_id, id: document_id, attempts }: JobRun): Promise<JobEnd<Trx>> {
    const db = forTenant(this.db, business_id);
    const decisions = await decisionsOf(db, { business_id, document_id });
    const [row, before] = decisions.reverse();
    const allocation = await findByDocument(db, document_id);
    if (row?.state !== 'pending' || !allocation) {
      return done();
    }
    const outcome = await this.#attempt({ row, before, facts: allocation.facts, attempts });
    if (outcome.kind === 'failed') {
      const fields = { business_id, document_id, decision: row.decision, attempts };
      this.logger.warn({ ...fields, reason: outcome.reason, err: outcome.cause }, 'refusal decision failed');
    }
    const now = this.clock.now();
    const end = { ...decisionEnd(row, attempts, outcome, now), attempts };
    const stored = (trx: Trx) => this.#store(trx, row, end, now);
    return end.next_attempt_at ? again(end.next_attempt_at, stored, end.reason) : done(stored);
  }

  #attempt(sent: SentDecision): Promise<DecisionOutcome> | DecisionOutcome {
    const { business_id: businessId, decision } = sent.row;
    if (decision === 'reverse_charge') {
      return { kind: 'rejected', reason: 'Reverse charge is not offered.', answer: '' };
    }
    return this.authority.send(businessId, decision, sent.facts, isKnown(sent));
  }

  async #store(trx: Trx, row: DecisionRow, end: DecisionEnd, now: Date): Promise<void> {
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
  }
}

/** Whether a decision that the authority has is this one: an attempt before may have arrived, or a person has looked, and chose it again. */
const isKnown = ({ row, before, attempts }: SentDecision): boolean =>
  attempts - 1 > row.unsent || (before?.decision === row.decision && before.reason === decidedElsewhere);

/** What is stored of an attempt. */
function decisionEnd(
  row: DecisionRow,
  attempts: number,
  outcome: DecisionOutcome,
  now: Date,
): Omit<DecisionEnd, 'attempts'> {
  const { answer } = outcome;
  switch (outcome.kind) {
    case 'taken':
      return { state: 'taken', reason: null, next_attempt_at: null, answer, isUnsent: false };
    case 'rejected':
      return { state: 'failed', reason: outcome.reason, next_attempt_at: null, answer, isUnsent: false };
    case 'failed': {
      const next = outcome.retryable ? nextAttemptAt(attempts, row.decided_at, now) : null;
      const state = next ? 'pending' : 'failed';
      const isUnsent = !outcome.outcomeUnknown;
      return { state, reason: outcome.reason, next_attempt_at: next, answer, isUnsent };
    }
  }
}
