import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';
import type { GatewayTables } from '../db/gateway.tables.js';
import { storeKeyUses } from './api-key.repository.js';

const minuteMs = 60_000;
/** How long a use stays in memory; a process that dies forgets as much. */
const storeEveryMs = 2_000;

/** Stores when each key was last used: at most once a minute for a key, all of them in one statement, beside the requests. */
@Injectable()
export class KeyUseRecorder extends PeriodicTask {
  /** The current minute, and the keys whose use in it was noted. */
  #minute = 0;
  #noted = new Set<string>();
  /** What is not stored yet: the minute of the last use, by key. */
  #unstored = new Map<string, number>();

  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {
    super('key-use-recorder', storeEveryMs, logger);
  }

  /** Notes that a key is used now. */
  note(keyId: string): void {
    const minute = Math.floor(this.clock.now().getTime() / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#noted = new Set();
    }
    if (!this.#noted.has(keyId)) {
      this.#noted.add(keyId);
      this.#unstored.set(keyId, minute);
    }
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.tick().catch((error: unknown) => this.logger.warn({ err: error }, 'key uses lost'));
  }

  override async tick(): Promise<undefined> {
    const uses = this.#unstored;
    if (uses.size === 0) {
      return;
    }
    this.#unstored = new Map();
    try {
      await storeKeyUses(
        acrossTenants(this.db),
        [...uses].map(([id, minute]) => ({ id, usedAt: new Date(minute * minuteMs) })),
      );
    } catch (error) {
      // The next tick stores them, with what was noted.
      this.#unstored = new Map([...uses, ...this.#unstored]);
      throw error;
    }
  }
}
