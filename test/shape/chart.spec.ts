import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { parse, parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../harness/sources.js';

const run = promisify(execFile);
const at = (path: string) => join(repositoryRoot, path);

/** The programs that only these tests use. */
const chartPrograms = {
  helm: { args: ['version', '--short'], install: 'Helm 3: https://helm.sh/docs/intro/install' },
  'kubernetes-validate': { args: ['--version'], install: 'pip install kubernetes-validate' },
};
type ChartProgram = keyof typeof chartPrograms;
const missing: ChartProgram[] = [];
for (const [name, { args }] of Object.entries(chartPrograms) as [ChartProgram, { args: string[] }][]) {
  await run(name, args).catch(
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT' && missing.push(name),
  );
}
for (const name of missing) {
  process.stderr.write(`chart.spec.ts: no ${name} on the PATH: the chart is NOT fully tested\n`);
}

// On a developer's machine the lines above are enough; the run before a release must not pass without the chart.
it('a run with CHART_TESTS=required has the programs that render and validate the chart', () => {
  const wanted = process.env.CHART_TESTS === 'required' ? missing : [];
  expect(wanted.map((name) => `install on this machine: ${chartPrograms[name].install}`)).toEqual([]);
});

/** A Kubernetes object, as far as it is looked at here. */
interface Resource {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec?: Record<string, unknown> & {
    template?: { spec: { initContainers?: Container[]; containers: Container[] } };
    groups?: unknown;
  };
  data?: Record<string, string>;
}
interface Container {
  name: string;
  env?: { name: string }[];
  securityContext: object;
}

/** What only the operator knows; every setting has it. */
const base = parse(`
ingress: { trustedProxies: 10.244.0.0/16 }
services:
  allocation: { environment: { TAX_AUTHORITY_CLIENT_ID: example-client } }
  delivery: { environment: { MAIL_FROM: documents@example.com } }
postgres: { backup: { destinationPath: s3://example/ } }
`);
const settings: Record<string, object> = {
  'everything in the cluster': {},
  'servers of our own': parse(`
postgres: { enabled: false, externalCidr: 10.1.0.5/32, adminSecretName: postgres-admin }
redis: { enabled: false, externalCidr: 10.1.0.6/32 }
nats: { enabled: false }
messaging: { externalCidr: 10.1.0.7/32, caSecretName: "" }
`),
  'a server that the chart does not provision, images by digest, and addresses that are opened': parse(`
postgres: { enabled: false, externalCidr: 10.1.0.5/32, provision: false }
images: { digests: { gateway: "sha256:${'0f'.repeat(32)}", cli: "sha256:${'0f'.repeat(32)}" } }
operator: { enabled: false }
monitoring: { enabled: true, dashboard: { enabled: false } }
services:
  delivery: { egressTo: [{ cidr: 10.1.0.8/32, port: 587 }] }
  console: { environment: { OIDC_ISSUER: "https://login.example.com", OIDC_CLIENT_ID: pinkas } }
`),
  'a Gotenberg in place of the printer': { printServer: 'gotenberg' },
  'small, watched, traced, and scaled by load': parse(`
printer: { autoscaling: { enabled: true }, seccompProfile: pinkas/chromium.json }
postgres: { instances: 1, backup: { enabled: false } }
messaging: { streamReplicas: 1 }
monitoring: { enabled: true }
tracing: { endpoint: "http://otel-collector.monitoring:4318" }
services:
  delivery: { autoscaling: { enabled: true, consumerLag: 100 } }
  console: { autoscaling: { enabled: true } }
ingress: { enabled: false }
`),
};
const everything = 'everything in the cluster';

/** Every value of a resource in a line, small ones together; a list of named things has their names, not their places. */
function* linesOf(value: unknown, path: string): Generator<string> {
  const text = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || text.length <= 250) {
    // A file is compared with its source elsewhere.
    yield `${path} = ${text.includes('\\n') ? 'a file' : text}`;
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const named = (inner as { name?: string } | null)?.name;
    yield* linesOf(inner, `${path}.${Array.isArray(value) ? (named ?? key) : key}`);
  }
}

const renderedChart = () => {
  let folder: string;
  let chart: string;
  let version: string;
  /** The variables that the values name; test/shape/deploy.spec.ts compares them with the configurations. */
  let fromValues: Set<string>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-chart-'));
    chart = join(folder, 'pinkas');
    await cp(at('deploy/helm/pinkas'), chart, { recursive: true });
    // The chart of NATS is fetched at install; what is in for it here renders nothing.
    await mkdir(join(chart, 'charts/nats'), { recursive: true });
    await writeFile(join(chart, 'charts/nats/Chart.yaml'), 'apiVersion: v2\nname: nats\nversion: 1.3.16\n');
    version = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')).appVersion;
    const values = parse(await readFile(join(chart, 'values.yaml'), 'utf8'), { merge: true });
    const parts = [values, values.printer, ...Object.values<{ environment: object }>(values.services)];
    fromValues = new Set(parts.flatMap(({ environment }) => Object.keys(environment)));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const files = ['base.json', 'change.json'].map((file) => ['--values', () => join(folder, file)] as const);
  async function helm(verb: string[], change: object): Promise<string> {
    await writeFile(join(folder, 'base.json'), JSON.stringify(base));
    await writeFile(join(folder, 'change.json'), JSON.stringify(change));
    const values = files.flatMap(([option, file]) => [option, file()]);
    const { stdout } = await run('helm', [...verb, chart, '--kube-version', '1.33.0', ...values], {
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  }
  const render = (change: object, release = 'pinkas') => helm(['template', release], change);
  const resourcesOf = (text: string) =>
    parseAllDocuments(text)
      .map((document) => document.toJS() as Resource | null)
      .filter((resource) => resource !== null);

  /** Without what is compared with its source elsewhere: the alerts, the dashboard, and the variables of the values. */
  function recordOf(resources: Resource[]): string[] {
    const lines = resources.flatMap((resource) => {
      const { kind, metadata, spec, data } = structuredClone(resource);
      delete spec?.groups;
      for (const container of spec?.template?.spec.containers ?? []) {
        container.env = container.env?.filter(({ name }) => !fromValues.has(name)) ?? [];
      }
      return [...linesOf({ metadata, ...spec, ...(data && { data }) }, `${kind}/${metadata.name}`)];
    });
    return lines.map((line) => line.replaceAll(version, 'VERSION')).sort();
  }

  const recordFile = at('test/shape/chart.txt');
  async function record(): Promise<string> {
    const [, ...names] = Object.keys(settings);
    const first = recordOf(resourcesOf(await render({})));
    const parts = [`# ${everything}`, ...first];
    for (const name of names) {
      const lines = recordOf(resourcesOf(await render(settings[name] ?? {})));
      const less = first.filter((line) => !lines.includes(line)).map((line) => `- ${line}`);
      const more = lines.filter((line) => !first.includes(line)).map((line) => `+ ${line}`);
      parts.push('', `# ${name}`, ...[...less, ...more].sort((a, b) => a.slice(2).localeCompare(b.slice(2))));
    }
    return `${parts.join('\n')}\n`;
  }

  it('the chart renders what test/shape/chart.txt records (UPDATE_CHART=true writes it)', async () => {
    const rendered = await record();
    if (process.env.UPDATE_CHART === 'true') {
      await writeFile(recordFile, rendered);
    }
    expect(rendered.split('\n')).toEqual((await readFile(recordFile, 'utf8')).split('\n'));
  }, 60_000);

  it.each(Object.keys(settings))(
    'every container with %s is hardened, what no policy names is denied, what prints reaches nothing, and there is no secret',
    async (name) => {
      const text = await render(settings[name] ?? {});
      const resources = resourcesOf(text);
      const unguarded = resources
        .flatMap(({ spec }) => spec?.template?.spec ?? [])
        .flatMap(({ initContainers = [], containers }) => [...initContainers, ...containers])
        .filter(({ securityContext }) => {
          const { allowPrivilegeEscalation, capabilities } = securityContext as Record<string, unknown>;
          return allowPrivilegeEscalation !== false || JSON.stringify(capabilities) !== '{"drop":["ALL"]}';
        });
      expect(unguarded.map((container) => container.name)).toEqual([]);
      const policies = new Map(
        resources
          .filter(({ kind }) => kind === 'NetworkPolicy')
          .map(({ metadata, spec }) => [metadata.name, spec]),
      );
      const needed = ['nobody', ...serviceNames].map((part) => `pinkas-${part}`);
      expect([...policies.keys()]).toEqual(expect.arrayContaining(needed));
      const both = { policyTypes: ['Ingress', 'Egress'] };
      expect(policies.get('pinkas-nobody')).toEqual({ ...both, podSelector: expect.any(Object) });
      const printing = policies.get('pinkas-printer') ?? policies.get('pinkas-gotenberg');
      expect(printing).toEqual({ ...both, podSelector: expect.any(Object), ingress: expect.any(Array) });
      expect(resources.filter(({ kind }) => kind === 'Secret')).toEqual([]);
      if (!missing.includes('kubernetes-validate')) {
        const file = join(folder, 'rendered.yaml');
        await writeFile(file, text);
        const { stdout, stderr } = await run('kubernetes-validate', ['-k', '1.33', '--strict', file]).catch(
          (error: Error & { stdout?: string }) => {
            throw new Error(error.stdout || error.message);
          },
        );
        expect(stdout + stderr).toContain('passed for resource deployment');
      }
    },
    60_000,
  );

  it('helm uninstall keeps the databases and their backups', async () => {
    const kept = resourcesOf(await render({}))
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
      .map(({ kind }) => kind);
    expect(kept.sort()).toEqual(['Cluster', 'ObjectStore', 'ScheduledBackup']);
  });

  it('the dashboard and the alerts of the cluster are those of the files', async () => {
    const resources = resourcesOf(await render({ monitoring: { enabled: true } }));
    const text = resources.find(({ metadata }) => metadata.name === 'pinkas-dashboard')?.data?.[
      'pinkas.json'
    ];
    const read = (file: string) => readFile(join(chart, 'files', file), 'utf8');
    expect(JSON.parse(text ?? '')).toEqual(JSON.parse(await read('dashboard.json')));
    const namesOf = (groups: unknown) =>
      (groups as { rules: { alert: string; expr: string }[] }[]).flatMap(({ rules }) =>
        rules.map(({ alert, expr }) => [alert, expr]),
      );
    const rules = resources.find(({ kind }) => kind === 'PrometheusRule')?.spec?.groups;
    expect(namesOf(rules)).toEqual(namesOf(parse(await read('alerts.yaml'))));
  });

  it('the chart passes helm lint', async () => {
    await helm(['lint', '--strict'], {});
  });

  it.each([
    ['postgres: { enabled: false, adminSecretName: admin }', /set postgres\.externalCidr/],
    ['postgres: { enabled: false, externalCidr: 10.1.0.5/32 }', /set postgres\.adminSecretName/],
    ['redis: { enabled: false }', /set redis\.externalCidr/],
    ['nats: { enabled: false }', /set messaging\.externalCidr/],
    ['services: { delivery: { environment: { MAIL_FROM: "" } } }', /set services\.delivery.*MAIL_FROM/],
    ['services: { allocation: { environment: { TAX_AUTHORITY_CLIENT_ID: "" } } }', /TAX_AUTHORITY_CLIENT_ID/],
    [
      'ingress: { trustedProxies: "" }',
      /set ingress\.trustedProxies to the network of the ingress controller's pods/,
    ],
    ['console: { origin: https://api.example.com:8443 }', /console\.origin must have a host of its own/],
    [
      'nats: { config: { cluster: { tls: { enabled: false } } } }',
      /nats\.config\.cluster\.tls\.enabled must be true/,
    ],
    ['images: { digests: { gateway: latest } }', /does not match pattern/i],
    ['services: { gateway: { replica: 3 } }', /additional propert\w+ '?replica'? (?:is )?not allowed/i],
  ])('the chart rejects %s with what is wrong', async (values, message) => {
    await expect(render(parse(values))).rejects.toThrow(message);
  });

  it('the chart rejects a release of another name', async () => {
    await expect(render({}, 'books')).rejects.toThrow(/the release must be called pinkas/);
  });
};
if (!missing.includes('helm')) {
  describe('the rendered chart', renderedChart);
}
