import { Injectable } from '@nestjs/common';
import {
  type Background,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Loop,
  ofEveryBusiness,
} from '@pinkas/service-kit';
import type { AllocationTables } from '../allocation/allocation.tables.js';
import { markWarnings } from './connection.repository.js';
import { expiringBefore } from './connection-state.js';

/** How often the connections are looked at; they change within days. */
const lookEveryMs = 60_000;

const warnings = {
  expiring: 'the connection to the tax authority ends soon: the owner has to connect it again',
  ended: 'the connection to the tax authority has ended: the owner has to connect it again',
} as const;

/** Says in the log, once, that a connection is about to end, or has ended while nobody used it. */
@Injectable()
export class WatchConnections implements Background {
  readonly #loop: Loop;

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.#loop = new Loop({
      name: 'watch-connections',
      idleMs: lookEveryMs,
      turn: () => this.#look(),
      logger,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Says that time has passed. */
  nudge(): void {
    this.#loop.nudge();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(): Promise<'idle'> {
    const now = this.clock.now();
    for (const { business_id, warned } of await markWarnings(
      ofEveryBusiness(this.db),
      now,
      expiringBefore(now),
    )) {
      if (warned) this.logger.warn({ business_id }, warnings[warned]);
    }
    return 'idle';
  }
}
