import { type ReplyOf, type RequestOf, summarizeDocuments } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { sumsByType } from '../document/document-sums.repository.js';
import { checkPeriod } from '../report/period-days.js';
import { inOrder } from './sum-documents.js';

/** Sums up the documents of a range of dates, by type. */
@Operation(summarizeDocuments)
export class SummarizeDocuments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof summarizeDocuments>): Promise<ReplyOf<typeof summarizeDocuments>> {
    const { business_id, from, to } = request;
    checkPeriod(request);
    const sums = await sumsByType(forTenant(this.db, business_id), business_id, { from, to });
    return { types: inOrder(sums) };
  }
}
