import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { Poller } from '@pinkas/service-kit/concurrency';
import type { CustomerTables } from './card.tables.js';
import { purgeReservations } from './reservation.repository.js';

/** How long an expired reserved card is retained for a late event. */
const retentionMs = 60 * 60 * 1000;
const everyMs = 5 * 60 * 1000;

/** Deletes the reservations of requests that issued nothing. */
@Injectable()
export class ReservationPurger implements BackgroundTask {
  readonly #poller: Poller;

  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
  ) {
    this.#poller = new Poller({
      name: 'reservation-purger',
      idleMs: everyMs,
      tick: async () => {
        await this.purge();
        return 'idle';
      },
      logger,
    });
  }

  async purge(): Promise<void> {
    const now = this.clock.now();
    await purgeReservations(acrossTenants(this.db), new Date(now.getTime() - retentionMs), now);
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
  }
}
