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
import type { CustomerTables } from './card.tables.js';
import { purgeReservations } from './reservation.repository.js';

/** How long a reservation that is over is kept, in case the event of its document comes late. */
const keptMs = 60 * 60 * 1000;
const everyMs = 5 * 60 * 1000;

/** Forgets the reservations of requests that never issued anything. */
@Injectable()
export class PurgeReservations implements Background {
  readonly #loop: Loop;

  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
  ) {
    this.#loop = new Loop({
      name: 'reservations',
      idleMs: everyMs,
      turn: async () => {
        await this.purge();
        return 'idle';
      },
      logger,
    });
  }

  async purge(): Promise<void> {
    const now = this.clock.now();
    await purgeReservations(ofEveryBusiness(this.db), new Date(now.getTime() - keptMs), now);
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }
}
