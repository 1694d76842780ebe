import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Counter,
  type Database,
  InjectClock,
  InjectDatabase,
  Metrics,
} from '@pinkas/service-kit';
import type { DeliveryChannel, DeliveryTables } from '../db/delivery.tables.js';
import { pendingMessages } from './claim.repository.js';

/** The state after an attempt; where it is repeated, the outcome. */
type AttemptResult = 'sent' | 'failed' | 'withdrawn' | 'accepted' | 'temporary' | 'permanent' | 'unknown';

/** Metrics of send attempts and of unsent messages. */
@Injectable()
export class DeliveryMetrics {
  readonly #attempts: Counter<'channel' | 'outcome'>;

  constructor(metrics: Metrics, @InjectDatabase() db: Database<DeliveryTables>, @InjectClock() clock: Clock) {
    const all = acrossTenants(db);
    this.#attempts = metrics.counter(
      'pinkas_delivery_attempts_total',
      'Send attempts by outcome: sent, failed, withdrawn, or temporary or unknown, which are repeated.',
      ['channel', 'outcome'],
    );
    metrics.gauges(
      'pinkas_deliveries_pending',
      'Unsent messages: due, deferred (quiet hours, the hold for an allocation number, or the pause before the next attempt) or sending.',
      'state',
      async () => {
        const { due, deferred, sending } = await pendingMessages(all, clock.now());
        return [
          ['due', due],
          ['deferred', deferred],
          ['sending', sending],
        ];
      },
    );
    metrics.gauge(
      'pinkas_deliveries_oldest_due_seconds',
      'How long the oldest due message has been due; 0 where there is none.',
      async () => (await pendingMessages(all, clock.now())).oldestDueSeconds,
    );
  }

  /** Counts a recorded attempt. */
  countAttempt(channel: DeliveryChannel, outcome: AttemptResult): void {
    this.#attempts.inc({ channel, outcome });
  }
}
