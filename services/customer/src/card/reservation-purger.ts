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
import type { CustomerTables } from './card.tables.js';
import { purgeReservations } from './reservation.repository.js';

/** How long an expired reserved card is retained for a late event. */
const retentionMs = 60 * 60 * 1000;
const everyMs = 5 * 60 * 1000;

/** Deletes the reservations of requests that issued nothing. */
@Injectable()
export class ReservationPurger extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
  ) {
    super('reservation-purger', everyMs, logger);
  }

  override async tick(): Promise<undefined> {
    const now = this.clock.now();
    await purgeReservations(acrossTenants(this.db), new Date(now.getTime() - retentionMs), now);
  }
}
