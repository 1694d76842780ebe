import { Controller } from '@nestjs/common';
import {
  type BookEntry,
  getBookEnd,
  type ReplyOf,
  type RequestOf,
  readBook,
  recordExport,
} from '@pinkas/contracts';
import {
  actorOf,
  appendTrail,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { readEnd, readEntries } from './book.repository.js';

/** Half of the default message limit of NATS (1 MB), which a page of large documents would exceed. */
const pageBytesMax = 512 * 1024;

/** The book of a business, read as one. */
@Controller()
export class BookOperations {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  /** Reads the book of one business for its verification and its exports, in the order of the numbers, a page at a time. */
  @Operation(readBook)
  async read(request: RequestOf<typeof readBook>): Promise<ReplyOf<typeof readBook>> {
    const { limit, ...filter } = request;
    // One entry beyond the page shows whether there is another page.
    const found = await readEntries(forTenant(this.db, filter.business_id), filter, limit + 1);
    const entries = withinBytes(found.slice(0, limit));
    const last = entries.at(-1)?.document;
    return {
      entries,
      next_after:
        last && found.length > entries.length ? { type: last.type, number: last.number, id: last.id } : null,
    };
  }

  /** Shows up to where a book is, for exports that have an exact end, and for the check of that end. */
  @Operation(getBookEnd)
  async getEnd({ business_id, after }: RequestOf<typeof getBookEnd>): Promise<ReplyOf<typeof getBookEnd>> {
    const { position, next } = await readEnd(forTenant(this.db, business_id), business_id, after);
    return { position, next_issued_at: next?.toISOString() ?? null };
  }

  /** Records that a book is exported: who has read all of it must be known afterwards. */
  @Operation(recordExport)
  async recordExport(request: RequestOf<typeof recordExport>): Promise<ReplyOf<typeof recordExport>> {
    const { business_id, person_id, ...after } = request;
    await forTenant(this.db, business_id)
      .transaction()
      .execute((trx) =>
        appendTrail(trx, {
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

/** The first entries that fit into one message; at least one. */
function withinBytes(entries: readonly BookEntry[]): BookEntry[] {
  let bytes = 0;
  const tooMany = entries.findIndex((entry, index) => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return index > 0 && bytes > pageBytesMax;
  });
  return entries.slice(0, tooMany === -1 ? entries.length : tooMany);
}
