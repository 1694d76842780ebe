import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figure, type Row } from '../bench/report.js';
import { type Context, rowsOf, upgrade } from './case.js';
import type { Pod } from './cluster.js';
import { chartVersion, operatorFolder, registryOf } from './install.js';
import { underLoad } from './load.js';
import { checkPolicies } from './policies.js';

export async function policies({ cluster }: Context): Promise<Row[]> {
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
export async function podSecurity({ cluster }: Context): Promise<Row[]> {
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
export async function sandbox({ cluster, apiKey }: Context): Promise<Row[]> {
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
