import { Injectable } from '@nestjs/common';
import type { RequestKind } from '@pinkas/contracts';
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
import { countConnections } from '../authority/connection.repository.js';
import { expiringBefore } from '../authority/connection-state.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import {
  countAwaitingOperator,
  countDeadLettered,
  pendingAllocations,
} from './allocation-list.repository.js';
import type { RetryTransition } from './retry-policy.js';

/** Metrics of attempts, of pending and dead-lettered documents, and of connections. */
@Injectable()
export class AllocationMetrics {
  readonly #attempts: Readonly<Record<RequestKind, Counter<'outcome' | 'answer'>>>;

  readonly #secondNumbers: Counter<never>;

  constructor(
    metrics: Metrics,
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() clock: Clock,
  ) {
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
    this.#secondNumbers = metrics.counter(
      'pinkas_allocation_second_numbers_total',
      'Numbers that the authority granted for documents that had another one; the printed one stays.',
      [],
    );
    const all = acrossTenants(db);
    watchRequests(metrics, all, clock);
    watchConnections(metrics, all, clock);
  }

  /** Counts a number that was granted for a document that has another one. */
  countSecondNumber(): void {
    this.#secondNumbers.inc({});
  }

  /** Counts a stored attempt. */
  countAttempt(kind: RequestKind, { state }: RetryTransition, outcome: AttemptOutcome): void {
    this.#attempts[kind].inc({ outcome: state, answer: answerClass(outcome) });
  }
}

/** Gauges of pending and dead-lettered requests. */
function watchRequests(metrics: Metrics, all: Database<AllocationTables>, clock: Clock): void {
  const pending = async (kind: RequestKind) => (await pendingAllocations(all, kind, clock.now())).count;
  const oldest = async (kind: RequestKind) =>
    (await pendingAllocations(all, kind, clock.now())).oldestSeconds;
  metrics.gauge('pinkas_allocations_pending', 'Documents whose allocation number is pending.', () =>
    pending('number'),
  );
  metrics.gauge(
    'pinkas_allocations_oldest_pending_seconds',
    'How long the oldest pending document has waited; 0 where there is none.',
    () => oldest('number'),
  );
  metrics.gauge(
    'pinkas_allocations_dead_lettered',
    'Documents whose allocation number is dead-lettered.',
    () => countDeadLettered(all, 'number'),
  );
  metrics.gauge(
    'pinkas_allocations_awaiting_operator',
    'Documents and donations that wait since the authority does not accept the application, or is at another address.',
    () => countAwaitingOperator(all),
  );
  metrics.gauge(
    'pinkas_donations_pending',
    'Donations whose report, or the cancellation of it, is pending.',
    () => pending('donation'),
  );
  metrics.gauge(
    'pinkas_donations_oldest_pending_seconds',
    'How long the oldest pending donation has waited; 0 where there is none.',
    () => oldest('donation'),
  );
  metrics.gauge(
    'pinkas_donations_dead_lettered',
    'Donations whose report, or the cancellation of it, is dead-lettered.',
    () => countDeadLettered(all, 'donation'),
  );
}

/** Gauges of connections. */
function watchConnections(metrics: Metrics, all: Database<AllocationTables>, clock: Clock): void {
  const connections = () => countConnections(all, clock.now(), expiringBefore(clock.now()));
  metrics.gauge(
    'pinkas_authority_connections_expiring',
    'Businesses whose owner has to log in at the tax authority within 15 days.',
    async () => (await connections()).expiring,
  );
  metrics.gauge(
    'pinkas_authority_connections_ended',
    'Businesses whose connection to the tax authority has ended.',
    async () => (await connections()).ended,
  );
}
