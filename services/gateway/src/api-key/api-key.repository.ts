import type { ApiKey, Business } from '@pinkas/contracts';
import { type Kysely, type Selectable, sql } from 'kysely';
import { toBusiness } from '../business/business.repository.js';
import type { GatewayTables } from '../business/business.tables.js';
import { toApiKey } from './api-key.js';
import type { ApiKeyTable } from './api-key.tables.js';

/** A key that was found by its value, and the business that it speaks for. */
export interface KeyHolder {
  readonly key: ApiKey;
  readonly business: Business;
}

/** What a request has to know before anything else. */
export interface Entrance {
  /** False: the operator has turned the interface off. */
  readonly apiEnabled: boolean;
  readonly holder: KeyHolder | undefined;
}

/**
 * Looks whether the interface serves, and finds a key by its hash together with its business: all in one statement, so
 * that every change counts with the very next request and costs one round trip.
 * @param hash null where no key was presented.
 */
export async function findEntrance(db: Kysely<GatewayTables>, hash: Buffer | null): Promise<Entrance> {
  const row = await db
    .selectFrom('api_switch')
    .leftJoin('api_key', (join) => join.on('api_key.hash', '=', hash))
    .leftJoin('business', 'business.id', 'api_key.business_id')
    .selectAll('business')
    .select([
      'api_switch.enabled',
      'api_key.business_id',
      'api_key.id as key_id',
      'api_key.name as key_name',
      'api_key.prefix',
      'api_key.hash',
      'api_key.scopes',
      'api_key.per_minute',
      'api_key.daily_documents',
      'api_key.created_at as key_created_at',
      'api_key.revoked_at',
    ])
    .executeTakeFirstOrThrow();
  if (row.key_id === null) return { apiEnabled: row.enabled, holder: undefined };
  // The outer joins make every column nullable; with the key all of its row is there, and its business by foreign key.
  const found = row as { [K in keyof typeof row]: Exclude<(typeof row)[K], null> };
  const key = { ...found, id: found.key_id, name: found.key_name, created_at: found.key_created_at };
  return { apiEnabled: row.enabled, holder: { key: toApiKey(key), business: toBusiness(found) } };
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

/** Revokes a key; one that is revoked already stays as it is. */
export async function markRevoked(
  db: Kysely<GatewayTables>,
  keyId: string,
  revokedAt: Date,
): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${revokedAt})` })
    .where('id', '=', keyId)
    .returningAll()
    .executeTakeFirst();
  return row && toApiKey(row);
}
