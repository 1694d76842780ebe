import { Injectable } from '@nestjs/common';
import {
  type Clock,
  type Counter,
  type Database,
  InjectClock,
  InjectDatabase,
  Metrics,
  ofEveryBusiness,
} from '@pinkas/service-kit';
import { openMessages } from './delivery.repository.js';
import type { DeliveryChannel, DeliveryTables } from './delivery.tables.js';

/** What a try came to; of one that is made again, what went wrong. */
type TryResult = 'sent' | 'failed' | 'withdrawn' | 'accepted' | 'temporary' | 'permanent' | 'unknown';

/** What an operator wants to know of the messages: what tries come to, and what has not left yet. */
@Injectable()
export class DeliveryMetrics {
  readonly #tries: Counter<'channel' | 'outcome'>;

  constructor(metrics: Metrics, @InjectDatabase() db: Database<DeliveryTables>, @InjectClock() clock: Clock) {
    const all = ofEveryBusiness(db);
    this.#tries = metrics.counter(
      'pinkas_delivery_tries_total',
      'What tries to send a message came to: sent, failed, withdrawn, or temporary or unknown, after which it is tried again.',
      ['channel', 'outcome'],
    );
    metrics.gauges(
      'pinkas_deliveries_open',
      'Messages that have not left: due, deferred (quiet hours, or the pause before the next try) or sending.',
      'state',
      async () => {
        const { due, deferred, sending } = await openMessages(all, clock.now());
        return [
          ['due', due],
          ['deferred', deferred],
          ['sending', sending],
        ];
      },
    );
    metrics.gauge(
      'pinkas_deliveries_oldest_due_seconds',
      'For how long the message has been due that has been due longest; 0 where there is none.',
      async () => (await openMessages(all, clock.now())).oldestDueSeconds,
    );
  }

  /** What a try came to was stored. */
  tried(channel: DeliveryChannel, outcome: TryResult): void {
    this.#tries.inc({ channel, outcome });
  }
}
