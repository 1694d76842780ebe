import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  JobWorker,
  type Logger,
  Tracing,
} from '@pinkas/service-kit';
import { AuthorityTokens } from '../authority/authority-tokens.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { type ClaimedRow, claimDue, nextDueAllocation } from './allocation.repository.js';
import { AllocationRequester } from './allocation-requester.js';

/** Documents in flight; while the authority hangs, each takes the whole time limit of an attempt. None holds a database connection. */
const inFlightMax = 128;

/** Requests the numbers of due documents. */
@Injectable()
export class AllocationWorker implements BackgroundTask {
  readonly #worker: JobWorker<ClaimedRow>;

  constructor(
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() clock: Clock,
    @InjectLogger() logger: Logger,
    tracing: Tracing,
    private readonly requester: AllocationRequester,
    private readonly tokens: AuthorityTokens,
  ) {
    const all = acrossTenants(db);
    this.#worker = new JobWorker({
      name: 'allocation-worker',
      concurrency: inFlightMax,
      claimMs: requester.claimMs,
      logger,
      tracing,
      nextDue: () => nextDueAllocation(all, clock),
      claim: (limit, now, until) => claimDue(all, limit, now, until),
      run: (row) => requester.request(row),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** Looks for due documents now. */
  trigger(): void {
    this.#worker.trigger();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    await this.requester.whenIdle();
    await this.tokens.whenIdle();
  }
}
