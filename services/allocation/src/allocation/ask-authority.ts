import { Injectable } from '@nestjs/common';
import {
  type Background,
  type Clock,
  type Database,
  DueWorker,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  ofEveryBusiness,
  Tracing,
} from '@pinkas/service-kit';
import { AuthorityTokens } from '../authority/authority-tokens.js';
import { type ClaimedRow, claimDue } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import { TryAllocation } from './try-allocation.js';

/** How many documents are asked for at once; while the authority hangs each waits for the whole time of a try. */
const inFlightMax = 48;

/** Asks the authority for the documents that are due. */
@Injectable()
export class AskAuthority implements Background {
  readonly #worker: DueWorker<ClaimedRow>;

  constructor(
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() clock: Clock,
    @InjectLogger() logger: Logger,
    tracing: Tracing,
    tries: TryAllocation,
    private readonly tokens: AuthorityTokens,
  ) {
    const all = ofEveryBusiness(db);
    this.#worker = new DueWorker({
      name: 'ask-authority',
      atOnceMax: inFlightMax,
      claimMs: tries.claimMs,
      clock,
      logger,
      tracing,
      claim: (limit, now, until) => claimDue(all, limit, now, until),
      carryOut: (row) => tries.carryOut(row),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** Says that a document may be due. */
  nudge(): void {
    this.#worker.nudge();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    await this.tokens.idle();
  }
}
