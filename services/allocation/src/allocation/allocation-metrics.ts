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
import { answerClass } from '../authority/answer-class.js';
import type { TryOutcome } from '../authority/tax-authority.js';
import { countConnections } from '../connection/connection.repository.js';
import { expiringBefore } from '../connection/connection-state.js';
import type { AfterTry } from './after-try.js';
import { countGivenUp, pendingAllocations } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';

/** What an operator is alarmed by: tries that bring nothing, numbers that were given up, connections that end. */
@Injectable()
export class AllocationMetrics {
  readonly #tries: Counter<'outcome' | 'answer'>;

  constructor(
    metrics: Metrics,
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() clock: Clock,
  ) {
    const all = ofEveryBusiness(db);
    const connections = () => countConnections(all, clock.now(), expiringBefore(clock.now()));
    this.#tries = metrics.counter(
      'pinkas_allocation_tries_total',
      'Tries for an allocation number, by what they came to (asking: it is tried again) and what the authority said.',
      ['outcome', 'answer'],
    );
    metrics.gauge('pinkas_allocations_pending', 'Documents whose allocation number is being asked for.', () =>
      pendingAllocations(all, clock.now()).then(({ count }) => count),
    );
    metrics.gauge(
      'pinkas_allocations_oldest_pending_seconds',
      'For how long the oldest of them has been without an answer; 0 where there is none.',
      () => pendingAllocations(all, clock.now()).then(({ oldestSeconds }) => oldestSeconds),
    );
    metrics.gauge(
      'pinkas_allocations_given_up',
      'Documents whose allocation number is asked for no more by itself.',
      () => countGivenUp(all),
    );
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

  /** A try was stored. */
  tried({ state }: AfterTry, outcome: TryOutcome): void {
    this.#tries.inc({ outcome: state, answer: answerClass(outcome) });
  }
}
