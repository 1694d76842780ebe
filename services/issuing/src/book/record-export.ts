import { type ReplyOf, type RequestOf, recordExport } from '@pinkas/contracts';
import {
  actorOf,
  appendAudit,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';

/** Records that a book is exported: who has read all of it must be known afterwards. */
@Operation(recordExport)
export class RecordExport {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof recordExport>): Promise<ReplyOf<typeof recordExport>> {
    const { business_id, person_id, ...after } = request;
    await forTenant(this.db, business_id)
      .transaction()
      .execute((trx) =>
        appendAudit(trx, {
          business_id,
          action: 'book.export',
          subject: business_id,
          actor: actorOf(person_id),
          before: null,
          after,
        }),
      );
    return {};
  }
}
