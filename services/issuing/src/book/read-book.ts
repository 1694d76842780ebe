import { type BookEntry, type ReplyOf, type RequestOf, readBook } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { readEntries } from './book.repository.js';

/** Half of what one message may carry where NATS has its own limit of 1 MB, which the largest documents reach together. */
const pageBytesMax = 512 * 1024;

/** Reads the book of one business for whoever proves it, in the order of its numbers, a page at a time. */
@Operation(readBook)
export class ReadBook {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof readBook>): Promise<ReplyOf<typeof readBook>> {
    const { business_id, after, limit } = request;
    // One more than is told of shows whether there is a later one.
    const found = await readEntries(ofBusiness(this.db, business_id), business_id, after, limit + 1);
    const entries = withinBytes(found.slice(0, limit));
    const last = entries.at(-1)?.document;
    return {
      entries,
      next_after:
        last && found.length > entries.length ? { type: last.type, number: last.number, id: last.id } : null,
    };
  }
}

/** As many of the first entries as a message can carry; one in any case. */
function withinBytes(entries: readonly BookEntry[]): BookEntry[] {
  let bytes = 0;
  const tooMany = entries.findIndex((entry, index) => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return index > 0 && bytes > pageBytesMax;
  });
  return entries.slice(0, tooMany === -1 ? entries.length : tooMany);
}
