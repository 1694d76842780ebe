import { type BookEntry, type ReplyOf, type RequestOf, readBook } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { readEntries } from './book.repository.js';

/** Half of the default message limit of NATS (1 MB), which a page of large documents would exceed. */
const pageBytesMax = 512 * 1024;

/** Reads the book of one business for its verification and its exports, in the order of the numbers, a page at a time. */
@Operation(readBook)
export class ReadBook {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof readBook>): Promise<ReplyOf<typeof readBook>> {
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
