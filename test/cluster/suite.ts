import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceNames } from '@pinkas/contracts';
import { parse, stringify } from 'yaml';
import { figure, progress, type Row } from '../bench/report.js';
import type { Verification } from '../harness/running-stack.js';
import type { Cluster, Pod } from './cluster.js';
import {
  builderOfImages,
  chartVersion,
  imageNames,
  installPage,
  loadImages,
  operatorFolder,
  podNetwork,
  registryOf,
  valuesFile,
} from './install.js';
import { type LoadReport, underLoad } from './load.js';
import { PageCommands } from './page-commands.js';
import { checkPolicies } from './policies.js';
import { run, secondsSince } from './run.js';
import { merged, type Values } from './values.js';

/** What a case gets. */
export interface Context {
  readonly cluster: Cluster;
  /** Of the business whose documents the load issues. */
  readonly apiKey: string;
}

/** Why a case cannot run on this cluster. */
export class Skipped extends Error {}

/** @returns its figures. @throws when what it is about does not hold; Skipped. */
type Case = (context: Context) => Promise<Row[]>;

const replicated = [...serviceNames, 'printer'];
const cnpgPods = '-n pinkas -l cnpg.io/cluster=pinkas-postgres';

/** Deletes each pod of a workload, one after another, and waits for its successor. */
async function deleteEach(cluster: Cluster, component: string, workload: string): Promise<void> {
  for (const { metadata } of await cluster.pods(component)) {
    await cluster.k(`delete pod ${metadata.name}`);
    await cluster.rolledOut(workload);
  }
}

/** @throws when more requests were refused at the first try than may be. */
function rowsOf(name: string, report: LoadReport, refusedMax = 0): Row[] {
  if (report.refused > refusedMax) {
    throw new Error(
      `${report.refused} of ${report.documents} requests failed at the first try: ${report.outcomes.join('; ')}`,
    );
  }
  return [
    figure(`${name}_documents`, report.documents, 'documents that were issued'),
    figure(`${name}_refused`, report.refused, 'requests that failed at the first try'),
    figure(`${name}_p50_ms`, report.p50Ms, 'median'),
    figure(`${name}_max_ms`, report.maxMs, 'slowest'),
    figure(`${name}_pause_s`, report.longestPauseS, 'longest time without a document'),
  ];
}

const operatorValues = async () => parse(await readFile(valuesFile, 'utf8')) as Values;

/** Changes the operator's values, and upgrades by the command of the page. */
async function upgrade(cluster: Cluster, change: Values = {}): Promise<void> {
  const values = await operatorValues();
  await writeFile(valuesFile, stringify(merged(values, change)), { mode: 0o600 });
  const page = await PageCommands.of('docs/operating/upgrade.md');
  await cluster.bash(page.block('Upgrade', 'sh'), { cwd: operatorFolder, timeoutMs: 1_200_000 });
}

/** Proves every book of the cluster. @returns how many documents there are. */
async function verified(cluster: Cluster): Promise<number> {
  const { ok, businesses } = await cluster.pinkas<Verification>('verify');
  const findings = businesses.flatMap((business) => business.findings);
  if (!ok) {
    throw new Error(`pinkas verify: ${JSON.stringify(findings.slice(0, 5))}`);
  }
  return businesses.reduce((sum, { documents }) => sum + documents, 0);
}

interface PodUsage {
  podRef: { name: string; namespace: string };
  memory?: { workingSetBytes?: number };
  cpu?: { usageCoreNanoSeconds?: number };
}

/** What the kubelets say that the pods use, by component. */
async function usage(cluster: Cluster): Promise<Map<string, { memoryMb: number; cpuS: number }>> {
  const nodes = await cluster.list<Pod>('nodes');
  const summaries = await Promise.all(
    nodes.map(async ({ metadata }) => {
      const text = await cluster.kubectl(`get --raw /api/v1/nodes/${metadata.name}/proxy/stats/summary`);
      return (JSON.parse(text) as { pods: PodUsage[] }).pods;
    }),
  );
  const components = new Map(
    (await cluster.list<Pod>('pods -n pinkas')).map(({ metadata: { name, labels } }) => [
      name,
      labels?.['app.kubernetes.io/component'] ?? (labels?.['cnpg.io/cluster'] ? 'postgres' : name),
    ]),
  );
  const usages = new Map<string, { memoryMb: number; cpuS: number }>();
  for (const { podRef, memory, cpu } of summaries.flat()) {
    const component = podRef.namespace === 'pinkas' ? components.get(podRef.name) : undefined;
    if (component !== undefined) {
      const former = usages.get(component) ?? { memoryMb: 0, cpuS: 0 };
      usages.set(component, {
        memoryMb: Math.max(former.memoryMb, (memory?.workingSetBytes ?? 0) / 2 ** 20),
        cpuS: former.cpuS + (cpu?.usageCoreNanoSeconds ?? 0) / 1e9,
      });
    }
  }
  return usages;
}

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Waits until something holds. @throws when it does not within so many seconds. */
async function until(what: string, holds: () => Promise<boolean>, seconds = 180): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (secondsSince(startedAt) > seconds) {
      throw new Error(`${what}: not within ${seconds} s`);
    }
    await wait(1);
  }
}

/** The idle system, then the same at ten documents a second. */
async function podUsage({ cluster, apiKey }: Context): Promise<Row[]> {
  const measuredS = 60;
  /** The usage at the end of a minute, with the cores that were busy during it. */
  const ofAMinute = async (): Promise<Row[]> => {
    // A kubelet measures every ten seconds or so.
    const before = await usage(cluster);
    await wait(measuredS);
    const after = await usage(cluster);
    return [...after]
      .sort()
      .flatMap(([component, { memoryMb, cpuS }]) => [
        figure(`memory_mb_${component}`, memoryMb, 'of its largest pod', 0),
        figure(
          `cpu_m_${component}`,
          ((cpuS - (before.get(component)?.cpuS ?? 0)) / measuredS) * 1000,
          'of its pods together',
          0,
        ),
      ]);
  };
  const named = (rows: Row[], state: string) =>
    rows.map((row) => ({ ...row, name: `${row.name}_${state}`, meaning: `${row.meaning}, ${state}` }));
  const rows = named(await ofAMinute(), 'idle');
  const report = await underLoad(
    cluster,
    apiKey,
    async () => rows.push(...named(await ofAMinute(), 'at_10_a_second')),
    10,
  );
  // A machine that cannot issue ten a second along with its other work still shows what the pods use.
  return [...rows, ...rowsOf('usage', report, Number.POSITIVE_INFINITY)];
}

async function upgradeOfValues({ cluster, apiKey }: Context): Promise<Row[]> {
  // Another value than the last run has left, so that every pod of a service is replaced.
  const { environment } = (await operatorValues()) as { environment?: { LOG_LEVEL?: string } };
  const level = environment?.LOG_LEVEL === 'debug' ? 'info' : 'debug';
  const report = await underLoad(cluster, apiKey, () =>
    upgrade(cluster, { environment: { LOG_LEVEL: level } }),
  );
  return rowsOf('upgrade_values', report);
}

/** The same images under another tag, as a release has. */
async function upgradeOfImages({ cluster, apiKey }: Context): Promise<Row[]> {
  const [version, registry, [builder]] = [await chartVersion(), registryOf(cluster), await builderOfImages()];
  const { images: former } = (await operatorValues()) as { images: { tag?: string } };
  const tag = former.tag === `${version}-next` ? `${version}-other` : `${version}-next`;
  const images = imageNames.map((name) => `${registry}pinkas-${name}`);
  for (const image of images) {
    await run(builder, ['tag', `${image}:${version}`, `${image}:${tag}`]);
  }
  await loadImages(
    cluster,
    images.map((image) => `${image}:${tag}`),
  );
  const report = await underLoad(cluster, apiKey, () => upgrade(cluster, { images: { tag } }));
  return rowsOf('upgrade_images', report);
}

/** An upgrade that changes the users of NATS, whose servers reload them. */
async function reloadOfNats({ cluster, apiKey }: Context): Promise<Row[]> {
  const reloads = async () => {
    const pods = await cluster.pods('nats');
    const logs = await Promise.all(pods.map(({ metadata }) => cluster.k(`logs ${metadata.name} -c nats`)));
    return logs.map((log) => log.split('Reloaded server configuration').length);
  };
  const before = await reloads();
  await appendFile(
    join(operatorFolder, 'deploy/helm/pinkas/files/nats-users.conf'),
    `# ${new Date().toISOString()}\n`,
  );
  const report = await underLoad(cluster, apiKey, async () => {
    await upgrade(cluster);
    await until('every server of NATS reloads', async () =>
      (await reloads()).every((count, index) => count > (before[index] ?? 0)),
    );
  });
  return rowsOf('reload', report);
}

async function podsDeleted({ cluster, apiKey }: Context): Promise<Row[]> {
  const report = await underLoad(cluster, apiKey, async () => {
    for (const component of [...replicated, 'redis']) {
      await deleteEach(cluster, component, `deployment/pinkas-${component}`);
    }
  });
  return rowsOf('pods', report);
}

async function natsDeleted({ cluster, apiKey }: Context): Promise<Row[]> {
  const report = await underLoad(cluster, apiKey, () =>
    deleteEach(cluster, 'nats', 'statefulset/pinkas-nats'),
  );
  return rowsOf('nats', report);
}

interface CnpgCluster {
  status: { currentPrimary: string; targetPrimary: string; readyInstances?: number; phase: string };
  spec: { instances: number };
}

async function primaryDeleted({ cluster, apiKey }: Context): Promise<Row[]> {
  const state = async () => JSON.parse(await cluster.k('get cluster pinkas-postgres -o json')) as CnpgCluster;
  const allReady = async () => {
    const { status, spec } = await state();
    return status.readyInstances === spec.instances;
  };
  // The last joins minutes after the installation; with one standby, which leads then, commits wait for the deleted server.
  await until('all servers are ready', allReady, 600);
  const { status } = await state();
  const startedAt = performance.now();
  let healedS = Number.NaN;
  const report = await underLoad(cluster, apiKey, async () => {
    await cluster.k(`delete pod ${status.currentPrimary} --wait=false`);
    await until(
      'another server leads',
      async () => (await state()).status.currentPrimary !== status.currentPrimary,
    );
    await until('all servers are ready', allReady);
    healedS = secondsSince(startedAt);
  });
  return [
    // The seconds are what counts: a request of them fails with a retryable error.
    ...rowsOf('primary', report, Number.POSITIVE_INFINITY),
    figure('primary_healed_s', healedS, 'until all servers of PostgreSQL are ready again'),
  ];
}

async function scaled({ cluster, apiKey }: Context): Promise<Row[]> {
  const report = await underLoad(cluster, apiKey, async () => {
    for (const replicas of [3, 1, 2]) {
      for (const service of ['gateway', 'issuing', 'rendering']) {
        await cluster.k(`scale deployment pinkas-${service} --replicas=${replicas}`);
      }
      for (const service of ['gateway', 'issuing', 'rendering']) {
        await cluster.rolledOut(`deployment/pinkas-${service}`);
      }
      await wait(10);
    }
  });
  return rowsOf('scaled', report);
}

/** A node is drained, as for its maintenance, and comes back. */
async function drained({ cluster, apiKey }: Context): Promise<Row[]> {
  const nodes = await cluster.list<Pod & { spec: { taints?: unknown[] } }>('nodes');
  const workers = nodes.filter(({ spec }) => !spec.taints);
  if (workers.length < 2) {
    throw new Skipped('the cluster has one node');
  }
  const state = JSON.parse(await cluster.k('get cluster pinkas-postgres -o json')) as CnpgCluster;
  // The node where the book is not, since the case of the primary is another; it has pods of services.
  const pods = await cluster.list<Pod>(`pods ${cnpgPods}`);
  const leading = pods.find(({ metadata }) => metadata.name === state.status.currentPrimary)?.spec.nodeName;
  const node = workers.map(({ metadata }) => metadata.name).find((name) => name !== leading) ?? '';
  if (!(await cluster.pods('issuing')).some(({ spec }) => spec.nodeName === node)) {
    await cluster.k('rollout restart deployment');
    for (const service of replicated) {
      await cluster.rolledOut(`deployment/pinkas-${service}`);
    }
  }
  let drainS = Number.NaN;
  const report = await underLoad(cluster, apiKey, async () => {
    const startedAt = performance.now();
    try {
      // The caller is a pod without a controller, which a drain does not make again.
      await cluster.kubectl(
        `drain ${node} --ignore-daemonsets --delete-emptydir-data --timeout=480s --pod-selector=app.kubernetes.io/name,app.kubernetes.io/component!=caller`,
      );
      drainS = secondsSince(startedAt);
    } finally {
      await cluster.kubectl(`uncordon ${node}`);
    }
    for (const service of replicated) {
      await cluster.rolledOut(`deployment/pinkas-${service}`);
    }
  });
  return [...rowsOf('drain', report), figure('drain_s', drainS, 'until the node was empty')];
}

async function policies({ cluster }: Context): Promise<Row[]> {
  // Our own nodes have no way out: an address of the first is used for the internet.
  const { tried, wrong } = await checkPolicies(
    cluster,
    cluster.kind === 'nodes' ? '203.0.113.10' : '1.1.1.1',
  );
  if (wrong.length > 0) {
    throw new Error(`connections differ from what the chart promises: ${wrong.join('; ')}`);
  }
  return [figure('policies_tried', tried, 'pairs of a pod and an address', 0)];
}

/** PodSecurity refuses what has privileges, and warns of no pod of the chart. */
async function podSecurity({ cluster }: Context): Promise<Row[]> {
  const privileged = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'privileged', namespace: 'pinkas' },
    spec: { containers: [{ name: 'c', image: 'example', securityContext: { privileged: true } }] },
  };
  const refused = await cluster
    .kubectl('apply --dry-run=server -f -', { input: JSON.stringify(privileged) })
    .then(
      () => false,
      (error: Error) => error.message.includes('violates PodSecurity "restricted'),
    );
  if (!refused) {
    throw new Error('the namespace admits a privileged pod');
  }
  return [];
}

/** Counts Chromium's renderers: those with a user namespace of their own and a seccomp filter, and others. */
const sandboxedRenderers = `
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
const own = readlinkSync('/proc/self/ns/user');
const counts = { sandboxed: 0, others: 0 };
for (const id of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  try {
    if (readFileSync('/proc/' + id + '/cmdline', 'utf8').includes('--type=renderer')) {
      const filtered = /^Seccomp:\\s+2$/m.test(readFileSync('/proc/' + id + '/status', 'utf8'));
      counts[filtered && readlinkSync('/proc/' + id + '/ns/user') !== own ? 'sandboxed' : 'others'] += 1;
    }
  } catch (error) {
    // A process of another user namespace does not show it to this one.
    counts[error.code === 'EACCES' ? 'sandboxed' : 'others'] += 1;
  }
}
console.log(JSON.stringify(counts));
`;

/** The seccomp profile of the chart on every node, and Chromium's sandbox required. */
async function sandbox({ cluster, apiKey }: Context): Promise<Row[]> {
  const profile = await readFile(
    join(operatorFolder, 'deploy/helm/pinkas/files/seccomp-chromium.json'),
    'utf8',
  );
  const nodes = await cluster.list<Pod>('nodes');
  const image = `${registryOf(cluster)}pinkas-cli:${await chartVersion()}`;
  for (const { metadata } of nodes) {
    const name = `seccomp-${metadata.name}`;
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'kube-system' },
      spec: {
        nodeName: metadata.name,
        restartPolicy: 'Never',
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            name: 'copy',
            image,
            command: [
              'sh',
              '-c',
              'mkdir -p /seccomp/pinkas && printf %s "$PROFILE" >/seccomp/pinkas/chromium.json',
            ],
            env: [{ name: 'PROFILE', value: profile }],
            securityContext: { runAsUser: 0 },
            volumeMounts: [{ name: 'seccomp', mountPath: '/seccomp' }],
          },
        ],
        volumes: [
          { name: 'seccomp', hostPath: { path: '/var/lib/kubelet/seccomp', type: 'DirectoryOrCreate' } },
        ],
      },
    });
    await cluster.kubectl(
      `-n kube-system wait pod/${name} --for=jsonpath={.status.phase}=Succeeded --timeout=60s`,
    );
    await cluster.kubectl(`-n kube-system delete pod ${name}`);
  }
  const report = await underLoad(cluster, apiKey, () =>
    upgrade(cluster, {
      printer: { seccompProfile: 'pinkas/chromium.json', environment: { CHROMIUM_SANDBOX: 'required' } },
    }),
  );
  const { done } = cluster.script('-n pinkas deploy/pinkas-printer', sandboxedRenderers, []);
  if ((JSON.parse(await done) as { sandboxed: number; others: number }).sandboxed === 0) {
    throw new Error('no renderer of Chromium runs in a sandbox');
  }
  return rowsOf('sandbox', report);
}

/** What `helm uninstall` leaves, and the installation that continues with it. */
async function uninstalled({ cluster }: Context): Promise<Row[]> {
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
async function artifactsInStore({ cluster, apiKey }: Context): Promise<Row[]> {
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
async function restored({ cluster, apiKey }: Context): Promise<Row[]> {
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

/** In the order in which they run. Those of `replicas` want two of each service. */
export const cases: Record<string, { run: Case; needsReplicas?: true }> = {
  usage: { run: podUsage },
  'pod-security': { run: podSecurity },
  policies: { run: policies },
  'upgrade-values': { run: upgradeOfValues, needsReplicas: true },
  'upgrade-images': { run: upgradeOfImages, needsReplicas: true },
  reload: { run: reloadOfNats, needsReplicas: true },
  sandbox: { run: sandbox, needsReplicas: true },
  pods: { run: podsDeleted, needsReplicas: true },
  nats: { run: natsDeleted, needsReplicas: true },
  primary: { run: primaryDeleted, needsReplicas: true },
  scaled: { run: scaled, needsReplicas: true },
  drain: { run: drained, needsReplicas: true },
  'object-store': { run: artifactsInStore, needsReplicas: true },
  uninstall: { run: uninstalled },
  restore: { run: restored },
};

const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  runAsUser: 10001,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** The pods in the place of an ingress controller, in another namespace, and without labels next to the services. */
async function ensureCallers(cluster: Cluster): Promise<void> {
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ingress-nginx' } });
  const image = `${registryOf(cluster)}pinkas-cli:${await chartVersion()}`;
  for (const [namespace, name] of [
    ['ingress-nginx', 'caller'],
    ['default', 'foreign'],
    ['pinkas', 'neighbour'],
  ]) {
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [{ name: 'caller', image, command: ['sleep', 'infinity'], securityContext: restricted }],
      },
    });
    await cluster.kubectl(`-n ${namespace} wait pod/${name} --for=condition=Ready --timeout=120s`);
  }
}

/** Runs cases on an installed system, one after another. @returns the figures of all, and how many failed. */
export async function test(
  cluster: Cluster,
  wanted: readonly string[],
): Promise<{ rows: Row[]; failed: number }> {
  await ensureCallers(cluster);
  const business = await cluster.pinkas<{ id: string }>(
    'business create --file -',
    JSON.stringify({
      name: 'Example Ltd',
      legal_type: 'hevra_baam',
      tax_id: '777777715',
      address: '1 Example St',
      city: 'Tel Aviv',
      email: 'business@example.com',
    }),
  );
  const { key } = await cluster.pinkas<{ key: string }>(
    `key create --business ${business.id} --per-minute 100000 --daily 1000000`,
  );
  const [gateway] = await cluster.list<{ spec: { replicas: number } }>(
    'deployments -n pinkas -l app.kubernetes.io/component=gateway',
  );
  const rows: Row[] = [];
  let failed = 0;
  for (const [name, { run: runCase, needsReplicas }] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.includes(name)) {
      continue;
    }
    const startedAt = performance.now();
    try {
      if (needsReplicas && (gateway?.spec.replicas ?? 0) < 2) {
        throw new Skipped('the services have one replica');
      }
      progress(`  … ${name}`);
      rows.push(...(await runCase({ cluster, apiKey: key })));
      await verified(cluster);
      progress(`  ✓ ${name}  ${secondsSince(startedAt)} s`);
    } catch (error) {
      const skipped = error instanceof Skipped;
      failed += skipped ? 0 : 1;
      progress(`  ${skipped ? '-' : '✗'} ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { rows, failed };
}
