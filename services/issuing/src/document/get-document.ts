import { getDocument, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findById, toDocument, toState } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

/** Reads one document of one business. */
@Operation(getDocument)
export class GetDocument {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof getDocument>): Promise<ReplyOf<typeof getDocument>> {
    const row = await findById(
      forTenant(this.db, request.business_id),
      request.business_id,
      request.document_id,
    );
    if (!row) {
      throw new ApiError('not_found');
    }
    return { document: toDocument(row), state: toState(row) };
  }
}
