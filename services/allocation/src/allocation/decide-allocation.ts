import { allocationSettled, consumers, type documentIssued, type EventOf } from '@pinkas/contracts';
import { decideAllocation } from '@pinkas/domain';
import { type Clock, EventHandler, InjectClock, type OutboxTransaction, publish } from '@pinkas/service-kit';
import { insertDecision } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { AllocationWorker } from './allocation-worker.js';

/** Decides whether an issued document needs an allocation number, and settles it at once where it does not. */
@EventHandler(consumers.decideAllocation)
export class DecideAllocation {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly worker: AllocationWorker,
  ) {}

  async handle(
    { document, business, artifact_sha256 }: EventOf<typeof documentIssued>,
    trx: OutboxTransaction<AllocationTables>,
  ): Promise<boolean> {
    const decision = decideAllocation(document, business);
    // The same document under another message's id changes nothing.
    const facts = { document, business, artifact_sha256 };
    if (!(await insertDecision(trx, facts, decision, this.clock.now()))) {
      return false;
    }
    if (decision.required) {
      return true;
    }
    await publish(trx, allocationSettled, document.id, {
      ...facts,
      allocation: { status: decision.status, number: null, reason: decision.reason },
      pending: false,
    });
    return false;
  }

  committed(_event: unknown, requestsNumber: boolean): void {
    if (requestsNumber) {
      this.worker.trigger();
    }
  }
}
