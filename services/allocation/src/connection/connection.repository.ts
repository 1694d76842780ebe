import type { Database, Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type {
  AllocationTables,
  ConnectionRequestTable,
  ConnectionTable,
} from '../allocation/allocation.tables.js';

export type ConnectionRow = Selectable<ConnectionTable>;
export type ConnectionRequestRow = Selectable<ConnectionRequestTable>;

/** The tokens of a connection, encrypted, and how long they live. */
export type ConnectionTokens = Pick<
  ConnectionRow,
  'access_token' | 'access_expires_at' | 'refresh_token' | 'refresh_expires_at' | 'refreshed_at'
>;

/** The connection of a business, if it has ever had one. */
export async function findConnection(
  db: Database<AllocationTables>,
  businessId: string,
): Promise<ConnectionRow | undefined> {
  return db.selectFrom('connection').selectAll().where('business_id', '=', businessId).executeTakeFirst();
}

/** The same, held until the transaction ends, so that one refresh runs at a time. */
export async function lockConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
): Promise<ConnectionRow | undefined> {
  return trx
    .selectFrom('connection')
    .selectAll()
    .where('business_id', '=', businessId)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Keeps a connection from being made until the transaction ends, also the first: whoever notes that a document waits for one
 * sees it, or is seen by whoever makes it. Held before the row of any document.
 */
export async function lockConnecting(trx: Transaction<AllocationTables>, businessId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${businessId}, 0))`.execute(trx);
}

/** Connections in the order of their businesses' ids, from the one after `after`. */
export async function listConnectionsAfter(
  db: Database<AllocationTables>,
  after: string | undefined,
  limit: number,
): Promise<ConnectionRow[]> {
  let query = db.selectFrom('connection').selectAll().orderBy('business_id').limit(limit);
  if (after !== undefined) query = query.where('business_id', '>', after);
  return query.execute();
}

/** Stores a new connection, or one that its owner has made anew. The address that led to it is done with. */
export async function storeConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
  tokens: ConnectionTokens,
  connectedAt: Date,
): Promise<void> {
  const made = { ...tokens, connected_at: connectedAt, broken_at: null, warned: null };
  await trx
    .insertInto('connection')
    .values({ ...made, business_id: businessId })
    .onConflict((conflict) => conflict.column('business_id').doUpdateSet(made))
    .execute();
  await trx
    .deleteFrom('connection_request')
    .where('business_id', '=', businessId)
    .where('used_at', 'is not', null)
    .execute();
}

/** Stores the tokens that a refresh has brought. */
export async function renewConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
  tokens: ConnectionTokens,
): Promise<void> {
  await trx.updateTable('connection').set(tokens).where('business_id', '=', businessId).execute();
}

/** The refresh token is worth nothing any more. Who breaks it says so in the log. */
export async function breakConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
  at: Date,
): Promise<void> {
  await trx
    .updateTable('connection')
    .set({ broken_at: at, warned: 'ended' })
    .where('business_id', '=', businessId)
    .execute();
}

/** What there is to be told of a connection; null where it is well. */
const dueWarning = (now: Date, expiresBefore: Date) => sql<ConnectionRow['warned']>`case
  when broken_at is not null or refresh_expires_at <= ${now} then 'ended'
  when refresh_expires_at <= ${expiresBefore} then 'expiring' end`;

/** How many connections are about to end, and how many have ended. */
export async function countConnections(
  db: Database<AllocationTables>,
  now: Date,
  expiresBefore: Date,
): Promise<{ expiring: number; ended: number }> {
  const due = dueWarning(now, expiresBefore);
  return db
    .selectFrom('connection')
    .select([
      sql<number>`(count(*) filter (where ${due} = 'expiring'))::int`.as('expiring'),
      sql<number>`(count(*) filter (where ${due} = 'ended'))::int`.as('ended'),
    ])
    .executeTakeFirstOrThrow();
}

/**
 * Marks what the log is going to be told of each connection, so that of several processes one tells it, once.
 * @param expiresBefore a connection that ends before this is expiring.
 */
export async function markWarnings(
  db: Database<AllocationTables>,
  now: Date,
  expiresBefore: Date,
): Promise<Pick<ConnectionRow, 'business_id' | 'warned'>[]> {
  const due = dueWarning(now, expiresBefore);
  return db
    .updateTable('connection')
    .set({ warned: due })
    .where(({ eb }) => eb(due, 'is distinct from', sql.ref<ConnectionRow['warned']>('warned')))
    .returning(['business_id', 'warned'])
    .execute();
}

/** Writes down the address that an owner is given; an earlier one ends. */
export async function storeRequest(
  db: Database<AllocationTables>,
  request: Omit<ConnectionRequestRow, 'used_at' | 'failure'>,
): Promise<void> {
  const { business_id, ...made } = { ...request, used_at: null, failure: null };
  await db
    .insertInto('connection_request')
    .values({ ...made, business_id })
    .onConflict((conflict) => conflict.column('business_id').doUpdateSet(made))
    .execute();
}

/** Takes the request that a state belongs to, once. @returns its business, or undefined where it is unknown, used or too old. */
export async function takeRequest(
  db: Database<AllocationTables>,
  stateHash: Buffer,
  now: Date,
): Promise<string | undefined> {
  const taken = await db
    .updateTable('connection_request')
    .set({ used_at: now })
    .where('state_hash', '=', stateHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('business_id')
    .executeTakeFirst();
  return taken?.business_id;
}

/** Writes down why a request led to no connection. */
export async function failRequest(
  db: Database<AllocationTables>,
  stateHash: Buffer,
  failure: string,
): Promise<void> {
  await db.updateTable('connection_request').set({ failure }).where('state_hash', '=', stateHash).execute();
}

/** The address that a business was given last, unless it has led to a connection. */
export async function findRequest(
  db: Database<AllocationTables>,
  businessId: string,
): Promise<ConnectionRequestRow | undefined> {
  return db
    .selectFrom('connection_request')
    .selectAll()
    .where('business_id', '=', businessId)
    .executeTakeFirst();
}
