import { Controller } from '@nestjs/common';
import { checkDocument, followedMax, type ReplyOf, type RequestOf, type SignedEnd } from '@pinkas/contracts';
import { modeOfBook } from '@pinkas/domain';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findById } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { type ChainedRow, chainedAfter, continues, firstNumberOf, hashOfNumber } from './hash.repository.js';

/** Below the id of every document: a position with it is before all documents of its number. */
const lowestId = '00000000-0000-0000-0000-000000000000';

type Checked = ReplyOf<typeof checkDocument>;

/** Checks one document against the chain of its series, at a cost that does not grow with the book. */
@Controller()
export class CheckDocument {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  @Operation(checkDocument)
  async check({
    business_id,
    document_id,
    signed_ends: ends,
  }: RequestOf<typeof checkDocument>): Promise<Checked> {
    const db = forTenant(this.db, business_id);
    const found = await findById(db, business_id, document_id);
    if (!found) {
      throw new ApiError('not_found');
    }
    const { type, number } = found;
    const series = { business_id, type };
    const end = ends.find((item) => item.type === type) ?? null;
    const isFar = end !== null && end.n - number >= followedMax;
    const [previous, first, rows] = await Promise.all([
      hashOfNumber(db, series, number - 1),
      firstNumberOf(db, series),
      chainedAfter(
        db,
        series,
        { number, id: lowestId },
        end === null || end.n < number ? 1 : Math.min(end.n - number + 1, followedMax),
      ),
    ]);
    const row = rows.find(({ id }) => id === document_id);
    if (!row) {
      throw new ApiError('not_found');
    }
    const farHash = isFar ? await hashOfNumber(db, series, end.n) : undefined;
    return {
      public_id: found.public_id,
      mode: modeOfBook(business_id),
      type,
      number,
      date: found.dated_on,
      business_name: found.business.name,
      business_tax_id: found.business.tax_id,
      artifact_sha256: found.artifact_sha256,
      cancelled_at: found.cancelled_at?.toISOString() ?? null,
      credited: creditedOf(row),
      allocation_number: found.allocation_number,
      record_intact: continues(row, previous ?? null),
      in_sequence: number === first || previous !== undefined,
      chain: chainOf(rows, end, farHash),
    };
  }
}

function creditedOf({ credited, total }: ChainedRow): Checked['credited'] {
  const sum = Number(credited ?? 0);
  if (sum <= 0) {
    return 'none';
  }
  return sum < Number(total) ? 'part' : 'full';
}

/** @param rows the document and those behind it. @param farHash of the number of an end that is not among them. */
function chainOf(
  rows: readonly ChainedRow[],
  end: SignedEnd | null,
  farHash: Buffer | undefined,
): Checked['chain'] {
  const [first] = rows;
  const isUnbroken = rows.every((row, index) => {
    const before = rows[index - 1];
    return !before || (row.number === before.number + 1 && continues(row, before.hash));
  });
  if (!isUnbroken) {
    return 'broken';
  }
  if (end === null || !first || end.n < first.number) {
    return 'not_yet';
  }
  const last = rows.at(-1) ?? first;
  if (last.number === end.n) {
    return last.hash.toString('hex') === end.hash ? 'followed' : 'broken';
  }
  return farHash?.toString('hex') === end.hash ? 'signed' : 'broken';
}
