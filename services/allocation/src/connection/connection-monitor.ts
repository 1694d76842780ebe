import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  OutboxRelay,
} from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';
import { markWarnings } from '../authority/connection.repository.js';
import { publishConnectionEvent } from '../authority/connection-events.js';
import { expiringBefore } from '../authority/connection-state.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** How often connections are checked; they change within days. */
const checkEveryMs = 60_000;

const warnings = {
  expiring: 'tax authority connection expiring',
  ended: 'tax authority connection ended',
} as const;

/** Logs once that a connection is expiring, or has ended while it was unused. The owner has to connect it again. */
@Injectable()
export class ConnectionMonitor extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly relay: OutboxRelay,
  ) {
    super('connection-monitor', checkEveryMs, logger);
  }

  override async tick(): Promise<undefined> {
    const now = this.clock.now();
    await this.relay.transaction(acrossTenants(this.db), async (trx) => {
      const marked = await markWarnings(trx, now, expiringBefore(now));
      for (const { business_id, warning, refresh_expires_at: until } of marked) {
        if (warning) {
          this.logger.warn({ business_id }, warnings[warning]);
          await publishConnectionEvent(trx, business_id, warning === 'expiring' ? until : null, now);
        }
      }
    });
  }
}
