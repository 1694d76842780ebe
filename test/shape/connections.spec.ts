import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { databaseConnectionsMax } from '@pinkas/local-stack';
import { serviceFields } from '@pinkas/service-kit/config';
import { parse } from 'yaml';
import { merged } from '../cluster/values.js';
import { repositoryRoot } from '../harness/sources.js';

const read = async (path: string) =>
  parse(await readFile(join(repositoryRoot, path), 'utf8'), { merge: true });
const poolSize = (given: string | undefined) => Number(given ?? serviceFields.databasePoolSize.fallback);

/** The preparation of a replica, which uses one connection at a time. */
const preparation = 1;
/** What PostgreSQL keeps for superusers, the operator of its cluster with its metrics, and a person who looks in. */
const beside = 20;

describe('PostgreSQL takes all connections that the services may open', () => {
  it.each([
    ['values.yaml', 2],
    ['values-try-out.yaml', 1],
    ['values-large.yaml', 2],
  ])(
    'PostgreSQL of the chart accepts the connections of all replicas and of a rolling update: %s',
    async (file, least) => {
      const [defaults, ofFile] = [
        await read('deploy/helm/pinkas/values.yaml'),
        await read(`deploy/helm/pinkas/${file}`),
      ];
      const values = merged(defaults, ofFile) as typeof defaults;
      const opened = serviceNames.map((service: ServiceName) => {
        const { replicas, autoscaling, environment } = values.services[service];
        const most = autoscaling.enabled ? autoscaling.maxReplicas : replicas;
        expect(most).toBeGreaterThanOrEqual(least);
        const own = poolSize(environment.DATABASE_POOL_SIZE ?? values.environment.DATABASE_POOL_SIZE);
        return (most + 1) * own + preparation;
      });
      const sum = opened.reduce((total, count) => total + count, 0);
      expect(Number(values.postgres.parameters.max_connections)).toBeGreaterThanOrEqual(sum + beside);
    },
  );

  it('PostgreSQL of the compose file accepts the connections of two replicas', async () => {
    const { services } = await read('deploy/compose.yaml');
    const sum = serviceNames.reduce(
      (total, service) =>
        total + 2 * poolSize(services[service].environment.DATABASE_POOL_SIZE) + preparation,
      0,
    );
    const max = /max_connections=(\d+)/.exec(services.postgres.command.join(' '))?.[1];
    expect(Number(max)).toBeGreaterThanOrEqual(sum + beside);
  });

  it.each([1, 2, 3])('PostgreSQL of the local stack accepts the connections of %i replicas', (replicas) => {
    const pools = replicas * serviceNames.length * poolSize(undefined);
    expect(databaseConnectionsMax(replicas)).toBeGreaterThanOrEqual(
      pools + serviceNames.length * preparation + beside,
    );
  });
});
