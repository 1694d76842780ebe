import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { isMessagingService, type ServiceName } from '@pinkas/contracts';
import type { Kysely } from 'kysely';
import { databaseChecks } from '../diagnosis/database-checks.js';
import { type Diagnosis, failure, ok, warning } from '../diagnosis/diagnosis.js';
import { streamChecks } from '../diagnosis/stream-checks.js';
import type { MessagingTables } from '../events/messaging.tables.js';
import type { ServiceConfig } from '../process/config.js';

interface Parts {
  readonly diagnosis: Diagnosis;
  readonly db: Kysely<MessagingTables>;
  readonly connection: NatsConnection;
}

/** Adds what is checked of every service. @param reasons why the process is not ready. */
export function addServiceChecks(
  service: { readonly name: ServiceName; readonly config: ServiceConfig; readonly migrations?: object },
  { diagnosis, db, connection }: Parts,
  manager: () => Promise<JetStreamManager>,
  reasons: () => Promise<string[]>,
): void {
  const { name, config, migrations = {} } = service;
  diagnosis.add('processes', async () => {
    const found = await reasons();
    return found.length === 0
      ? [ok('processes', name, 'is ready')]
      : found.map((reason) =>
          failure('processes', name, `is not ready: ${reason}`, 'docs/runbooks/service-down.md'),
        );
  });
  diagnosis.add('configuration', () => [checkProduction(config), checkNats(connection)]);
  diagnosis.add('database', databaseChecks(db, config.databaseUrl, Object.keys(migrations)));
  if (isMessagingService(name)) {
    diagnosis.add('streams', streamChecks(name, manager, db));
  }
}

const checkProduction = ({ production }: ServiceConfig) =>
  production
    ? ok('configuration', 'PRODUCTION', 'true: the service has no placeholder for a secret, and safe servers')
    : warning(
        'configuration',
        'PRODUCTION',
        'false: for trying out; secrets and servers are not checked',
        'Set PRODUCTION=true where real documents are issued',
      );

function checkNats({ info }: NatsConnection) {
  const version = `version ${info?.version ?? 'unknown'}`;
  return info?.auth_required === true
    ? ok('configuration', 'servers of NATS', `${version}, each service has a user of its own`)
    : warning(
        'configuration',
        'servers of NATS',
        `${version}, takes everybody who connects`,
        'Configure the users of deploy/helm/pinkas/files/nats-users.conf',
      );
}
