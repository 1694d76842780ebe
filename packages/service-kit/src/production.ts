import { type Kysely, sql } from 'kysely';
import type { NatsConnection } from 'nats';
import { ConfigError } from './config.js';

/**
 * Refuses to serve where a document could be lost or forged.
 * @throws ConfigError that says which server is unsafe, and how it is made safe.
 */
export async function refuseUnsafeServers<Tables>(
  connection: NatsConnection,
  db: Kysely<Tables>,
): Promise<void> {
  const faults: string[] = [];
  if (connection.info?.auth_required !== true)
    faults.push('NATS takes anybody: give it the users of deploy/helm/pinkas/files/nats-users.conf');
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')
  `.execute(db);
  for (const { name, setting } of rows) {
    if (setting === 'off') faults.push(`PostgreSQL has ${name} off: a power cut would take issued documents`);
  }
  if (faults.length > 0)
    throw new ConfigError(
      `The servers are not fit for real documents (PRODUCTION=false lifts this, on a machine to try things on):\n  ${faults.join('\n  ')}`,
    );
}
