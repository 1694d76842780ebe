import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type BackgroundTask,
  type Database,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { Poller } from '@pinkas/service-kit/concurrency';
import type { GatewayTables } from '../business/business.tables.js';
import { isApiEnabled } from './kill-switch.repository.js';

/** How old the state is at most, for requests that need nothing else of the database. */
const readEveryMs = 1_000;

/** The kill switch as this process last saw it. */
@Injectable()
export class KillSwitch implements BackgroundTask {
  readonly #poller: Poller;
  #apiEnabled = true;
  #observations = 0;

  constructor(@InjectDatabase() db: Database<GatewayTables>, @InjectLogger() logger: Logger) {
    // In the scope in which keys are looked up: a pooled connection changes its scope by a statement more.
    const all = acrossTenants(db);
    this.#poller = new Poller({
      name: 'kill-switch',
      idleMs: readEveryMs,
      tick: async () => {
        const before = this.#observations;
        const apiEnabled = await isApiEnabled(all);
        // Whatever came in between is at least as recent.
        if (before === this.#observations) {
          this.observe(apiEnabled);
        }
        return 'idle';
      },
      logger,
    });
  }

  get apiEnabled(): boolean {
    return this.#apiEnabled;
  }

  /** Takes over what another statement has read or written. */
  observe(apiEnabled: boolean): void {
    this.#observations += 1;
    this.#apiEnabled = apiEnabled;
  }

  start(): void {
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }
}
