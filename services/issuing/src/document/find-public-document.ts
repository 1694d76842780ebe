import { findPublicDocument, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findByPublicId, toDocument, toState } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

/**
 * Finds the document of a public address, with the business as it was at issue. The address names no business, so the books of
 * all are searched: knowing the address is the permission.
 */
@Operation(findPublicDocument)
export class FindPublicDocument {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof findPublicDocument>): Promise<ReplyOf<typeof findPublicDocument>> {
    const row = await findByPublicId(acrossTenants(this.db), request.public_id);
    if (!row) {
      throw new ApiError('not_found');
    }
    return { document: toDocument(row), state: toState(row), business: row.business };
  }
}
