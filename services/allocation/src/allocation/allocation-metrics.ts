import { Injectable } from '@nestjs/common';
import { type RequestKind, requestKinds } from '@pinkas/contracts';
import {
  acrossTenants,
  type Clock,
  type Counter,
  type Database,
  InjectClock,
  InjectDatabase,
  Metrics,
} from '@pinkas/service-kit';
import { answerClass } from '../authority/answer-class.js';
import type { AttemptOutcome } from '../authority/attempt-outcome.js';
import { countConnections } from '../connection/connection.repository.js';
import { expiringBefore } from '../connection/connection-state.js';
import { countDeadLettered, pendingAllocations } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';
import type { RetryTransition } from './retry-policy.js';

const gauges: Readonly<Record<RequestKind, Record<'name' | 'pending' | 'oldest' | 'deadLettered', string>>> =
  {
    number: {
      name: 'allocations',
      pending: 'Documents whose allocation number is pending.',
      oldest: 'How long the oldest pending document has waited; 0 where there is none.',
      deadLettered: 'Documents whose allocation number is dead-lettered.',
    },
    donation: {
      name: 'donations',
      pending: 'Donations whose report, or the cancellation of it, is pending.',
      oldest: 'How long the oldest pending donation has waited; 0 where there is none.',
      deadLettered: 'Donations whose report, or the cancellation of it, is dead-lettered.',
    },
  };

/** Metrics of attempts, of pending and dead-lettered documents, and of connections. */
@Injectable()
export class AllocationMetrics {
  readonly #attempts: Readonly<Record<RequestKind, Counter<'outcome' | 'answer'>>>;

  constructor(
    metrics: Metrics,
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() clock: Clock,
  ) {
    const all = acrossTenants(db);
    const connections = () => countConnections(all, clock.now(), expiringBefore(clock.now()));
    this.#attempts = {
      number: metrics.counter(
        'pinkas_allocation_attempts_total',
        'Attempts for an allocation number, by state afterwards (pending: it is repeated) and response class.',
        ['outcome', 'answer'],
      ),
      donation: metrics.counter(
        'pinkas_donation_attempts_total',
        'Attempts to report a donation or to cancel its report, by state afterwards and response class.',
        ['outcome', 'answer'],
      ),
    };
    for (const kind of requestKinds) {
      const { name, pending, oldest, deadLettered } = gauges[kind];
      metrics.gauge(`pinkas_${name}_pending`, pending, async () => {
        return (await pendingAllocations(all, kind, clock.now())).count;
      });
      metrics.gauge(`pinkas_${name}_oldest_pending_seconds`, oldest, async () => {
        return (await pendingAllocations(all, kind, clock.now())).oldestSeconds;
      });
      metrics.gauge(`pinkas_${name}_dead_lettered`, deadLettered, () => countDeadLettered(all, kind));
    }
    metrics.gauge(
      'pinkas_authority_connections_expiring',
      'Businesses whose owner has to log in at the tax authority within 14 days.',
      async () => (await connections()).expiring,
    );
    metrics.gauge(
      'pinkas_authority_connections_ended',
      'Businesses whose connection to the tax authority has ended.',
      async () => (await connections()).ended,
    );
  }

  /** Counts a stored attempt. */
  countAttempt(kind: RequestKind, { state }: RetryTransition, outcome: AttemptOutcome): void {
    this.#attempts[kind].inc({ outcome: state, answer: answerClass(outcome) });
  }
}
