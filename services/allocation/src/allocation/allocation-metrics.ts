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
import { countConnections } from '../connection/connection.repository.js';
import { expiringBefore } from '../connection/connection-state.js';
import type { AfterTry } from './after-try.js';
import { countGivenUp } from './allocation.repository.js';
import type { AllocationTables } from './allocation.tables.js';

/** What an operator is alarmed by: tries that bring nothing, numbers that were given up, connections that end. */
@Injectable()
export class AllocationMetrics {
  readonly #tries: Counter<'outcome'>;

  constructor(
    metrics: Metrics,
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() clock: Clock,
  ) {
    const all = ofEveryBusiness(db);
    const connections = () => countConnections(all, clock.now(), expiringBefore(clock.now()));
    this.#tries = metrics.counter(
      'pinkas_allocation_tries_total',
      'Tries for an allocation number, by what they came to; asking: it is tried again.',
      ['outcome'],
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
  tried({ state }: AfterTry): void {
    this.#tries.inc({ outcome: state });
  }
}
