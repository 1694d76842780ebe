import { listDocuments, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { listedDocument } from '../document/listed-document.js';
import { readSettling, settlementState } from '../document/settlement.repository.js';
import { listIssued } from './document-list.repository.js';

/** Lists the documents of one business, the one that was committed last first, a page at a time. */
@Operation(listDocuments)
export class ListDocuments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof listDocuments>): Promise<ReplyOf<typeof listDocuments>> {
    const { limit, settlement, ...filter } = request;
    const db = forTenant(this.db, filter.business_id);
    // One row beyond the page shows whether there is another page.
    const rows = await listIssued(db, filter, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const ids = settlement === true ? page.map(({ id }) => id) : [];
    const settling = await readSettling(db, filter.business_id, ids);
    return {
      documents: page.map((row) => {
        const facts = settling.get(row.id);
        const listed = listedDocument(row);
        return { ...listed, state: { ...listed.state, ...(facts && settlementState(facts)) } };
      }),
      next_before: last && rows.length > limit ? last.position : null,
    };
  }
}
