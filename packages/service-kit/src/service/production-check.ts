import type { NatsConnection } from '@nats-io/nats-core';
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../process/config.js';

/**
 * Rejects servers on which a document could be lost or forged.
 * @throws ConfigError that names the unsafe server, and how to make it safe.
 */
export async function rejectUnsafeServers<Tables>(
  connection: NatsConnection,
  db: Kysely<Tables>,
): Promise<void> {
  const findings: string[] = [];
  if (connection.info?.auth_required !== true) {
    findings.push(
      'NATS requires no authentication: configure the users of deploy/helm/pinkas/files/nats-users.conf',
    );
  }
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')
  `.execute(db);
  for (const { name, setting } of rows) {
    if (setting === 'off') {
      findings.push(`PostgreSQL has ${name} off: a power failure could lose issued documents`);
    } else if (setting === 'local') {
      findings.push(
        `PostgreSQL has ${name} local: commits do not wait for the standby, so a failover could lose issued documents`,
      );
    }
  }
  if (findings.length > 0) {
    throw new ConfigError(
      `The servers are not safe for real documents (PRODUCTION=false allows them, for trying things out):\n  ${findings.join('\n  ')}`,
    );
  }
}
