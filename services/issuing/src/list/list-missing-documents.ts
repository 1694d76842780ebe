import { listMissingDocuments, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database, InjectDatabase, Operation, timelineOf } from '@pinkas/service-kit';
import { missingIds } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { HistoryCheck } from '../health/history-check.js';

/** Which of some documents were never issued: what rendering has stored of them is deleted. */
@Operation(listMissingDocuments)
export class ListMissingDocuments {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    private readonly history: HistoryCheck,
  ) {}

  /** @throws ApiError `engine_error` where the database has lost documents: they would count as never issued. */
  async handle({
    documents,
  }: RequestOf<typeof listMissingDocuments>): Promise<ReplyOf<typeof listMissingDocuments>> {
    const db = acrossTenants(this.db);
    await this.history.requireWhole(db, await timelineOf(db));
    return { document_ids: await missingIds(db, documents) };
  }
}
