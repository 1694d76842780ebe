import { type ChainHead, canonicalJson } from '@pinkas/contracts';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { currentContext } from '../process/context.js';
import type { Actor } from './actor.js';
import type { AuditEntryTable, AuditTables } from './audit.tables.js';

/** A change for the trail. `before` and `after` are JSON values without secrets. */
export interface AuditedChange {
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
export async function appendAudit<Tables>(trx: Transaction<Tables>, change: AuditedChange): Promise<void> {
  const [before, after] = [change.before, change.after].map((value) => canonicalJson(value ?? null));
  const requestId = currentContext()?.requestId ?? null;
  await sql`
    select audit_append(${change.business_id}::uuid, ${change.action}, ${change.subject}, ${change.actor}, ${requestId},
      ${before}, ${after})`.execute(trx);
}

/** The trail of a business after an entry, the oldest first. */
export function entriesAfter(
  db: Kysely<AuditTables>,
  businessId: string,
  after: number,
  limit: number,
): Promise<Selectable<AuditEntryTable>[]> {
  return db
    .selectFrom('audit_entry')
    .selectAll()
    .where('business_id', '=', businessId)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute();
}

/** The trail of a business before an entry, the latest first. @param before null: from the end. */
export function entriesBefore(
  db: Kysely<AuditTables>,
  businessId: string,
  before: number | null,
  limit: number,
): Promise<Selectable<AuditEntryTable>[]> {
  return db
    .selectFrom('audit_entry')
    .selectAll()
    .where('business_id', '=', businessId)
    .$if(before !== null, (query) => query.where('n', '<', before ?? 0))
    .orderBy('n', 'desc')
    .limit(limit)
    .execute();
}

/** The end of a business's trail; null where it is empty. */
export async function headOf(db: Kysely<AuditTables>, businessId: string): Promise<ChainHead | null> {
  const row = await db
    .selectFrom('audit_chain')
    .select(['last_n', 'last_hash'])
    .where('business_id', '=', businessId)
    .executeTakeFirst();
  return row?.last_hash ? { n: row.last_n, hash: row.last_hash.toString('hex') } : null;
}

/** The ends of the trails of all businesses, in the order of their ids, from the one after `after`. */
export async function headsAfter(
  all: Kysely<AuditTables>,
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
