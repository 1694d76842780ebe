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
import type { DeliveryTables } from '../db/delivery.tables.js';
import { oldestDueSeconds, unlistedSeconds } from './webhook-age.repository.js';

/** Metrics of webhooks and of the list of events. */
@Injectable()
export class WebhookMetrics {
  readonly #attempts: Counter<'outcome'>;

  constructor(metrics: Metrics, @InjectDatabase() db: Database<DeliveryTables>, @InjectClock() clock: Clock) {
    const all = acrossTenants(db);
    this.#attempts = metrics.counter(
      'pinkas_webhook_attempts_total',
      'Attempts on webhooks by outcome: received, pending (another follows) or given_up.',
      ['outcome'],
    );
    metrics.gauge(
      'pinkas_webhooks_oldest_due_seconds',
      'How long the oldest due webhook of an endpoint that does not fail has been due; 0 where there is none.',
      () => oldestDueSeconds(all, clock.now()),
    );
    metrics.gauge(
      'pinkas_events_unlisted_seconds',
      'How long the oldest event has waited in front of the list for one that was committed before it; 0 where there is none.',
      () => unlistedSeconds(all, clock.now()),
    );
  }

  /** Counts a stored attempt. */
  countAttempt(outcome: 'received' | 'pending' | 'given_up'): void {
    this.#attempts.inc({ outcome });
  }
}
