import { Injectable } from '@nestjs/common';
import {
  ApiError,
  type BackgroundTask,
  type Database,
  InjectDatabase,
  InjectLogger,
  type Logger,
  PublishedEvents,
  timelineOf,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';

/** How long a database that lacks documents is refused before it is compared again. */
const compareAgainMs = 5_000;

/** What was found of a timeline of the database; no reason: nothing is missing. */
interface Finding {
  readonly timeline: string;
  readonly reason: string | null;
  readonly atMs: number;
}

/**
 * Compares the database with what was published, at the start and after each failover: one that lost commits has lost documents,
 * and would give their numbers once more (ADR 0046).
 */
@Injectable()
export class HistoryCheck implements BackgroundTask {
  #finding: Finding | undefined;
  #comparing: { timeline: string; finding: Promise<Finding> } | undefined;

  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectLogger() private readonly logger: Logger,
    private readonly published: PublishedEvents,
  ) {}

  start(): void {}

  async stop(): Promise<void> {}

  async ready(): Promise<string | null> {
    try {
      return (await this.#findingOf(this.db, await timelineOf(this.db))).reason;
    } catch {
      // Other checks say that the servers do not answer.
      return null;
    }
  }

  /**
   * @param timeline of the database, read by the transaction where there is one.
   * @throws ApiError `engine_error` where the database lacks what was published, or that cannot be said.
   */
  async requireComplete(db: Database<IssuingTables>, timeline: string): Promise<void> {
    const { reason } = await this.#findingOf(db, timeline).catch((error: unknown) => {
      throw new ApiError('engine_error', { cause: error });
    });
    if (reason !== null) {
      throw new ApiError('engine_error', { cause: new Error(reason) });
    }
  }

  async #findingOf(db: Database<IssuingTables>, timeline: string): Promise<Finding> {
    const known = this.#finding;
    if (
      known?.timeline === timeline &&
      (known.reason === null || performance.now() < known.atMs + compareAgainMs)
    ) {
      return known;
    }
    if (this.#comparing?.timeline !== timeline) {
      const finding = this.#compare(db, timeline).finally(() => {
        this.#comparing = undefined;
      });
      this.#comparing = { timeline, finding };
    }
    return this.#comparing.finding;
  }

  async #compare(db: Database<IssuingTables>, timeline: string): Promise<Finding> {
    const lost = await this.published.findLost(db);
    if (lost) {
      const { id, subject, publishedAt } = lost;
      this.logger.error(
        { event_id: id, subject, published_at: publishedAt, timeline },
        'database lacks published events',
      );
    }
    const reason = lost
      ? `the database lacks events that were published until ${lost.publishedAt.toISOString()}: it has lost documents`
      : null;
    this.#finding = { timeline, reason, atMs: performance.now() };
    return this.#finding;
  }
}
