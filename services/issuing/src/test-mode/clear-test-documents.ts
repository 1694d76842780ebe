import { Controller } from '@nestjs/common';
import { clearTestDocuments, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  clearTestBook,
  type Database,
  InjectDatabase,
  Operation,
  type TestBookTables,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';

/**
 * A document refers to one with a lower position. Sums and series go with their last documents: until then numbers continue, and what
 * is issued is deleted as well. A series that begins during the call stays with its document, for the next call. The book stays:
 * positions and the numbers of events are given once.
 */
export const testBook: TestBookTables<IssuingTables> = {
  tables: [
    'set_off',
    'document',
    'document_sum',
    'payment_sum',
    'account_sum',
    'debt_sum',
    'series',
    'daily_count',
  ],
  highestFirst: { document: sql.ref('position') },
  only: {
    document_sum: sql`not exists (
      select from document where document.business_id = document_sum.business_id
        and document.type = document_sum.type and document.dated_on = document_sum.dated_on
    )`,
    payment_sum: sql`not exists (
      select from document where document.business_id = payment_sum.business_id
        and document.type = payment_sum.type and document.dated_on = payment_sum.dated_on
    )`,
    account_sum: sql`not exists (
      select from document where document.business_id = account_sum.business_id and document.type = account_sum.type
    )`,
    debt_sum: sql`not exists (select from document where document.business_id = debt_sum.business_id)`,
    series: sql`not exists (
      select from document where document.business_id = series.business_id and document.type = series.type
    )`,
  },
  // It waits for documents in flight, and keeps out others. A lock of the book would be out of the order of issuing.
  lock: (trx) => trx.selectFrom('series').select('type').orderBy('type').forUpdate().execute(),
};

/** Empties a test book. */
@Controller()
export class ClearTestDocuments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  @Operation(clearTestDocuments)
  handle({ business_id }: RequestOf<typeof clearTestDocuments>): Promise<ReplyOf<typeof clearTestDocuments>> {
    return clearTestBook(this.db, business_id, testBook);
  }
}
