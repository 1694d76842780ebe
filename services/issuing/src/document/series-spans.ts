import type { DocumentType } from '@pinkas/domain';
import type { Database } from '@pinkas/service-kit';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { IssuingTables } from './document.tables.js';

/** Document dates, both included. */
export interface DateRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The positions or numbers between which a series has the documents of a range of dates. */
export interface Span {
  readonly type: DocumentType;
  readonly first: number;
  readonly last: number;
}

/**
 * The spans of the series that have documents in the range: dates never decrease within a series, so an index has their ends. They
 * are of one snapshot, so that a list has no document without those of other series that were committed before it.
 */
export async function seriesSpans(
  db: Database<IssuingTables>,
  by: 'position' | 'number',
  { business_id, type, from, to }: DateRange & { business_id: string; type?: DocumentType | undefined },
): Promise<Span[]> {
  const spans = await db
    .selectFrom('series')
    .select((query) => {
      const dated = query
        .selectFrom('document')
        .select(`document.${by}`)
        .where('document.business_id', '=', business_id)
        .whereRef('document.type', '=', 'series.type')
        .limit(1);
      return [
        'series.type',
        dated
          .where('document.dated_on', '>=', from ?? '-infinity')
          .orderBy('document.dated_on')
          .orderBy('document.position')
          .as('first'),
        dated
          .where('document.dated_on', '<=', to ?? 'infinity')
          .orderBy('document.dated_on', 'desc')
          .orderBy('document.position', 'desc')
          .as('last'),
      ];
    })
    .where('series.business_id', '=', business_id)
    .$if(type !== undefined, (query) => query.where('series.type', '=', type ?? null))
    .execute();
  return spans.flatMap(({ first, last, ...series }) =>
    first !== null && last !== null && first <= last ? [{ ...series, first, last }] : [],
  );
}

/**
 * The condition that a document is of the range. A span implies it; as a case, it does not lower the planner's row estimate, which
 * would make it read and sort the complete range for one page.
 */
export const isDated = ({ from, to }: DateRange): Expression<SqlBool> =>
  sql<SqlBool>`case when document.dated_on between ${from ?? '-infinity'} and ${to ?? 'infinity'}
    then true else false end`;

/** The spans without their series, those that overlap joined. */
export function joined(spans: readonly Span[]): Pick<Span, 'first' | 'last'>[] {
  const ranges: { first: number; last: number }[] = [];
  for (const { first, last } of spans.toSorted((one, other) => one.first - other.first)) {
    const range = ranges.at(-1);
    if (range && first <= range.last) {
      range.last = Math.max(range.last, last);
    } else {
      ranges.push({ first, last });
    }
  }
  return ranges;
}
