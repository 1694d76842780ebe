import type { ApiKey, Business } from '@pinkas/contracts';
import { testBook } from '@pinkas/domain';
import type { Transaction } from '@pinkas/service-kit';
import { type Kysely, type Selectable, sql } from 'kysely';
import { toBusiness } from '../business/business.repository.js';
import type { ApiKeyTable } from '../db/gateway.tables.js';
import { businessColumns, type GatewayTables } from '../db/gateway.tables.js';
import { toApiKey } from './api-key.js';

/** The caller behind a key: the key, which may be revoked, and the book that it leads to. */
export interface Principal {
  readonly key: ApiKey;
  /** The settings of the business, under the id of the book. */
  readonly business: Business;
}

/** What decides whether a request may enter. */
export interface AccessCheck {
  /** False while the operator's kill switch is on. */
  readonly apiEnabled: boolean;
  readonly principal: Principal | undefined;
}

/**
 * Reads the kill switch, a key and its business in one statement: every change applies to the next request, for one round trip.
 * @param hashes of one key, under each pepper. @returns with the hash that is stored.
 */
export async function findPrincipal(
  db: Kysely<GatewayTables>,
  hashes: readonly Buffer[],
): Promise<AccessCheck & { hash?: Buffer }> {
  const row = await db
    .selectFrom('kill_switch')
    .leftJoin('api_key', (join) => join.on('api_key.hash', 'in', hashes))
    .leftJoin('business', 'business.id', 'api_key.business_id')
    .select(businessColumns)
    .select([
      'kill_switch.api_enabled',
      'api_key.business_id',
      'api_key.id as key_id',
      'api_key.mode',
      'api_key.name as key_name',
      'api_key.prefix',
      'api_key.hash',
      'api_key.scopes',
      'api_key.per_minute',
      'api_key.daily_documents',
      'api_key.created_at as key_created_at',
      'api_key.revoked_at',
      'api_key.last_used_at',
    ])
    .executeTakeFirstOrThrow();
  if (row.key_id === null) {
    return { apiEnabled: row.api_enabled, principal: undefined };
  }
  // The outer joins make every column nullable; a found key has all of its row, and its business by foreign key.
  const found = row as { [K in keyof typeof row]: Exclude<(typeof row)[K], null> };
  const key = { ...found, id: found.key_id, name: found.key_name, created_at: found.key_created_at };
  const business = toBusiness(found);
  const principal = { key: toApiKey(key), business: found.mode === 'test' ? testBook(business) : business };
  return { apiEnabled: row.api_enabled, principal, hash: found.hash };
}

/** Replaces the hash of a key. @returns whether it was still stored. */
export async function replaceHash(
  db: Kysely<GatewayTables>,
  keyId: string,
  from: Buffer,
  to: Buffer,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set({ hash: to })
    .where('id', '=', keyId)
    .where('hash', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores a new key. */
export async function insertKey(db: Kysely<GatewayTables>, row: Selectable<ApiKeyTable>): Promise<void> {
  await db.insertInto('api_key').values(row).execute();
}

/** The keys of a business, in the order of their creation. */
export async function listKeysOf(db: Kysely<GatewayTables>, businessId: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_key')
    .selectAll()
    .where('business_id', '=', businessId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(toApiKey);
}

/** Finds a key and locks it until the transaction ends. @param businessId only a key of this business; undefined: of any. */
export async function lockKey(
  trx: Transaction<GatewayTables>,
  keyId: string,
  businessId: string | undefined,
): Promise<ApiKey | undefined> {
  const row = await trx
    .selectFrom('api_key')
    .selectAll()
    .where('id', '=', keyId)
    .$if(businessId !== undefined, (query) => query.where('business_id', '=', businessId ?? ''))
    .forUpdate()
    .executeTakeFirst();
  return row && toApiKey(row);
}

/** Revokes a locked key. */
export async function markRevoked(
  trx: Transaction<GatewayTables>,
  { business_id, id }: ApiKey,
  revokedAt: Date,
): Promise<ApiKey> {
  const row = await trx
    .updateTable('api_key')
    .set({ revoked_at: revokedAt })
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toApiKey(row);
}

/**
 * Stores when keys were last used, where that is later than what is stored. A key that does not exist any more is skipped. They are
 * locked in one order, so that gateways that store the same keys do not wait for one another in a circle.
 */
export async function storeKeyUses(
  db: Kysely<GatewayTables>,
  uses: readonly { id: string; usedAt: Date }[],
): Promise<void> {
  const ids = uses.map(({ id }) => id);
  const instants = uses.map(({ usedAt }) => usedAt.toISOString());
  await db
    .with('later', (query) =>
      query
        .selectFrom('api_key')
        .innerJoin(
          sql<{ id: string; used_at: Date }>`unnest(${ids}::uuid[], ${instants}::timestamptz[])`.as<'used'>(
            sql`used (id, used_at)`,
          ),
          'used.id',
          'api_key.id',
        )
        .select(['api_key.id', 'used.used_at'])
        .where(({ eb, or, ref }) =>
          or([eb('api_key.last_used_at', 'is', null), eb('api_key.last_used_at', '<', ref('used.used_at'))]),
        )
        .orderBy('api_key.id')
        .forNoKeyUpdate('api_key'),
    )
    .updateTable('api_key')
    .from('later')
    .set(({ ref }) => ({ last_used_at: ref('later.used_at') }))
    .whereRef('api_key.id', '=', 'later.id')
    .execute();
}
