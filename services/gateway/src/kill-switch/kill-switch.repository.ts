import type { Transaction } from '@pinkas/service-kit';
import type { Kysely } from 'kysely';
import type { GatewayTables } from '../db/gateway.tables.js';

/** Whether the HTTP API is on. */
export async function isApiEnabled(db: Kysely<GatewayTables>): Promise<boolean> {
  return (await db.selectFrom('kill_switch').select('api_enabled').executeTakeFirstOrThrow()).api_enabled;
}

/** Like `isApiEnabled`, and locks the row until the transaction ends. */
export async function lockKillSwitch(trx: Transaction<GatewayTables>): Promise<boolean> {
  return (await trx.selectFrom('kill_switch').select('api_enabled').forUpdate().executeTakeFirstOrThrow())
    .api_enabled;
}

/** Turns the HTTP API on or off, for every gateway on this database. */
export async function updateKillSwitch(
  db: Kysely<GatewayTables>,
  apiEnabled: boolean,
  changedAt: Date,
): Promise<void> {
  await db.updateTable('kill_switch').set({ api_enabled: apiEnabled, changed_at: changedAt }).execute();
}
