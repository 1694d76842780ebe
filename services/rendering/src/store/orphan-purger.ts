import { Injectable } from '@nestjs/common';
import { listMissingDocuments, missingPageMax } from '@pinkas/contracts';
import {
  acrossTenants,
  type Clock,
  type Database,
  databaseNow,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  RpcClient,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult } from '@pinkas/service-kit/concurrency';
import type { RenderingTables } from '../db/artifact.tables.js';
import { LogoStore } from '../logo/logo.repository.js';
import { deleteFirst, lockComparison, setComparedUntil, uncomparedBefore } from './artifact.repository.js';

const hourMs = 60 * 60 * 1000;
const retentionMs = 24 * hourMs;
const previewMs = hourMs;

/**
 * Deletes logos that were only looked at, and the PDFs of documents that were never issued: the transaction was rolled back after
 * the rendering. The first PDFs are compared with issuing's book in the order in which they were stored; what was compared is final.
 */
@Injectable()
export class OrphanPurger extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
    private readonly rpc: RpcClient,
    private readonly logos: LogoStore,
  ) {
    super('orphan-purger', hourMs, logger);
  }

  /** One batch. It throws, and deletes no PDF, when issuing does not answer. */
  override async tick(): Promise<TickResult> {
    const all = acrossTenants(this.db);
    // By the database's clock, which has dated the rows: with the machine's ahead, the PDF of a document that is being issued
    // would look old.
    const now = await databaseNow(all, this.clock);
    const before = new Date(now.getTime() - retentionMs);
    await this.logos.deletePreviews(new Date(now.getTime() - previewMs));
    const { since, until, documents } = await uncomparedBefore(all, before, missingPageMax);
    if (until === null) {
      return 'idle';
    }
    const { document_ids: missing } = await this.rpc.call(listMissingDocuments, { documents });
    await all.transaction().execute(async (trx) => {
      // Another replica may have compared them in between.
      if (await lockComparison(trx, since)) {
        for (const key of documents.filter(({ document_id }) => missing.includes(document_id))) {
          await deleteFirst(trx, key);
        }
        await setComparedUntil(trx, until);
      }
    });
    return documents.length === missingPageMax ? { done: documents.length } : 'idle';
  }
}
