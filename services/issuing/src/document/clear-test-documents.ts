import { clearTestDocuments, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { clearTestBook, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from './document.tables.js';

/** The series first: its lock waits for documents in flight. */
const tables = ['series', 'document', 'book', 'daily_count'] as const;

/** Empties a test book. */
@Operation(clearTestDocuments)
export class ClearTestDocuments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle({
    business_id,
  }: RequestOf<typeof clearTestDocuments>): Promise<ReplyOf<typeof clearTestDocuments>> {
    return { deleted: await clearTestBook(this.db, business_id, tables) };
  }
}
