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

/** Finds a key by its hash, together with its business, in one look. */
export async function findKeyHolder(db: Kysely<GatewayTables>, hash: Buffer): Promise<KeyHolder | undefined> {
  const row = await db
    .selectFrom('api_key')
    .innerJoin('business', 'business.id', 'api_key.business_id')
    .selectAll('business')
    .select([
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
    .where('api_key.hash', '=', hash)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    key: toApiKey({ ...row, id: row.key_id, name: row.key_name, created_at: row.key_created_at }),
    business: toBusiness(row),
  };
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
