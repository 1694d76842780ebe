import { Injectable } from '@nestjs/common';
import { getDocument } from '@pinkas/contracts';
import {
  type Background,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Loop,
  ofBusiness,
  ofEveryBusiness,
  Peers,
  Problem,
  type TurnResult,
} from '@pinkas/service-kit';
import { confirm, type DocumentKey, deleteUnconfirmed, unconfirmedBefore } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

const hourMs = 60 * 60 * 1000;
const keptMs = 24 * hourMs;
const batchMax = 50;

/**
 * Deletes the PDFs of documents that were never issued: their numbers were rolled back after the printing. Only issuing
 * knows which those are, so it is asked before each deletion; a document that is in the book, and whose events are merely
 * late, is confirmed instead.
 */
@Injectable()
export class PurgeOrphans implements Background {
  readonly #loop: Loop;

  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
    private readonly peers: Peers,
  ) {
    this.#loop = new Loop({ name: 'purge-orphans', idleMs: hourMs, turn: () => this.turn(), logger });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** One batch; when issuing does not answer, everything stays as it is. */
  async turn(): Promise<TurnResult> {
    const before = new Date(this.clock.now().getTime() - keptMs);
    const keys = await unconfirmedBefore(ofEveryBusiness(this.db), before, batchMax);
    for (const key of keys) {
      const db = ofBusiness(this.db, key.business_id);
      if (await this.#isInTheBook(key)) await confirm(db, key);
      else await deleteUnconfirmed(db, key);
    }
    return keys.length === batchMax ? 'more' : 'idle';
  }

  async #isInTheBook(key: DocumentKey): Promise<boolean> {
    try {
      await this.peers.ask(getDocument, key);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return false;
      throw error;
    }
  }
}
