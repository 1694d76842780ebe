import { getDocument, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { type DocumentRow, findById, toDocument, toState } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { listedDocument } from '../document/listed-document.js';
import { readSettling, settlementDetails } from '../document/settlement.repository.js';

/** Reads one document of one business. */
@Operation(getDocument)
export class GetDocument {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof getDocument>): Promise<ReplyOf<typeof getDocument>> {
    const { business_id, document_id, detailed, listed } = request;
    const db = forTenant(this.db, business_id);
    const row = await findById(db, business_id, document_id);
    if (!row) {
      throw new ApiError('not_found');
    }
    const document = toDocument(row);
    const state = toState(row);
    const shown = listed ? { listed: listedDocument(row) } : {};
    return detailed
      ? { document, state: { ...state, ...(await details(db, row)) }, allocation: row.allocation, ...shown }
      : { document, state, ...shown };
  }
}

async function details(db: Database<IssuingTables>, row: DocumentRow) {
  const settling = (await readSettling(db, row.business_id, [row.id])).get(row.id);
  return {
    ...(settling && settlementDetails(row, settling)),
    ...(row.cancel_reason !== null && { cancel_reason: row.cancel_reason }),
  };
}
