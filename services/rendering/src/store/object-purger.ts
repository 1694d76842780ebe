import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  databaseNow,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult } from '@pinkas/service-kit/concurrency';
import type { RenderingConfig } from '../config.js';
import type { RenderingTables } from '../db/artifact.tables.js';
import { ArtifactStore } from './artifact-store.js';
import {
  documentObject,
  forgetListed,
  forgetRemoved,
  listedBefore,
  removedBefore,
  withoutRow,
} from './object.repository.js';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** How many files a tick deletes of those whose rows are gone. */
const removedMax = 200;
/**
 * Deletes files of the object store that no row names, when no backup of the database can bring a row of them back
 * (`ARTIFACT_STORE_KEEP_DAYS`): those whose rows are gone, and of those that never had one, since a rendering failed behind them or a
 * restore has lost it, the ones that `pinkas artifacts lost` has listed for a person so long ago.
 */
@Injectable()
export class ObjectPurger extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: RenderingConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly store: ArtifactStore,
  ) {
    super('object-purger', hourMs, logger);
  }

  /** One batch of each kind. It throws where the store does not answer. */
  override async tick(): Promise<TickResult> {
    if (!this.store.isWritten) {
      return 'idle';
    }
    const all = acrossTenants(this.db);
    const now = await databaseNow(all, this.clock);
    const before = new Date(now.getTime() - this.config.artifactStoreKeepDays * dayMs);
    const removed = await removedBefore(all, before, removedMax);
    for (const key of removed) {
      await this.store.remove(key);
      await forgetRemoved(all, key);
    }
    const listed = await listedBefore(all, before, removedMax);
    const lost = await withoutRow(
      all,
      listed.flatMap((key) => documentObject(key) ?? []),
    );
    for (const key of lost) {
      await this.store.remove(key);
    }
    await forgetListed(all, listed);
    if (removed.length + lost.length > 0) {
      this.logger.info({ removed: removed.length, without_row: lost.length }, 'objects purged');
    }
    const done = removed.length + listed.length;
    return Math.max(removed.length, listed.length) === removedMax ? { done } : 'idle';
  }
}
