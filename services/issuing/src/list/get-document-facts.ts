import { getDocumentFacts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { findAnywhere, toDocument, toState } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';

/** What is sent to the tax authority about a document: an operator names the document alone. */
@Operation(getDocumentFacts)
export class GetDocumentFacts {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle({
    business_id: businessId,
    document_id: id,
  }: RequestOf<typeof getDocumentFacts>): Promise<ReplyOf<typeof getDocumentFacts>> {
    const db = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const row = await findAnywhere(db, id);
    if (!row) {
      throw new ApiError('not_found');
    }
    const { business, artifact_sha256 } = row;
    return { document: toDocument(row), state: toState(row), business, artifact_sha256 };
  }
}
