import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceNames } from '@pinkas/contracts';
import { parse, stringify } from 'yaml';
import { repositoryRoot } from '../harness/sources.js';
import { type Cluster, clusterHome, kindName } from './cluster.js';
import { PageCommands } from './page-commands.js';
import { run, secondsSince, step } from './run.js';
import { merged, type Values } from './values.js';

/** The sizes that the chart has values for; `small` are its defaults. */
export const sizes = ['try-out', 'small', 'large'] as const;
export type Size = (typeof sizes)[number];

/** Where the commands of the pages run: a copy of `deploy/`, and what an operator has next to it. */
export const operatorFolder = join(clusterHome, 'operator');
export const valuesFile = join(operatorFolder, 'my-values.yaml');
export const installPage = 'docs/operating/install.md';
const signingPassword = 'demo-password-of-a-signer';
export const imageNames = [...serviceNames, 'printer', 'cli'];
const cnpgManifest =
  'https://raw.githubusercontent.com/cloudnative-pg/cloudnative-pg/release-1.26/releases/cnpg-1.26.0.yaml';

/** The network of the pods; on another cluster that of kind, which the pages have as an example. */
export function podNetwork({ kind }: Pick<Cluster, 'kind'>): string {
  return kind === 'nodes' ? '10.200.0.0/16' : '10.244.0.0/16';
}

/** What our own nodes have in place of the images of public registries, and half of the chart's requests for processor time. */
const half = { resources: { requests: { cpu: '50m' } } };
const valuesOfNodes: Values = {
  services: Object.fromEntries(serviceNames.map((name) => [name, half])),
  printer: { resources: { requests: { cpu: '125m' } } },
  ingress: { trustedProxies: podNetwork({ kind: 'nodes' }) },
  postgres: {
    imageName: 'localhost/postgresql:15',
    storage: '5Gi',
    walStorage: '2Gi',
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    parameters: { shared_buffers: '256MB' },
    backup: { endpointUrl: 'http://object-store.object-store:7070' },
  },
  redis: { image: 'localhost/redis:7-bookworm', ...half },
  nats: {
    container: {
      image: { fullImageName: 'localhost/nats:2.11.10' },
      merge: half,
    },
    reloader: { image: { fullImageName: 'localhost/nats-server-config-reloader:0.20.1' } },
  },
};

/** The images of our own nodes that are not the product's. */
const imagesOfNodes = [
  'localhost/cloudnative-pg:1.26.0',
  'localhost/postgresql:15',
  'localhost/nats:2.11.10',
  'localhost/nats-server-config-reloader:0.20.1',
  'localhost/redis:7-bookworm',
];

/** The image registry of a cluster, with the slash at its end. */
export function registryOf(cluster: Cluster): string {
  if (cluster.kind !== 'given') {
    return 'localhost/pinkas/';
  }
  const registry = process.env.REGISTRY;
  if (!registry?.endsWith('/')) {
    throw new Error(
      'set REGISTRY to a registry that the cluster pulls from, such as registry.example.com/pinkas/',
    );
  }
  return registry;
}

/** Runs a script of the clusters that are made of Debian's packages. */
export const nodeScript = (name: string, ...args: string[]) =>
  run('bash', [join(repositoryRoot, 'test/cluster/node', name), ...args], { timeoutMs: 3_600_000 });

export const chartVersion = async () =>
  (JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as { version: string }).version;

/** Makes images known to the nodes of a cluster. */
export async function loadImages(cluster: Cluster, images: readonly string[]): Promise<void> {
  if (cluster.kind === 'nodes') {
    await nodeScript('load-images', ...images);
  } else if (cluster.kind === 'kind') {
    await run('kind', ['load', 'docker-image', '--name', kindName, ...images]);
  } else {
    const [builder = ''] = await builderOfImages();
    for (const image of images) {
      await run(builder, ['push', image]);
    }
  }
}

/** @returns docker, or buildah where its daemon does not answer: what deploy/build-images builds with. */
export async function builderOfImages(): Promise<[string]> {
  return run('docker', ['info']).then(
    () => ['docker'],
    () => ['buildah'],
  );
}

/** Builds the images by the command of the page. */
async function buildImages(cluster: Cluster, command: string): Promise<void> {
  const base = cluster.kind === 'nodes' ? '--build-arg NODE_IMAGE=localhost/node:26.10.0-bookworm-slim ' : '';
  await run('bash', ['-c', command], {
    cwd: repositoryRoot,
    env: { BUILD_OPTIONS: `${base}${process.env.BUILD_OPTIONS ?? ''}` },
    timeoutMs: 3_600_000,
  });
}

/** The certificates that the page asks an operator for: of the servers of NATS, and one that signs documents. */
const makeCertificates = `
nats="openssl req -newkey rsa:2048 -nodes"
$nats -x509 -days 30 -subj /CN=example-authority -keyout ca.key -out ca.crt
$nats -subj /CN=pinkas-nats -addext subjectAltName=DNS:pinkas-nats -keyout tls.key -out nats.csr
openssl x509 -req -in nats.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -copy_extensions copy -out tls.crt
openssl req -x509 -newkey rsa:3072 -nodes -days 365 -subj /CN=example-signer \
  -addext keyUsage=critical,digitalSignature,nonRepudiation -keyout signing.key -out signing.crt
openssl pkcs12 -export -in signing.crt -inkey signing.key -passout pass:${signingPassword} -out certificate.p12
`;
const natsSecret =
  'kubectl -n pinkas create secret generic pinkas-nats-tls --from-file=tls.crt --from-file=tls.key --from-file=ca.crt';

/** What the page has an operator do, with what is filled in. @param registry with the slash at its end. */
export async function commandsOfPage(registry: string) {
  const page = await PageCommands.of(installPage);
  return {
    images: page.block('Images', 'sh', { 'registry.example.com/pinkas/': registry }),
    secrets: page.block('Secrets', 'sh', {
      'SIGNING_P12_PASSWORD=…': `SIGNING_P12_PASSWORD=${signingPassword}`,
      'TAX_AUTHORITY_CLIENT_SECRET=…': 'TAX_AUTHORITY_CLIENT_SECRET=demo-client-secret',
      'smtps://…': 'smtps://pinkas:7f3a91c2e5b84d06@mail.example.com:465',
      'ACCESS_KEY_ID=…': 'ACCESS_KEY_ID=demo-access-key',
      'ACCESS_SECRET_KEY=…': 'ACCESS_SECRET_KEY=demo-access-secret',
    }),
    values: parse(
      page.block('The chart', 'yaml', {
        'registry.example.com/pinkas': registry.slice(0, -1),
        'TAX_AUTHORITY_CLIENT_ID: "…"': 'TAX_AUTHORITY_CLIENT_ID: example-client',
        'ACCOUNTING_SOFTWARE_NUMBER: "…"': 'ACCOUNTING_SOFTWARE_NUMBER: "12345678"',
      }),
    ) as Values,
    chart: page.block('The chart', 'sh').trimEnd().split('\n'),
  };
}

async function valuesOf(cluster: Cluster, ofPage: Values, size: Size): Promise<Values> {
  const ofSize =
    size === 'small'
      ? {}
      : (parse(
          await readFile(join(repositoryRoot, `deploy/helm/pinkas/values-${size}.yaml`), 'utf8'),
        ) as Values);
  const ofCluster = {
    given: {},
    // An object store is not part of it.
    kind: { postgres: { backup: { enabled: false } } },
    nodes: valuesOfNodes,
  }[cluster.kind];
  const own = process.env.CLUSTER_VALUES
    ? (parse(await readFile(process.env.CLUSTER_VALUES, 'utf8')) as Values)
    : {};
  return [ofSize, ofPage, ofCluster, own].reduce(merged);
}

/** CloudNativePG, which the page requires. */
async function ensureCloudNativePg(cluster: Cluster): Promise<void> {
  if (await cluster.kubectl('get crd clusters.postgresql.cnpg.io --ignore-not-found')) {
    return;
  }
  if (cluster.kind === 'given') {
    throw new Error(`the cluster lacks CloudNativePG: install it first, as ${installPage} requires`);
  }
  const manifest = cluster.kind === 'nodes' ? join(clusterHome, 'src/cnpg.yaml') : cnpgManifest;
  await cluster.kubectl(`apply --server-side -f ${manifest}`);
  // One of the page's requirements.
  await cluster.kubectl(
    '-n cnpg-system set env deployment/cnpg-controller-manager STANDBY_TCP_USER_TIMEOUT=2000',
  );
  await cluster.kubectl('-n cnpg-system rollout status deployment/cnpg-controller-manager --timeout=300s');
}

/** Installs the chart by the commands of the page. @returns how long its steps took, in seconds. */
export async function install(cluster: Cluster, size: Size): Promise<{ installS: number; testS: number }> {
  if (await cluster.kubectl('get namespace pinkas --ignore-not-found')) {
    throw new Error(
      'the namespace pinkas exists already, and may have documents: run down and up, or delete it',
    );
  }
  const registry = registryOf(cluster);
  const [commands, version] = [await commandsOfPage(registry), await chartVersion()];
  await step('images', () => buildImages(cluster, commands.images));
  await step('loading images', () =>
    loadImages(cluster, [
      ...imageNames.map((name) => `${registry}pinkas-${name}:${version}`),
      ...(cluster.kind === 'nodes' ? imagesOfNodes : []),
    ]),
  );
  await step('CloudNativePG', () => ensureCloudNativePg(cluster));
  if (cluster.kind === 'nodes') {
    await step('object store', () => nodeScript('install-object-store'));
  }
  await rm(operatorFolder, { recursive: true, force: true });
  await mkdir(operatorFolder, { recursive: true, mode: 0o700 });
  await cp(join(repositoryRoot, 'deploy'), join(operatorFolder, 'deploy'), { recursive: true });
  const values = await valuesOf(cluster, commands.values, size);
  await writeFile(valuesFile, stringify(values), { mode: 0o600 });
  await step('secrets', async () => {
    for (const script of [makeCertificates, commands.secrets, natsSecret]) {
      await cluster.bash(script, { cwd: operatorFolder });
    }
  });
  const timed: Record<string, number> = {};
  for (const command of commands.chart) {
    const name = command.split(' ').slice(0, 2).join(' ');
    const startedAt = performance.now();
    await step(name, () => cluster.bash(command, { cwd: operatorFolder, timeoutMs: 1_200_000 }));
    timed[name] = secondsSince(startedAt);
  }
  return { installS: timed['helm install'] ?? Number.NaN, testS: timed['helm test'] ?? Number.NaN };
}
