import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Counter,
  type Database,
  InjectConfig,
  InjectDatabase,
  Metrics,
} from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { countUnfinished } from './export.repository.js';
import { storedBytes } from './export-chunk.repository.js';
import { gib } from './export-policy.js';

/** Metrics of the exports that people request. */
@Injectable()
export class ExportMetrics {
  readonly #attempts: Counter<'outcome'>;

  constructor(
    metrics: Metrics,
    @InjectDatabase() db: Database<ConsoleTables>,
    @InjectConfig() { exportsMaxGib }: Pick<ConsoleConfig, 'exportsMaxGib'>,
  ) {
    const all = acrossTenants(db);
    this.#attempts = metrics.counter(
      'pinkas_export_attempts_total',
      'Attempts to make an export: done, failed (the export ended without a file), or pending (it is repeated).',
      ['outcome'],
    );
    metrics.gauges('pinkas_exports_pending', 'Exports that are not finished, by state.', 'state', async () =>
      Object.entries(await countUnfinished(all)),
    );
    metrics.gauge('pinkas_exports_stored_bytes', 'Bytes of the files of all exports in the database.', () =>
      storedBytes(all),
    );
    metrics.gauge(
      'pinkas_exports_stored_max_bytes',
      'How many they may be.',
      async () => exportsMaxGib * gib,
    );
  }

  countAttempt(outcome: 'done' | 'failed' | 'pending', count = 1): void {
    this.#attempts.inc({ outcome }, count);
  }
}
