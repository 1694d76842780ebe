import { getBookEnd, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { readEnd } from './book.repository.js';

/** Shows up to where a book is, for exports that have an exact end, and for the check of that end. */
@Operation(getBookEnd)
export class GetBookEnd {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle({ business_id, after }: RequestOf<typeof getBookEnd>): Promise<ReplyOf<typeof getBookEnd>> {
    const { position, next } = await readEnd(forTenant(this.db, business_id), business_id, after);
    return { position, next_issued_at: next?.toISOString() ?? null };
  }
}
