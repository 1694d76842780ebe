import { Injectable } from '@nestjs/common';
import { getDocument } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Database,
  databaseNow,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  RpcClient,
} from '@pinkas/service-kit';
import { Poller, type TickResult } from '@pinkas/service-kit/concurrency';
import { LogoStore } from '../logo/logo.repository.js';
import { confirm, type DocumentKey, deleteUnconfirmed, unconfirmedBefore } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

const hourMs = 60 * 60 * 1000;
const retentionMs = 24 * hourMs;
const previewMs = hourMs;
const batchMax = 50;

/**
 * Deletes logos that were only looked at, and the PDFs of documents that were never issued: the transaction was rolled back after
 * the rendering. Issuing is called before
 * each deletion, and a document that it has, whose events are late, is confirmed instead.
 */
@Injectable()
export class OrphanPurger implements BackgroundTask {
  readonly #poller: Poller;

  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
    private readonly rpc: RpcClient,
    private readonly logos: LogoStore,
  ) {
    this.#poller = new Poller({
      name: 'orphan-purger',
      idleMs: hourMs,
      tick: () => this.purgeBatch(),
      logger,
    });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
  }

  /** One batch. It throws, and deletes no PDF, when issuing does not answer. */
  async purgeBatch(): Promise<TickResult> {
    const all = acrossTenants(this.db);
    // By the database's clock, which has dated the rows: with the machine's ahead, the PDF of a document that is being issued
    // would look old.
    const now = await databaseNow(all, this.clock);
    const before = new Date(now.getTime() - retentionMs);
    await this.logos.deletePreviews(new Date(now.getTime() - previewMs));
    const keys = await unconfirmedBefore(all, before, batchMax);
    for (const key of keys) {
      const db = forTenant(this.db, key.business_id);
      if (await this.#isIssued(key)) {
        await confirm(db, key);
      } else {
        await deleteUnconfirmed(db, key);
      }
    }
    return keys.length === batchMax ? 'more' : 'idle';
  }

  async #isIssued(key: DocumentKey): Promise<boolean> {
    try {
      await this.rpc.call(getDocument, key);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') {
        return false;
      }
      throw error;
    }
  }
}
