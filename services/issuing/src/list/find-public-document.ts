import { findPublicDocument, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findByPublicId, toDocument, toState } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { readSettling } from '../document/settlement.repository.js';

/**
 * Finds the document of a public address, with the business as it was at issue. The address names no business, so the books of
 * all are searched: knowing the address is the permission.
 */
@Operation(findPublicDocument)
export class FindPublicDocument {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof findPublicDocument>): Promise<ReplyOf<typeof findPublicDocument>> {
    const db = acrossTenants(this.db);
    const row = await findByPublicId(db, request.public_id);
    if (!row) {
      throw new ApiError('not_found');
    }
    const { credited = 0, invoices = 0 } =
      (await readSettling(db, row.business_id, [row.id])).get(row.id) ?? {};
    const state = {
      ...toState(row),
      ...(row.cancel_reason !== null && { cancel_reason: row.cancel_reason }),
      ...(credited > 0 && { credited }),
      ...(invoices > 0 && { invoices }),
    };
    const { business, artifact_sha256 } = row;
    return { document: toDocument(row), state, business, artifact_sha256 };
  }
}
