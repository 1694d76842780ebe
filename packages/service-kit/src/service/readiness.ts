import type { NatsConnection } from '@nats-io/nats-core';
import type { Kysely } from 'kysely';
import { pingDatabase } from '../db/pool.js';
import type { MessagingTables } from '../events/messaging.tables.js';
import type { BackgroundTask } from '../process/background-task.js';
import type { HealthServer } from '../process/health-server.js';
import type { Metrics } from '../process/metrics.js';
import { flush } from '../process/nats-connection.js';

interface ReadinessParts {
  readonly connection: NatsConnection;
  readonly db: Kysely<MessagingTables>;
  readonly metrics: Metrics;
}

/** Sets what `/readyz` reports, and its metrics. */
export function reportReadiness(
  health: HealthServer,
  { readyWithoutServers = false }: { readonly readyWithoutServers?: boolean },
  { connection, db, metrics }: ReadinessParts,
  tasks: readonly BackgroundTask[],
): void {
  const isNatsUp = () => flush(connection);
  const isPostgresUp = () => pingDatabase(db);
  const serverChecks = [
    async () => ((await isNatsUp()) ? null : 'NATS does not answer'),
    async () => ((await isPostgresUp()) ? null : 'the database does not answer'),
  ];
  const checks = [
    ...(readyWithoutServers ? [] : serverChecks),
    ...tasks.map((task) => async () => (await task.ready?.()) ?? null),
  ];
  health.report(checks, () => tasks.flatMap((task) => task.warnings?.() ?? []));
  metrics.gauge('pinkas_ready', '1 while the process is ready, else 0.', async () =>
    Number((await health.reasons()).length === 0),
  );
  metrics.gauges(
    'pinkas_server_up',
    '1 for each required server that answers this process, else 0.',
    'server',
    async () => {
      const [nats, postgres] = await Promise.all([isNatsUp(), isPostgresUp()]);
      return [
        ['nats', Number(nats)],
        ['postgres', Number(postgres)],
      ];
    },
  );
}
