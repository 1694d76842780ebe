import { type IssuePosition, listDocuments, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness, Problem } from '@pinkas/service-kit';
import { toHead, toState } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';
import { listIssued } from './document-list.repository.js';
import { knownOutcomes } from './known-outcomes.js';

/** Lists the documents of one business, the one that was issued last first, a page at a time. */
@Operation(listDocuments)
export class ListDocuments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof listDocuments>): Promise<ReplyOf<typeof listDocuments>> {
    const { limit, ...filter } = request;
    if (filter.before) checkInstant(filter.before);
    // One more than is told of shows whether there is an older one.
    const rows = await listIssued(ofBusiness(this.db, filter.business_id), filter, limit + 1);
    const told = rows.slice(0, limit);
    const last = told.at(-1);
    return {
      documents: told.map((row) => ({
        document: toHead(row),
        state: toState(row),
        ...knownOutcomes(row, row.pending_channel),
      })),
      next_before:
        last && rows.length > limit ? { issued_at: last.issued_at.toISOString(), id: last.id } : null,
    };
  }
}

/** @throws Problem for an instant that no list has told of. */
function checkInstant({ issued_at }: IssuePosition): void {
  const instant = new Date(issued_at);
  if (Number.isNaN(instant.getTime()) || instant.toISOString() !== issued_at || issued_at.length !== 24) {
    throw Problem.invalid([{ path: '/before/issued_at', message: 'must be an instant in milliseconds' }]);
  }
}
