import { Injectable } from '@nestjs/common';
import {
  ApiError,
  aheadMs,
  type BackgroundTask,
  type Database,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Metrics,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';

/** How far the process's clock may be from the database's. */
const toleranceMs = 2_000;

/**
 * Compares the process's clock with the database's, which all replicas share. A document gets its date from the former, and a
 * wrong date stays: no later document of the series may have an earlier one.
 */
@Injectable()
export class ClockCheck implements BackgroundTask {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectLogger() private readonly logger: Logger,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'pinkas_database_clock_difference_seconds',
      'How far the clock of the process is ahead of the clock of the database; negative where it is behind.',
      async () => (await this.#differenceMs()) / 1_000,
    );
  }

  start(): void {}

  async stop(): Promise<void> {}

  async ready(): Promise<string | null> {
    try {
      return reasonOf(await this.#differenceMs());
    } catch {
      // Another check states that the database does not answer.
      return null;
    }
  }

  /**
   * Runs a query that reads the database's clock as well.
   * @throws ApiError `engine_error` where the clocks differ too much to date a document.
   */
  async compare<T extends { databaseNow: Date }>(query: () => Promise<T>): Promise<T> {
    const { result, differenceMs } = await measure(query);
    const reason = reasonOf(differenceMs);
    if (reason !== null) {
      this.logger.error({ difference_ms: differenceMs }, 'clock differs from the clock of the database');
      throw new ApiError('engine_error', { cause: new Error(reason) });
    }
    return result;
  }

  async #differenceMs(): Promise<number> {
    const { differenceMs } = await measure(async () => {
      const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(this.db);
      return { databaseNow: rows[0]?.now ?? new Date(Number.NaN) };
    });
    return differenceMs;
  }
}

/** A clock that is right reads, before and after the query, two instants between which the database's lies. */
async function measure<T extends { databaseNow: Date }>(
  query: () => Promise<T>,
): Promise<{ result: T; differenceMs: number }> {
  // Not the injected clock: the machine's is the one that may be wrong.
  const beforeMs = Date.now();
  const result = await query();
  const afterMs = Date.now();
  const databaseMs = result.databaseNow.getTime();
  return { result, differenceMs: -aheadMs(databaseMs, beforeMs, afterMs) };
}

function reasonOf(differenceMs: number): string | null {
  return Math.abs(differenceMs) <= toleranceMs
    ? null
    : `the clock differs from the clock of the database by ${Math.round(differenceMs / 1_000)} s`;
}
