import { createHash } from 'node:crypto';
import { advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { AllocationTables, ConnectionRequestTable, ConnectionTable } from '../db/allocation.tables.js';

export type ConnectionRow = Selectable<ConnectionTable>;
type ConnectionRequestRow = Selectable<ConnectionRequestTable>;

/** The stored hash of a state: reading the database completes no connection. */
export const hashOfState = (state: string): Buffer => createHash('sha256').update(state).digest();

/** The tokens of a connection, encrypted, and how long they live. */
export type EncryptedTokens = Pick<
  ConnectionRow,
  'access_token' | 'access_expires_at' | 'refresh_token' | 'refresh_expires_at' | 'refreshed_at'
>;

/** The person who issues, to the authority. */
export type PersonColumns = Pick<ConnectionRow, 'user_id' | 'user_name'>;

/** The connection of a business, if it has ever had one. */
export async function findConnection(
  db: Database<AllocationTables>,
  businessId: string,
): Promise<ConnectionRow | undefined> {
  return db.selectFrom('connection').selectAll().where('business_id', '=', businessId).executeTakeFirst();
}

/** Locks a connection until the transaction ends, so that one refresh runs at a time. */
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
 * Serializes connecting, also the first time, with attempts that find no connection: one of the two sees the other. Locked
 * before the row of any document.
 */
export async function lockConnectionChanges(
  trx: Transaction<AllocationTables>,
  businessId: string,
): Promise<void> {
  await advisoryLock(trx, businessId);
}

/** Connections in the order of their businesses' ids, from the one after `after`. */
export async function listConnectionsAfter(
  db: Database<AllocationTables>,
  after: string | undefined,
  limit: number,
): Promise<ConnectionRow[]> {
  let query = db.selectFrom('connection').selectAll().orderBy('business_id').limit(limit);
  if (after !== undefined) {
    query = query.where('business_id', '>', after);
  }
  return query.execute();
}

/** A business whose connection holds; another one each time. */
export async function anyConnected(db: Database<AllocationTables>, now: Date): Promise<string | undefined> {
  const found = await db
    .selectFrom('connection')
    .select('business_id')
    .where('broken_at', 'is', null)
    .where('refresh_expires_at', '>', now)
    .orderBy(sql`random()`)
    .limit(1)
    .executeTakeFirst();
  return found?.business_id;
}

/** Stores a new or renewed connection and deletes the request that led to it. */
export async function storeConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
  made: EncryptedTokens & PersonColumns & { connected_at: Date },
): Promise<void> {
  const stored = { ...made, broken_at: null, warning: null };
  await trx
    .insertInto('connection')
    .values({ ...stored, business_id: businessId })
    .onConflict((conflict) => conflict.column('business_id').doUpdateSet(stored))
    .execute();
  await trx
    .deleteFrom('connection_request')
    .where('business_id', '=', businessId)
    .where('used_at', 'is not', null)
    .execute();
}

/** Stores the tokens of a refresh. */
export async function renewConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
  tokens: EncryptedTokens,
): Promise<void> {
  await trx.updateTable('connection').set(tokens).where('business_id', '=', businessId).execute();
}

/** Marks a connection as ended and warned of; the caller logs it. */
export async function breakConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
  at: Date,
): Promise<void> {
  await trx
    .updateTable('connection')
    .set({ broken_at: at, warning: 'ended' })
    .where('business_id', '=', businessId)
    .execute();
}

/** The warning that is due for a connection; null where there is none. */
const dueWarning = (now: Date, expiresBefore: Date) => sql<ConnectionRow['warning']>`case
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

/** How many connections hold, and which the owners have to renew before an instant, the earliest end first. */
export async function connectionEnds(
  db: Database<AllocationTables>,
  before: Date,
  limit: number,
): Promise<{ count: number; ending: ConnectionRow[] }> {
  const { count } = await db
    .selectFrom('connection')
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  const ending = await db
    .selectFrom('connection')
    .selectAll()
    .where(({ eb, or }) => or([eb('broken_at', 'is not', null), eb('refresh_expires_at', '<=', before)]))
    .orderBy(sql`coalesce(broken_at, refresh_expires_at)`)
    .limit(limit)
    .execute();
  return { count, ending };
}

/**
 * Stores the due warnings, so that one of several processes logs each, once.
 * @param expiresBefore a connection that ends before this is expiring.
 */
export async function markWarnings(
  trx: Transaction<AllocationTables>,
  now: Date,
  expiresBefore: Date,
): Promise<Pick<ConnectionRow, 'business_id' | 'warning' | 'refresh_expires_at'>[]> {
  const due = dueWarning(now, expiresBefore);
  return trx
    .updateTable('connection')
    .set({ warning: due })
    .where(({ eb }) => eb(due, 'is distinct from', sql.ref<ConnectionRow['warning']>('warning')))
    .returning(['business_id', 'warning', 'refresh_expires_at'])
    .execute();
}

/** Stores the request of an owner; it replaces an earlier one. */
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

/**
 * Takes the request that a state belongs to, once.
 * @param personId of whom it has to be; null: of the operator.
 * @returns its business, or undefined where there is none, or it was used or is too old.
 */
export async function takeRequest(
  db: Database<AllocationTables>,
  stateHash: Buffer,
  personId: string | null,
  now: Date,
): Promise<string | undefined> {
  const taken = await db
    .updateTable('connection_request')
    .set({ used_at: now })
    .where('state_hash', '=', stateHash)
    .where('person_id', 'is not distinct from', personId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('business_id')
    .executeTakeFirst();
  return taken?.business_id;
}

/** Where the request that a state belongs to is completed, which is not used yet; undefined: at no such place. */
export async function findReturnUrl(
  db: Database<AllocationTables>,
  stateHash: Buffer,
  now: Date,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('connection_request')
    .select('return_url')
    .where('state_hash', '=', stateHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return found?.return_url ?? undefined;
}

/** Stores why a request failed. */
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

/** A request that was taken, where it is still the one of its business: its owner has neither ended it nor started another. */
export async function findTakenRequest(
  trx: Transaction<AllocationTables>,
  businessId: string,
  stateHash: Buffer,
): Promise<ConnectionRequestRow | undefined> {
  const request = await findRequest(trx, businessId);
  return request?.used_at && request.state_hash.equals(stateHash) ? request : undefined;
}

/** Deletes the connection of a business and the request for another. @returns what there was. */
export async function deleteConnection(
  trx: Transaction<AllocationTables>,
  businessId: string,
): Promise<{ connection: ConnectionRow | undefined; request: ConnectionRequestRow | undefined }> {
  const request = await trx
    .deleteFrom('connection_request')
    .where('business_id', '=', businessId)
    .returningAll()
    .executeTakeFirst();
  const connection = await trx
    .deleteFrom('connection')
    .where('business_id', '=', businessId)
    .returningAll()
    .executeTakeFirst();
  return { connection, request };
}

/** Makes the documents due that await the connection of a business, dead-lettered ones included. */
export async function resumeAwaiting(
  trx: Transaction<AllocationTables>,
  businessId: string,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('allocation')
    .set({
      state: 'pending',
      next_attempt_at: now,
      first_attempt_at: now,
      earlier_attempts: sql`attempts`,
      dead_lettered_at: null,
      awaiting_connection: false,
    })
    .where('business_id', '=', businessId)
    .where('awaiting_connection', '=', true)
    .where('state', 'in', ['pending', 'dead_lettered'])
    .execute();
}
