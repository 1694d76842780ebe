import { findPublicDocument, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofEveryBusiness, Problem } from '@pinkas/service-kit';
import { findByPublicId, toDocument, toState } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';

/**
 * Reads the document behind a public address, with the business as it was when the document was issued. The address says
 * nothing of whose it is, so it is looked for in every book: who can name it may see it.
 */
@Operation(findPublicDocument)
export class FindPublicDocument {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof findPublicDocument>): Promise<ReplyOf<typeof findPublicDocument>> {
    const row = await findByPublicId(ofEveryBusiness(this.db), request.public_id);
    if (!row) throw new Problem('not_found');
    return { document: toDocument(row), state: toState(row), business: row.business };
  }
}
