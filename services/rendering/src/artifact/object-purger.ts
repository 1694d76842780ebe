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
import { ArtifactStore } from '../store/artifact-store.js';
import {
  comparedUntil,
  forgetRemoved,
  removedBefore,
  setObjectsComparedUntil,
  withoutRow,
} from './object.repository.js';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** How many files a tick deletes of those whose rows are gone. */
const removedMax = 200;
const keyForm = /^\d{4}-\d\d-\d\d\/([0-9a-f-]{36})\/([0-9a-f-]{36})\/[0-9a-f]{64}-[0-9a-f]{12}\.pdf$/;

/**
 * Deletes files of the object store that no row names, when no backup of the database can bring a row of them back
 * (`ARTIFACT_STORE_KEEP_DAYS`): those whose rows are gone, and those that never had one, since a rendering failed behind them or a
 * restore has lost it. The keys begin with the day, so that each day is compared once with the rows.
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
    const { lost, compared, isMore } = await this.#compare(all, before);
    if (removed.length + lost > 0) {
      this.logger.info({ removed: removed.length, without_row: lost }, 'objects purged');
    }
    return removed.length === removedMax || isMore ? { done: removed.length + compared } : 'idle';
  }

  /** Compares the next files of days that are over for so long with the rows, and deletes those without one. */
  async #compare(all: Database<RenderingTables>, before: Date): Promise<{ lost: number; compared: number; isMore: boolean }> {
    const listed = await this.store.list(await comparedUntil(all));
    const day = before.toISOString().slice(0, 10);
    const due = listed.filter(({ key }) => key < day);
    // A file of another form is not of here. The time of the store keeps one that a process with a wrong clock has just written.
    const candidates = due.flatMap(({ key, modifiedAt }) => {
      const [, business_id, document_id] = keyForm.exec(key) ?? [];
      return business_id && document_id && modifiedAt < before ? [{ key, business_id, document_id }] : [];
    });
    const lost = await withoutRow(all, candidates);
    for (const key of lost) {
      await this.store.remove(key);
    }
    const last = due.at(-1);
    if (last) {
      await setObjectsComparedUntil(all, last.key);
    }
    return { lost: lost.length, compared: due.length, isMore: due.length > 0 && due.length === listed.length };
  }
}
