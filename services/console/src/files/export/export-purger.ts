import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  databaseNow,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult } from '@pinkas/service-kit/concurrency';
import type { ConsoleTables } from '../../db/console.tables.js';
import { expire } from './export.repository.js';
import { deleteUnusedChunks } from './export-chunk.repository.js';

const everyMs = 5 * 60 * 1_000;

/** Deletes the bytes of exports whose time is over, and what attempts of failed ones have left. */
@Injectable()
export class ExportPurger extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {
    super('export-purger', everyMs, logger);
  }

  /** Expires what is due, and deletes one batch of chunks. */
  override async tick(): Promise<TickResult> {
    const all = acrossTenants(this.db);
    const count = await expire(all, await databaseNow(all, this.clock));
    if (count > 0) {
      this.logger.info({ count }, 'exports expired');
    }
    return (await deleteUnusedChunks(all)) ? { done: 1 } : 'idle';
  }
}
