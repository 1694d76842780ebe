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
import type { DeliveryTables } from '../db/delivery.tables.js';
import { forgetStatementFiles } from '../send/statement-file.repository.js';

const everyMs = 60 * 60_000;
/** After the end of its message. */
const keptMs = 7 * 24 * 60 * 60_000;
/** Of one statement; each file has some megabytes at most. */
const batchMax = 100;

/** Frees the files of statements whose messages have ended; what was sent is provable by its hash. */
@Injectable()
export class StatementPurger extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {
    super('statement-purger', everyMs, logger);
  }

  override async tick(): Promise<TickResult> {
    const all = acrossTenants(this.db);
    const now = await databaseNow(all, this.clock);
    const done = await forgetStatementFiles(all, new Date(now.getTime() - keptMs), batchMax);
    if (done > 0) {
      this.logger.info({ files: done }, 'statement files freed');
    }
    return done === batchMax ? { done } : 'idle';
  }
}
