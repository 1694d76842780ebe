import { allocationSettled, documentIssued, type EventOf } from '@pinkas/contracts';
import { announce, type Clock, Consumer, InjectClock, type Transaction } from '@pinkas/service-kit';
import { insertDecision } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { decideAllocation } from './allocation-decision.js';
import { AskAuthority } from './ask-authority.js';

/** Decides whether an issued document needs an allocation number, and settles it at once where it does not. */
@Consumer(documentIssued, 'allocation-decide')
export class DecideAllocation {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly worker: AskAuthority,
  ) {}

  async handle(
    { document, business }: EventOf<typeof documentIssued>,
    trx: Transaction<AllocationTables>,
  ): Promise<boolean> {
    const decision = decideAllocation(document, business);
    // The same document under another message's id changes nothing.
    if (!(await insertDecision(trx, { document, business }, decision, this.clock.now()))) return false;
    if (decision.ask) return true;
    await announce(trx, allocationSettled, document.id, {
      document,
      business,
      allocation: { status: decision.status, number: null, reason: decision.reason },
    });
    return false;
  }

  committed(_event: unknown, asks: boolean): void {
    if (asks) this.worker.nudge();
  }
}
