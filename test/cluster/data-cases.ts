import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { figure, type Row } from '../bench/report.js';
import { type CnpgCluster, type Context, rowsOf, Skipped, until, upgrade, verified, wait } from './case.js';
import type { Cluster, Pod } from './cluster.js';
import { installPage, operatorFolder, podNetwork, valuesFile } from './install.js';
import { underLoad } from './load.js';
import { PageCommands } from './page-commands.js';
import { secondsSince } from './run.js';
import { merged, type Values } from './values.js';

/** What `helm uninstall` leaves, and the installation that continues with it. */
export async function uninstalled({ cluster }: Context): Promise<Row[]> {
  const documents = await verified(cluster);
  await cluster.bash('helm uninstall pinkas -n pinkas --wait', { cwd: operatorFolder });
  const names = async (kind: string) =>
    (await cluster.list<Pod>(`${kind} -n pinkas`)).map(({ metadata }) => metadata.name).sort();
  await until('the pods of the services end', async () => (await names('deployments')).length === 0);
  const left = {
    clusters: await names('clusters.postgresql.cnpg.io'),
    claims: await names('pvc'),
    secrets: await names('secrets'),
  };
  const expected = ['pinkas-nats-js-pinkas-nats-0', 'pinkas-postgres-1'];
  if (!left.clusters.includes('pinkas-postgres') || !expected.every((name) => left.claims.includes(name))) {
    throw new Error(`helm uninstall leaves ${JSON.stringify(left)}`);
  }
  const startedAt = performance.now();
  const command = (await PageCommands.of(installPage))
    .block('The chart', 'sh')
    .split('\n')
    .find((line) => line.startsWith('helm install'));
  await cluster.bash(command ?? '', { cwd: operatorFolder, timeoutMs: 1_200_000 });
  const installS = secondsSince(startedAt);
  await until('the operator connects', () => operatorAnswers(cluster));
  const after = await verified(cluster);
  if (after !== documents) {
    throw new Error(`${documents} documents before helm uninstall, ${after} after the next installation`);
  }
  return [figure('reinstall_s', installS, 'helm install with what uninstall left')];
}

/**
 * PDFs in the object store of the cluster, as the page describes: turned on, moved there, the store away for a moment, and
 * all of it taken back.
 */
export async function artifactsInStore({ cluster, apiKey }: Context): Promise<Row[]> {
  const [credentials] = await cluster.list<{ data: Record<string, string> }>(
    'secrets -n object-store --field-selector metadata.name=object-store',
  );
  if (credentials === undefined) {
    throw new Skipped('the cluster has no object store');
  }
  const { ACCESS_KEY_ID, ACCESS_SECRET_KEY } = credentials.data;
  const data = { AWS_ACCESS_KEY_ID: ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: ACCESS_SECRET_KEY };
  await cluster.k(['patch', 'secret', 'pinkas-rendering', '--type=merge', '-p', JSON.stringify({ data })]);
  const address = 's3://pinkas-backup/documents?endpoint=http://object-store.object-store:7070';
  const storedAt = (ARTIFACT_STORE: string) =>
    upgrade(cluster, {
      services: {
        rendering: {
          environment: { ARTIFACT_STORE },
          egressTo: [{ cidr: podNetwork(cluster), port: 7070 }],
        },
      },
    });
  const move = (to: string) =>
    cluster.pinkas<{ moved: number }>(`artifacts move --to ${to} --per-second 100`);

  const upgradeReport = await underLoad(cluster, apiKey, () => storedAt(address));
  const inStore = await move('store');
  await verified(cluster);
  const awayReport = await underLoad(cluster, apiKey, async () => {
    await cluster.kubectl('-n object-store delete pod -l app=object-store');
    await cluster.kubectl('-n object-store rollout status deployment/object-store --timeout=120s');
    await wait(10);
  });
  await verified(cluster);
  await underLoad(cluster, apiKey, () => storedAt(`${address}&readonly=true`));
  const inDatabase = await move('database');
  await storedAt('');
  await verified(cluster);
  if (inDatabase.moved < inStore.moved + awayReport.documents) {
    throw new Error(`${inStore.moved} files moved to the object store, ${inDatabase.moved} from it`);
  }
  return [
    ...rowsOf('object_store', upgradeReport),
    figure('object_store_moved', inDatabase.moved, 'files that were moved back into the database', 0),
    // A request of the seconds without it fails with a retryable error.
    ...rowsOf('object_store_away', awayReport, Number.POSITIVE_INFINITY),
  ];
}

/** The instant to restore to, between documents before and after it; then the steps of the page. */
export async function restored({ cluster, apiKey }: Context): Promise<Row[]> {
  const values = parse(await readFile(valuesFile, 'utf8')) as {
    postgres: { imageName?: string; backup: { enabled?: boolean } };
  };
  if (values.postgres.backup.enabled === false) {
    throw new Skipped('the cluster has no object store');
  }
  const page = await PageCommands.of('docs/operating/backup-and-restore.md');
  const heading = 'Restore to an instant';
  const psql = (name: string, sql: string) =>
    cluster.k(['exec', name, '-c', 'postgres', '--', 'psql', '-tAc', sql]);
  const primary = async () =>
    (JSON.parse(await cluster.k('get cluster pinkas-postgres -o json')) as CnpgCluster).status.currentPrimary;

  await until('the first backup is complete', async () =>
    (await cluster.list<{ status?: { phase?: string } }>('backups.postgresql.cnpg.io -n pinkas')).some(
      ({ status }) => status?.phase === 'completed',
    ),
  );
  const documents = await verified(cluster);
  await wait(2);
  const [instant = ''] = (await psql(await primary(), 'select now()')).trim().split('\n');
  await wait(2);
  await underLoad(cluster, apiKey, () => wait(10));
  const later = await verified(cluster);
  // The log of the documents after the instant is archived, so that a restore to the latest instant would have them.
  const [file = ''] = (await psql(await primary(), 'select pg_walfile_name(pg_switch_wal())'))
    .trim()
    .split('\n');
  await until(
    'the log is archived',
    async () =>
      (await psql(await primary(), 'select last_archived_wal from pg_stat_archiver')).trim() >= file,
  );

  const startedAt = performance.now();
  await cluster.bash(page.block(heading, 'sh', {}, 0), { cwd: operatorFolder });
  const { postgres: size } = parse(
    await readFile(join(operatorFolder, 'deploy/helm/pinkas/values.yaml'), 'utf8'),
    {
      merge: true,
    },
  ) as { postgres: Values };
  const own = merged(size, values.postgres as Values) as Record<string, never>;
  const { imageName, instances, parameters, resources, storage, walStorage } = own;
  await cluster.apply(
    merged(parse(page.block(heading, 'yaml', { '2026-03-01 09:15:00+02': instant }, 0)) as Values, {
      spec: {
        ...{ imageName, instances, resources, storage: { size: storage }, walStorage: { size: walStorage } },
        postgresql: { parameters },
      },
    }),
  );
  await cluster.k('wait cluster/pinkas-postgres-restored --for=condition=Ready --timeout=600s', {
    timeoutMs: 660_000,
  });
  for (const index of [1, 2]) {
    await cluster.bash(page.block(heading, 'sh', {}, index), { cwd: operatorFolder });
  }
  await upgrade(
    cluster,
    parse(page.block(heading, 'yaml', { '10.244.0.0/16': podNetwork(cluster) }, 1)) as Values,
  );
  const restoreS = secondsSince(startedAt);
  await until('the operator connects', () => operatorAnswers(cluster));
  const after = await verified(cluster);
  if (after !== documents || later <= documents) {
    throw new Error(`${documents} documents at the instant, ${later} later, ${after} after the restore`);
  }
  // The restored book goes on.
  const report = await underLoad(cluster, apiKey, () => wait(10));
  return [
    figure('restore_s', restoreS, 'from the stop of the services to the system that is ready'),
    figure('restore_documents', after, 'documents that the restored book has, as at the instant', 0),
    ...rowsOf('restored', report),
  ];
}

const operatorAnswers = (cluster: Cluster) =>
  cluster.pinkas('business list').then(
    () => true,
    () => false,
  );
