import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figure, progress, type Row } from '../bench/report.js';
import {
  type Case,
  type CnpgCluster,
  type Context,
  cnpgPods,
  deleteEach,
  operatorValues,
  replicated,
  rowsOf,
  Skipped,
  until,
  upgrade,
  usage,
  verified,
  wait,
} from './case.js';
import type { Cluster, Pod } from './cluster.js';
import { artifactsInStore, restored, uninstalled } from './data-cases.js';
import {
  builderOfImages,
  chartVersion,
  imageNames,
  loadImages,
  operatorFolder,
  registryOf,
} from './install.js';
import { underLoad } from './load.js';
import { run, secondsSince } from './run.js';
import { podSecurity, policies, sandbox } from './security-cases.js';

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
