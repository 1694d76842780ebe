import { type ChainHead, canonicalJson, trailCheckedMax } from '@pinkas/contracts';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { currentContext } from '../process/context.js';
import type { Actor } from './actor.js';
import type { TrailEntryTable, TrailTables } from './trail.tables.js';

/** A change for the trail. `before` and `after` are JSON values without secrets. */
export interface TrailChange {
  business_id: string;
  action: `${string}.${string}`;
  /** The id of what is changed. */
  subject: string;
  actor: Actor;
  before: unknown;
  after: unknown;
}

/**
 * Appends a change to the trail of its business, in the transaction of the change. It locks the trail until the transaction ends: no
 * other lock may be waited for after it.
 */
export async function appendTrail<Tables>(trx: Transaction<Tables>, change: TrailChange): Promise<void> {
  const [before, after] = [change.before, change.after].map((value) => canonicalJson(value ?? null));
  const requestId = currentContext()?.requestId ?? null;
  await sql`
    select audit_append(${change.business_id}::uuid, ${change.action}, ${change.subject}, ${change.actor}, ${requestId},
      ${before}, ${after})`.execute(trx);
}

/** The trail of a business after an entry, the oldest first. */
export function entriesAfter(
  db: Kysely<TrailTables>,
  businessId: string,
  after: number,
  limit: number,
): Promise<Selectable<TrailEntryTable>[]> {
  return db
    .selectFrom('audit_entry')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute();
}

/** Which entries of a trail are read. */
export interface TrailFilter {
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The entries that one page checks. */
interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The entries from `before` back that one page checks for a filter: of the period, and so many at most.
 * @returns `start`: the first entry of the period.
 */
export async function rangeOf(
  db: Kysely<TrailTables>,
  businessId: string,
  before: number | null,
  { subject, from, to }: TrailFilter,
): Promise<{ range: EntryRange; start: number }> {
  const end = (await headOf(db, businessId))?.n ?? 0;
  const last = Math.min(
    before === null ? end : before - 1,
    to === undefined ? end : (await firstSince(db, businessId, end, to)) - 1,
  );
  const start = from === undefined ? 1 : await firstSince(db, businessId, end, from);
  // An index has the entries about a subject.
  const first = subject === undefined ? Math.max(start, last - trailCheckedMax + 1) : start;
  return { range: { first, last }, start };
}

/** The number of the first entry that is not before an instant: their instants never decrease. */
async function firstSince(
  db: Kysely<TrailTables>,
  businessId: string,
  end: number,
  instant: string,
): Promise<number> {
  let [low, high] = [1, end + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await db
      .selectFrom('audit_entry')
      .select(sql<boolean>`at >= ${instant}::timestamptz`.as('is_since'))
      .where('business_id', '=', businessId)
      .where('n', '=', middle)
      .executeTakeFirst();
    if (row?.is_since) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The entries of a range that meet a filter, the latest first. */
export function entriesBetween(
  db: Kysely<TrailTables>,
  businessId: string,
  { first, last }: EntryRange,
  { subject, actor, actions }: TrailFilter,
  limit: number,
): Promise<Selectable<TrailEntryTable>[]> {
  const isKind = actor === 'person' || actor === 'key';
  return db
    .selectFrom('audit_entry')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('n', '>=', first)
    .where('n', '<=', last)
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
    .$if(actor !== undefined && !isKind, (query) => query.where('actor', '=', actor ?? ''))
    .$if(isKind, (query) => query.where(sql<string>`split_part(actor, ':', 1)`, '=', actor ?? ''))
    .$if(actions !== undefined, (query) => query.where(sql<boolean>`action = any(${actions ?? []}::text[])`))
    .orderBy('n', 'desc')
    .limit(limit)
    .execute();
}

/** The end of a business's trail; null where it is empty. */
export async function headOf(db: Kysely<TrailTables>, businessId: string): Promise<ChainHead | null> {
  const row = await db
    .selectFrom('audit_chain')
    .select(['last_n', 'last_hash'])
    .where('business_id', '=', businessId)
    .executeTakeFirst();
  return row?.last_hash ? { n: row.last_n, hash: row.last_hash.toString('hex') } : null;
}

/** The ends of the trails of all businesses, in the order of their ids, from the one after `after`. */
export async function headsAfter(
  all: Kysely<TrailTables>,
  after: string | null,
  limit: number,
): Promise<(ChainHead & { business_id: string })[]> {
  const rows = await all
    .selectFrom('audit_chain')
    .select(['business_id', 'last_n', 'last_hash'])
    .where('last_hash', 'is not', null)
    .$if(after !== null, (query) => query.where('business_id', '>', after ?? ''))
    .orderBy('business_id')
    .limit(limit)
    .execute();
  return rows.map(({ business_id, last_n, last_hash }) => ({
    business_id,
    n: last_n,
    hash: last_hash?.toString('hex') ?? '',
  }));
}
