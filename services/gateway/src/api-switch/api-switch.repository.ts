import type { Kysely } from 'kysely';
import type { GatewayTables } from '../business/business.tables.js';

/** Turns the interface on or off, for every gateway on this database. */
export async function setApiSwitch(
  db: Kysely<GatewayTables>,
  enabled: boolean,
  changedAt: Date,
): Promise<void> {
  await db.updateTable('api_switch').set({ enabled, changed_at: changedAt }).execute();
}
