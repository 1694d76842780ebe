import { Injectable } from '@nestjs/common';
import { acrossTenants, type Database, InjectDatabase, InjectLogger, type Logger } from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';
import type { GatewayTables } from '../db/gateway.tables.js';
import { isApiEnabled } from './kill-switch.repository.js';

/** How old the state is at most, for requests that need nothing else of the database. */
const readEveryMs = 1_000;

/** The kill switch as this process last saw it. */
@Injectable()
export class KillSwitch extends PeriodicTask {
  readonly #all: Database<GatewayTables>;
  #apiEnabled = true;
  #observations = 0;

  constructor(@InjectDatabase() db: Database<GatewayTables>, @InjectLogger() logger: Logger) {
    super('kill-switch', readEveryMs, logger);
    // In the scope in which keys are looked up: a pooled connection changes its scope by a statement more.
    this.#all = acrossTenants(db);
  }

  override async tick(): Promise<undefined> {
    const before = this.#observations;
    const apiEnabled = await isApiEnabled(this.#all);
    // Whatever came in between is at least as recent.
    if (before === this.#observations) {
      this.observe(apiEnabled);
    }
  }

  get apiEnabled(): boolean {
    return this.#apiEnabled;
  }

  /** Takes over what another statement has read or written. */
  observe(apiEnabled: boolean): void {
    this.#observations += 1;
    this.#apiEnabled = apiEnabled;
  }
}
