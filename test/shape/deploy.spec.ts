import { execFile } from 'node:child_process';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deployedNatsUsers, natsUsers, type ServiceName, serviceNames } from '@pinkas/contracts';
import { connectNats } from '@pinkas/service-kit';
import {
  type EnvField,
  migrationFields,
  provisioningFields,
  serviceFields,
} from '@pinkas/service-kit/config';
import { startTestNats } from '@pinkas/testkit';
import { parse, parseAllDocuments } from 'yaml';
import { fields as allocation } from '../../services/allocation/src/config.js';
import { fields as consoleFields } from '../../services/console/src/config.js';
import { fields as customer } from '../../services/customer/src/config.js';
import { fields as delivery } from '../../services/delivery/src/config.js';
import { fields as gateway } from '../../services/gateway/src/config.js';
import { fields as issuing } from '../../services/issuing/src/config.js';
import { fields as printer } from '../../services/printer/src/config.js';
import { fields as rendering } from '../../services/rendering/src/config.js';
import { commandsOfPage } from '../cluster/install.js';
import { repositoryRoot, sourcesBelow } from '../harness/sources.js';
import { samplesOf, wrongNames } from './metric-names.js';

const run = promisify(execFile);
const at = (path: string) => join(repositoryRoot, path);
const read = (path: string) => readFile(at(path), 'utf8');

type Fields = Record<string, EnvField<unknown>>;
const configs: Record<ServiceName, Fields> = {
  gateway,
  issuing,
  customer,
  rendering,
  allocation,
  delivery,
  console: consoleFields,
};
const namesOf = (...of: Fields[]) =>
  [...new Set(of.flatMap((fields) => Object.values(fields).map((field) => field.name)))].sort();
const { healthHost, healthPort } = serviceFields;
const secretsOf = (service: ServiceName) => Object.values(configs[service]).filter((field) => field.secret);

interface ComposeService {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: object;
  read_only?: boolean;
  cap_drop?: string[];
  ports?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
}

describe('the compose file', () => {
  let text: string;
  let services: Record<string, ComposeService>;
  let networks: Record<string, { internal?: boolean } | null>;
  beforeAll(async () => {
    text = await read('deploy/compose.yaml');
    ({ services, networks } = parse(text, { merge: true }));
  });

  it.each(serviceNames)('%s gets exactly the variables of its configuration', (service) => {
    expect(Object.keys(services[service]?.environment ?? {}).sort()).toEqual(namesOf(configs[service]));
  });

  it.each(serviceNames)(
    'the preparation of %s gets the variables of provisioning and migrating',
    (service) => {
      const environment = services[`prepare-${service}`]?.environment ?? {};
      expect(Object.keys(environment).sort()).toEqual(namesOf(migrationFields, provisioningFields));
      expect(environment.DATABASE_URL).toBe(services[service]?.environment?.DATABASE_URL);
    },
  );

  it.each(serviceNames)('every secret of %s comes from outside and has no default', (service) => {
    for (const field of secretsOf(service)) {
      const value = services[service]?.environment?.[field.name] ?? '';
      expect([field.name, value]).toEqual([
        field.name,
        expect.stringMatching(field.fallback === undefined ? /\$\{[A-Z0-9_]+:\?/ : /^\$\{[A-Z0-9_]+:-\}$/),
      ]);
    }
  });

  it('the printer gets exactly the variables of its configuration, and its password from outside', () => {
    expect(Object.keys(services.printer?.environment ?? {}).sort()).toEqual(namesOf(printer));
    expect(services.printer?.environment?.[printer.basicAuthPassword.name]).toMatch(
      /^\$\{GOTENBERG_PASSWORD:\?\}$/,
    );
  });

  it('images that are not built here are pinned, and Gotenberg is recent enough', () => {
    for (const [name, { image }] of Object.entries(services)) {
      if (image?.startsWith('pinkas-')) {
        continue;
      }
      expect([name, image]).toEqual([name, expect.stringMatching(/:\d+\.\d+/)]);
    }
    const [major = 0, minor = 0] = (services.gotenberg?.image?.split(':')[1] ?? '').split('.').map(Number);
    expect(major === 8 && minor >= 36).toBe(true);
  });

  const gotenbergFlags = [
    '--webhook-disable=true',
    '--api-disable-download-from=true',
    '--api-enable-basic-auth=true',
  ];
  it('Gotenberg fetches nothing, calls nobody and prints for rendering alone, in containers and in the cluster', async () => {
    expect(services.gotenberg?.command).toEqual(expect.arrayContaining(gotenbergFlags));
    const template = await read('deploy/helm/pinkas/templates/gotenberg.yaml');
    expect(gotenbergFlags.filter((flag) => !template.includes(`- ${flag}\n`))).toEqual([]);
    const password = services.gotenberg?.environment?.GOTENBERG_API_BASIC_AUTH_PASSWORD;
    expect(password).toMatch(/^\$\{GOTENBERG_PASSWORD:\?\}$/);
    expect(services.rendering?.environment?.GOTENBERG_URL).toBe(
      `http://rendering:${password}@\${COMPOSE_PROFILES:-printer}:3000`,
    );
  });

  it('every server has a health check, and services start after the servers they need', () => {
    for (const server of ['postgres', 'nats', 'redis', 'gotenberg']) {
      expect(services[server]?.healthcheck).toBeDefined();
    }
    for (const service of serviceNames) {
      expect(services[service]?.depends_on).toMatchObject({
        [`prepare-${service}`]: { condition: 'service_completed_successfully' },
        nats: { condition: 'service_healthy' },
      });
    }
  });

  it('services have a read-only file system and no privileges, and only those that need it reach the internet', () => {
    for (const service of [...serviceNames, 'printer']) {
      expect(services[service]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
    const outside = Object.keys(services).filter((name) => services[name]?.networks?.includes('outside'));
    expect(outside.sort()).toEqual(['allocation', 'console', 'delivery', 'gateway']);
    expect(networks.inside?.internal && networks.printing?.internal).toBe(true);
    for (const server of ['printer', 'gotenberg']) {
      expect(services[server]?.networks).toEqual(['printing']);
    }
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${port}`),
    );
    expect(published).toEqual(['gateway 127.0.0.1:8080:8080', 'console 127.0.0.1:8090:8090']);
  });

  it('make-secrets.mjs writes every secret that the compose file needs', async () => {
    const { stdout } = await run(process.execPath, [at('deploy/make-secrets.mjs'), 'compose'], {
      env: { PATH: process.env.PATH },
    });
    const made = new Map(
      stdout
        .split('\n')
        .filter((line) => /^[A-Z]/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const wanted = [...text.matchAll(/\$\{([A-Z0-9_]+):\?/g)].map((match) => match[1] ?? '');
    // Not secret, and known to nobody else.
    const chosen = ['PAYMENT_URL', 'MAIL_FROM'];
    expect([...new Set(wanted)].filter((name) => !made.has(name)).sort()).toEqual(chosen.sort());
    expect([...made].filter(([, value]) => value === '').map(([name]) => name)).toEqual([
      'SIGNING_P12_PASSWORD',
      'TAX_AUTHORITY_CLIENT_ID',
      'TAX_AUTHORITY_CLIENT_SECRET',
      'SMTP_URL',
    ]);
    const values = [...made.values()].filter((value) => value !== '');
    expect(new Set(values).size).toBe(values.length);
  });
});

describe('the users of NATS', () => {
  it('nats-users.conf is generated from the contracts (npm run generate)', async () => {
    expect(await read('deploy/helm/pinkas/files/nats-users.conf')).toBe(deployedNatsUsers());
  });

  it('nats-server accepts the users of nats-users.conf with passwords from its environment', async () => {
    const passwords = Object.fromEntries(
      natsUsers.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, `p${user}0123`]),
    );
    // Our test server has no environment: what it would read there is put in its place.
    const text = (await read('deploy/helm/pinkas/files/nats-users.conf')).replaceAll(
      /\$(NATS_PASSWORD_[A-Z]+)/g,
      (_, name: string) => passwords[name] ?? '',
    );
    const server = await startTestNats(text);
    try {
      for (const user of natsUsers) {
        const url = server.url.replace('//', `//${user}:p${user}0123@`);
        await (await connectNats(url, user)).close();
      }
      await expect(connectNats(server.url, 'stranger')).rejects.toThrow(/authorization/i);
    } finally {
      await server.stop();
    }
  });
});

describe('the image', () => {
  it('the image runs without root, has one entry for each command and a health check', async () => {
    const text = await read('deploy/Dockerfile');
    const instructions = text
      .split('\n')
      .filter((line) => /^[A-Z]+ /.test(line))
      .map((line) => line.trim());
    const last = (word: string) => instructions.findLast((line) => line.startsWith(`${word} `));
    expect(last('USER')).toBe('USER 10001:10001');
    expect(last('CMD')).toBe('CMD ["dist/main.js"]');
    expect(text).toContain(`process.env.${serviceFields.healthPort.name}}/readyz`);
    // What is built is thrown away; only what was packed remains.
    expect(instructions.filter((line) => line.startsWith('FROM ')).at(-1)).toMatch(/^FROM \$\{RUNTIME\}$/);
    expect(instructions.filter((line) => line.startsWith('COPY --from=build'))).toHaveLength(1);
    for (const service of serviceNames) {
      const files = await readdir(at(`services/${service}/src`));
      expect(files).toEqual(expect.arrayContaining(['main.ts', 'migrate.ts', 'provision.ts']));
    }
  });
});

interface ServiceValues {
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  secrets: string[];
  optionalSecrets: string[];
  environment: Record<string, string>;
  replicas: number;
}

interface NatsContainer {
  securityContext: object;
  resources: { requests: object; limits: { memory: string } };
}

/** The variables that the chart derives from other values for a service; read from the template, as no helm may be here. */
async function derivedVariables(service: ServiceName): Promise<string[]> {
  const template = await read('deploy/helm/pinkas/templates/_helpers.tpl');
  const [, body = ''] = template.split('{{- define "pinkas.derivedEnvironment" -}}');
  const names: string[] = [];
  let parts: string[] = [];
  for (const line of body.split('\n')) {
    const condition = [...line.matchAll(/eq \.part "([a-z]+)"/g)].map((match) => match[1] ?? '');
    if (condition.length > 0) {
      parts = condition;
    } else if (line.includes('{{- end }}')) {
      parts = [];
    }
    const name = /^([A-Z0-9_]+): /.exec(line)?.[1];
    if (name && (parts.length === 0 || parts.includes(service))) {
      names.push(name);
    }
  }
  return names;
}

describe('the chart', () => {
  let values: {
    services: Record<ServiceName, ServiceValues>;
    environment: Record<string, string>;
    printServer: string;
    printer: { environment: Record<string, string> };
    gotenberg: { secretName: string };
    operator: { environment: Record<string, string> };
    nats: {
      config: { cluster: { tls: { secretName: string } }; merge: Record<string, unknown> };
      container: { merge: NatsContainer };
      reloader: { merge: NatsContainer };
      podTemplate: {
        topologySpreadConstraints: Record<string, object>;
        merge: { spec: { securityContext: object } };
      };
    };
  };
  beforeAll(async () => {
    values = parse(await read('deploy/helm/pinkas/values.yaml'), { merge: true });
  });

  it('the chart has every service', () => {
    expect(Object.keys(values.services).sort()).toEqual([...serviceNames].sort());
  });

  it('the console requests the disk that its exports are written to, and has a limit beyond it', async () => {
    const { requests, limits } = values.services.console.resources;
    const template = await read('deploy/helm/pinkas/templates/deployments.yaml');
    expect(template).toContain(`ternary "${requests['ephemeral-storage']}" "64Mi"`);
    expect(Number.parseInt(limits['ephemeral-storage'] ?? '', 10)).toBeGreaterThan(
      Number.parseInt(requests['ephemeral-storage'] ?? '', 10),
    );
  });

  it.each(serviceNames)('%s takes its secret variables from its Secret and no others', (service) => {
    const { secrets, optionalSecrets } = values.services[service];
    const must = secretsOf(service).filter((field) => field.fallback === undefined);
    const may = secretsOf(service).filter((field) => field.fallback !== undefined);
    expect([...secrets].sort()).toEqual(must.map((field) => field.name).sort());
    expect([...optionalSecrets].sort()).toEqual(may.map((field) => field.name).sort());
  });

  it.each(serviceNames)('%s gets exactly the variables of its configuration', async (service) => {
    const { secrets, optionalSecrets, environment } = values.services[service];
    const given = [
      ...Object.keys(values.environment),
      ...Object.keys(environment),
      ...(await derivedVariables(service)),
      ...secrets,
      ...optionalSecrets,
    ];
    expect(given.sort()).toEqual(namesOf(configs[service]));
  });

  it('the printer is the default, and gets exactly the variables of its configuration', () => {
    const own = [healthHost.name, healthPort.name, printer.basicAuthPassword.name];
    expect([...Object.keys(values.printer.environment), ...own].sort()).toEqual(namesOf(printer));
    expect(values.printServer).toBe('printer');
  });

  it('the command gets the variables of its configuration, in the chart as under compose', async () => {
    const source = await read('packages/cli/src/config.ts');
    const names = new Set([...source.matchAll(/\benv\.([A-Z_]+)/g)].map(([, name = '']) => name));
    // The folder of a local system, which a cluster has none of.
    names.delete('PINKAS_HOME');
    const template = await read('deploy/helm/pinkas/templates/operator-environment.yaml');
    const derived = [...template.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);
    const inChart = ['NATS_URL', ...derived, ...Object.keys(values.operator.environment)];
    expect(inChart.sort()).toEqual([...names].sort());
    const { services } = parse(await read('deploy/compose.yaml'), { merge: true }) as {
      services: Record<string, { environment: Record<string, string> }>;
    };
    expect(Object.keys(services.pinkas?.environment ?? {}).sort()).toEqual([...names].sort());
  });

  it('the servers of NATS have no privileges, their share of a node, and a node each', () => {
    const { container, reloader, podTemplate } = values.nats;
    for (const { merge } of [container, reloader]) {
      expect(merge.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(Object.keys(merge.resources.requests)).toEqual(['cpu', 'memory']);
      expect(merge.resources.limits.memory).toBeDefined();
    }
    expect(podTemplate.merge.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: expect.any(Number),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(podTemplate.topologySpreadConstraints['kubernetes.io/hostname']).toBeDefined();
  });

  it('NATS closes silent connections in the chart as under compose', async () => {
    const pings = { ping_interval: '2s', ping_max: 4 };
    expect(values.nats.config.merge).toMatchObject(pings);
    const conf = await read('deploy/nats.conf');
    expect(conf).toMatch(/^ping_interval: "2s"$/m);
    expect(conf).toMatch(/^ping_max: 4$/m);
  });

  it('Chart.lock names the versions that Chart.yaml wants', async () => {
    const { dependencies } = parse(await read('deploy/helm/pinkas/Chart.yaml'));
    const lock = parse(await read('deploy/helm/pinkas/Chart.lock'));
    expect(lock.dependencies).toEqual(
      dependencies.map(({ name, repository, version }: Record<string, string>) => ({
        name,
        repository,
        version: expect.stringMatching(`^${version?.replaceAll('.', '\\.')}$`),
      })),
    );
    // As Helm computes it: over both lists, with their members in the order of Helm's structure.
    const ordered = (list: Record<string, string>[]) =>
      list.map(({ name, version, repository, condition }) => ({ name, version, repository, condition }));
    const text = JSON.stringify([ordered(dependencies), ordered(lock.dependencies)]);
    expect(lock.digest).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`);
  });

  it('make-secrets.mjs writes every key of the chart secrets', async () => {
    const given = { SIGNING_P12_PASSWORD: 'a', TAX_AUTHORITY_CLIENT_SECRET: 'b', SMTP_URL: 'smtps://c' };
    const { stdout } = await run(process.execPath, [at('deploy/make-secrets.mjs'), 'kubernetes'], {
      env: { PATH: process.env.PATH, ...given },
    });
    const { items } = JSON.parse(stdout) as {
      items: { metadata: { name: string }; stringData: Record<string, string> }[];
    };
    for (const service of serviceNames) {
      const made = items.find((item) => item.metadata.name === `pinkas-${service}`);
      expect(Object.keys(made?.stringData ?? {}).sort()).toEqual(
        [...values.services[service].secrets, 'MIGRATION_DATABASE_URL'].sort(),
      );
    }
    const madeFor = (name: string) => items.find((item) => item.metadata.name === name)?.stringData ?? {};
    const { username, password } = new URL(madeFor('pinkas-rendering').GOTENBERG_URL ?? '');
    expect([username, password]).toEqual([
      'rendering',
      madeFor(values.gotenberg.secretName).GOTENBERG_PASSWORD,
    ]);
    const { secretName } = values.nats.config.cluster.tls;
    const routes = madeFor(secretName);
    expect(Object.keys(routes)).toEqual(['tls.crt', 'tls.key', 'ca.crt']);
    const certificate = new X509Certificate(routes['tls.crt'] ?? '');
    expect(certificate.checkPrivateKey(createPrivateKey(routes['tls.key'] ?? ''))).toBe(true);
    expect(certificate.subjectAltName).toBe(
      'DNS:*.pinkas-nats-headless, DNS:*.pinkas-nats-headless.pinkas.svc.cluster.local',
    );
  });
});

describe('docs/operating/install.md', () => {
  it('the page has the commands that npm run cluster runs, and the values that the chart has no default for', async () => {
    const { images, secrets, values, chart } = await commandsOfPage('registry.example.org/');
    expect(images).toMatch(/^REGISTRY=registry\.example\.org\/ deploy\/build-images /);
    expect(secrets).toContain('make-secrets.mjs kubernetes');
    expect(values).toMatchObject({
      images: { registry: 'registry.example.org' },
      services: { delivery: {} },
    });
    expect(chart.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual([
      'helm repo',
      'helm dependency',
      'helm install',
      'helm test',
    ]);
    for (const text of [images, secrets, JSON.stringify(values), ...chart]) {
      expect(text).not.toContain('…');
    }
  });
});

describe('make-secrets.mjs', () => {
  const secrets = (...words: string[]) =>
    run(process.execPath, [at('deploy/make-secrets.mjs'), 'kubernetes', ...words], {
      env: { PATH: process.env.PATH },
    });

  it('make-secrets.mjs prints one secret alone, without the variables of the others', async () => {
    const { stdout } = await secrets('--only', 'pinkas-redis');
    const { items } = JSON.parse(stdout) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['pinkas-redis']);
    await expect(secrets('--only', 'pinkas-delivery')).rejects.toThrow(/environment first: SMTP_URL\n/);
    await expect(secrets('--only', 'pinkas-mail')).rejects.toThrow(/--only must name one of .*pinkas-redis/);
  });

  it('no document replaces the secrets of a running system', async () => {
    const folder = at('docs/operating');
    const pages = (await readdir(folder)).map((page) => join(folder, page));
    const texts = await Promise.all(
      [...pages, at('deploy/make-secrets.mjs')].map((file) => readFile(file, 'utf8')),
    );
    const uses = texts.flatMap((text) => text.match(/make-secrets\.mjs kubernetes.*\|.*/g) ?? []);
    expect(uses.length).toBeGreaterThan(3);
    expect(uses.filter((line) => !line.includes('| kubectl create -f -'))).toEqual([]);
  });
});

describe('what is watched', () => {
  let samples: Map<string, Set<string>>;
  beforeAll(async () => {
    samples = await samplesOf((await Promise.all(['packages', 'services'].map(sourcesBelow))).flat());
  });

  it('every alert uses metrics of a service and links to a runbook', async () => {
    const pages = await readdir(at('docs/runbooks'));
    const groups = parse(await read('deploy/helm/pinkas/files/alerts.yaml')) as {
      rules: { alert: string; expr: string; annotations: { runbook: string } }[];
    }[];
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(0);
    for (const { alert, expr, annotations } of rules) {
      expect([alert, wrongNames(expr, samples)]).toEqual([alert, []]);
      expect(pages).toContain(`${annotations.runbook}.md`);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    const leadingThere = new Set(rules.map(({ annotations }) => `${annotations.runbook}.md`));
    expect(pages.filter((page) => !leadingThere.has(page))).toEqual([]);
  });

  it('an alert fires when a service has no process', async () => {
    const alerts = await read('deploy/helm/pinkas/files/alerts.yaml');
    for (const service of [...serviceNames, 'printer']) {
      expect(alerts).toContain(`absent(pinkas_ready{app_kubernetes_io_component="${service}"})`);
    }
  });

  it('every panel of the dashboard uses metrics and labels of a service', async () => {
    const dashboard = JSON.parse(await read('deploy/helm/pinkas/files/dashboard.json')) as {
      panels: { id: number; title: string; type: string; targets?: { expr: string }[] }[];
    };
    const ids = new Set(dashboard.panels.map((panel) => panel.id));
    expect(ids.size).toBe(dashboard.panels.length);
    const shown = dashboard.panels.filter((panel) => panel.type !== 'row');
    expect(shown.length).toBeGreaterThan(0);
    for (const { title, targets = [] } of shown) {
      const wrong = targets.flatMap(({ expr }) => wrongNames(expr, samples));
      expect([title, targets.length > 0, wrong]).toEqual([title, true, []]);
    }
  });

  it('docs/operating/observing.md lists every metric', async () => {
    const page = await read('docs/operating/observing.md');
    const names = [...samples.keys()]
      .filter((name) => name.startsWith('pinkas_'))
      .map((name) => name.replace(/_seconds_(bucket|sum|count)$/, '_seconds'));
    expect(names.length).toBeGreaterThan(20);
    expect([...new Set(names)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

/** The programs that only the tests of the rendered chart use. */
const chartPrograms = {
  helm: { args: ['version', '--short'], install: 'Helm 3: https://helm.sh/docs/intro/install' },
  'kubernetes-validate': { args: ['--version'], install: 'pip install kubernetes-validate' },
};
type ChartProgram = keyof typeof chartPrograms;

async function isInstalled(name: ChartProgram): Promise<boolean> {
  return run(name, chartPrograms[name].args).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

const installed: Record<ChartProgram, boolean> = {
  helm: await isInstalled('helm'),
  'kubernetes-validate': await isInstalled('kubernetes-validate'),
};
const missing = (Object.keys(chartPrograms) as ChartProgram[]).filter((name) => !installed[name]);
for (const name of missing) {
  process.stderr.write(`deploy.spec.ts: no ${name} on the PATH: the chart is NOT fully tested\n`);
}

describe('the programs that test the chart', () => {
  // On a developer's machine the lines above are enough; the run before a release must not pass without the chart.
  it('a run with CHART_TESTS=required has the programs that render and validate the chart', () => {
    const wanted =
      process.env.CHART_TESTS === 'required'
        ? missing.map((name) => `${name} (${chartPrograms[name].install})`)
        : [];
    expect({ 'install on this machine': wanted }).toEqual({ 'install on this machine': [] });
  });
});

/** A Kubernetes object, as far as it is looked at here. */
interface Resource {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: {
    template: {
      spec: {
        automountServiceAccountToken: boolean;
        terminationGracePeriodSeconds: number;
        securityContext: object;
        volumes: object[];
        initContainers: Container[];
        containers: Container[];
      };
    };
    [key: string]: unknown;
  };
}
interface Peer {
  podSelector?: { matchLabels: Record<string, string>; matchExpressions?: { values: string[] }[] };
  namespaceSelector?: { matchLabels: Record<string, string> };
}
interface Container {
  name: string;
  args?: string[];
  image: string;
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}

const ingress = { trustedProxies: '10.244.0.0/16' };
/** What only the operator knows. */
const allocationOf = { environment: { TAX_AUTHORITY_CLIENT_ID: 'example-client' } };
const deliveryOf = { environment: { MAIL_FROM: 'documents@example.com' } };
const services = { allocation: allocationOf, delivery: deliveryOf };
const backup = { destinationPath: 's3://example/' };
const settings: Record<string, Record<string, unknown>> = {
  'everything in the cluster': { ingress, services, postgres: { backup } },
  'servers of our own': {
    ingress,
    services,
    postgres: { enabled: false, externalCidr: '10.1.0.5/32', adminSecretName: 'postgres-admin' },
    redis: { enabled: false, externalCidr: '10.1.0.6/32' },
    nats: { enabled: false },
    messaging: { externalCidr: '10.1.0.7/32', caSecretName: '' },
  },
  'a Gotenberg in place of the printer': {
    ingress,
    services,
    postgres: { backup },
    printServer: 'gotenberg',
  },
  'small, watched, and scaled by itself': {
    printer: { autoscaling: { enabled: true }, seccompProfile: 'pinkas/chromium.json' },
    postgres: { instances: 1, backup: { enabled: false } },
    messaging: { streamReplicas: 1 },
    monitoring: { enabled: true },
    tracing: { endpoint: 'http://otel-collector.monitoring:4318' },
    services: {
      allocation: allocationOf,
      delivery: { ...deliveryOf, autoscaling: { enabled: true, consumerLag: 100 } },
      console: { autoscaling: { enabled: true } },
    },
    ingress: { ...ingress, enabled: false },
  },
};

/** What Helm makes of the chart; the checks above hold without it. */
const renderedChart = () => {
  let folder: string;
  let chart: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-chart-'));
    chart = join(folder, 'pinkas');
    await cp(at('deploy/helm/pinkas'), chart, { recursive: true });
    // The chart of NATS is fetched at install; what is in for it here renders nothing.
    await mkdir(join(chart, 'charts/nats'), { recursive: true });
    await writeFile(join(chart, 'charts/nats/Chart.yaml'), 'apiVersion: v2\nname: nats\nversion: 1.3.16\n');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function render(
    values: object,
    release = 'pinkas',
  ): Promise<{ file: string; resources: Resource[] }> {
    const valuesFile = join(folder, 'values.json');
    await writeFile(valuesFile, JSON.stringify(values));
    const { stdout } = await run(
      'helm',
      ['template', release, chart, '--kube-version', '1.33.0', '--values', valuesFile],
      { maxBuffer: 16 * 1024 * 1024 },
    );
    const file = join(folder, 'rendered.yaml');
    await writeFile(file, stdout);
    const resources = parseAllDocuments(stdout)
      .map((document) => document.toJS() as Resource | null)
      .filter((resource) => resource !== null);
    return { file, resources };
  }

  it('helm uninstall keeps the databases and their backups', async () => {
    const { resources } = await render(settings['everything in the cluster'] ?? {});
    const kept = resources
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
      .map(({ kind }) => kind);
    expect(kept.sort()).toEqual(['Cluster', 'ObjectStore', 'ScheduledBackup']);
  });

  it('a primary that is stopped does not wait for the pools of the services', async () => {
    const { resources } = await render(settings['everything in the cluster'] ?? {});
    const cluster = resources.find(({ kind }) => kind === 'Cluster');
    expect(cluster?.spec.smartShutdownTimeout).toBe(1);
  });

  it('the operator has a small pod with the command, its connection and its variables', async () => {
    const everything = settings['everything in the cluster'] ?? {};
    const operatorOf = async (values: object) =>
      (await render(values)).resources.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'pinkas-operator',
      );
    const deployment = await operatorOf(everything);
    const [container] = deployment?.spec.template.spec.containers ?? [];
    expect(container).toMatchObject({
      image: 'registry.example.com/pinkas/pinkas-cli:0.3.0',
      command: ['sleep', 'infinity'],
      envFrom: [{ configMapRef: { name: 'pinkas-operator' } }],
      securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
    expect(container?.env).toEqual([
      { name: 'NATS_URL', valueFrom: { secretKeyRef: { name: 'pinkas-operator', key: 'NATS_URL' } } },
      { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/pinkas/nats/ca.crt' },
    ]);
    expect(deployment?.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(await operatorOf({ ...everything, operator: { enabled: false } })).toBeUndefined();
  });

  it('the chart passes helm lint', async () => {
    const valuesFile = join(folder, 'lint.json');
    await writeFile(valuesFile, JSON.stringify(settings['everything in the cluster']));
    await run('helm', ['lint', '--strict', chart, '--values', valuesFile, '--kube-version', '1.33.0']);
  });

  it('the chart rejects a mistyped value', async () => {
    const mistyped = ['template', 'pinkas', chart, '--set', 'services.gateway.replica=3'];
    await expect(run('helm', mistyped)).rejects.toThrow(
      /additional propert\w+ '?replica'? (?:is )?not allowed/i,
    );
  });

  it('the chart renders the dashboard unless it is disabled', async () => {
    const everything = settings['everything in the cluster'];
    const dashboardIn = async (monitoring: object) => {
      const { resources } = await render({ ...everything, monitoring });
      return resources.find((resource) => resource.metadata.name === 'pinkas-dashboard');
    };
    const brought = await dashboardIn({ enabled: true });
    expect(brought).toMatchObject({ kind: 'ConfigMap', metadata: { labels: { grafana_dashboard: '1' } } });
    const text = (brought as unknown as { data: Record<string, string> }).data['pinkas.json'] ?? '';
    expect(JSON.parse(text)).toEqual(JSON.parse(await read('deploy/helm/pinkas/files/dashboard.json')));
    expect(await dashboardIn({ enabled: true, dashboard: { enabled: false } })).toBeUndefined();
    expect(await dashboardIn({ enabled: false })).toBeUndefined();
  });

  it('the network policies allow the trace collector when it is configured', async () => {
    const everything = settings['everything in the cluster'];
    const egressOf = async (tracing: object) => {
      const { resources } = await render({ ...everything, tracing });
      return serviceNames.map((service) => {
        const policy = resources.find(
          (resource) => resource.kind === 'NetworkPolicy' && resource.metadata.name === `pinkas-${service}`,
        );
        return ((policy?.spec.egress ?? []) as { ports: { port: unknown }[] }[]).some((rule) =>
          rule.ports.some(({ port }) => port === 4318),
        );
      });
    };
    expect(await egressOf({ endpoint: 'http://otel-collector.monitoring:4318' })).toEqual(
      serviceNames.map(() => true),
    );
    expect(await egressOf({})).toEqual(serviceNames.map(() => false));
  });

  /** The ports that a policy opens and the pods and namespaces that may connect to each of them. */
  const ingressOf = ({ resources }: { resources: Resource[] }, name: string) => {
    const policy = resources.find((item) => item.kind === 'NetworkPolicy' && item.metadata.name === name);
    const rules = (policy?.spec.ingress ?? []) as { from: Peer[]; ports: { port: number | string }[] }[];
    return rules.map(({ from, ports }) => ({
      ports: ports.map(({ port }) => port),
      from: from.map(
        ({ podSelector, namespaceSelector }) =>
          podSelector?.matchExpressions?.[0]?.values ??
          podSelector?.matchLabels ??
          namespaceSelector?.matchLabels,
      ),
    }));
  };

  it('clients of NATS are the services and the operator, and only its servers open routes', async () => {
    const monitored = { ...settings['everything in the cluster'], monitoring: { enabled: true } };
    const servers = {
      'app.kubernetes.io/name': 'nats',
      'app.kubernetes.io/instance': 'pinkas',
      'app.kubernetes.io/component': 'nats',
    };
    const rendered = await render(monitored);
    expect(ingressOf(rendered, 'pinkas-nats')).toEqual([
      { ports: [4222], from: [expect.arrayContaining([...serviceNames, 'operator'])] },
      { ports: [6222], from: [servers] },
      { ports: [8222], from: [{ 'kubernetes.io/metadata.name': 'monitoring' }] },
    ]);
    const policy = rendered.resources.find((item) => item.metadata.name === 'pinkas-nats');
    expect(policy?.spec).toMatchObject({
      podSelector: { matchLabels: servers },
      policyTypes: ['Ingress', 'Egress'],
    });
    expect(ingressOf(await render(settings['everything in the cluster'] ?? {}), 'pinkas-nats')).toHaveLength(
      2,
    );
  });

  it('clients of PostgreSQL are the services, its own servers and the operator of CloudNativePG', async () => {
    const cluster = { 'cnpg.io/cluster': 'pinkas-postgres' };
    const rendered = await render(settings['everything in the cluster'] ?? {});
    expect(ingressOf(rendered, 'pinkas-postgres')).toEqual([
      { ports: [5432], from: [[...serviceNames].sort()] },
      { ports: [5432, 8000], from: [cluster, { 'kubernetes.io/metadata.name': 'cnpg-system' }] },
    ]);
    const policy = rendered.resources.find((item) => item.metadata.name === 'pinkas-postgres');
    expect(policy?.spec).toMatchObject({ podSelector: { matchLabels: cluster }, policyTypes: ['Ingress'] });
  });

  it('rendering mounts the certificates of businesses besides that of the operator', async () => {
    const { resources } = await render(settings['everything in the cluster'] ?? {});
    const rendering = resources.find(
      (item) => item.kind === 'Deployment' && item.metadata.name === 'pinkas-rendering',
    );
    expect(rendering?.spec.template.spec.volumes).toContainEqual({
      name: 'signing',
      secret: { secretName: 'pinkas-signing' },
    });
  });

  it('the chart runs images by digest where digests are given', async () => {
    const digest = `sha256:${'0f'.repeat(32)}`;
    const everything = settings['everything in the cluster'] ?? {};
    const { resources } = await render({
      ...everything,
      images: { digests: { gateway: digest, cli: digest } },
    });
    const imagesOf = (name: string) => {
      const { spec } =
        resources.find((item) => item.kind === 'Deployment' && item.metadata.name === name) ?? {};
      const pod = spec?.template.spec;
      return [
        ...new Set([...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].map(({ image }) => image)),
      ];
    };
    const registry = 'registry.example.com/pinkas';
    const { appVersion: version } = parse(await read('deploy/helm/pinkas/Chart.yaml'));
    expect(imagesOf('pinkas-gateway')).toEqual([`${registry}/pinkas-gateway:${version}@${digest}`]);
    expect(imagesOf('pinkas-issuing')).toEqual([`${registry}/pinkas-issuing:${version}`]);
    await expect(render({ ...everything, images: { digests: { gateway: 'latest' } } })).rejects.toThrow(
      /does not match pattern/i,
    );
  });

  it('services reach the internet, but internal networks only where they are named', async () => {
    const delivery = { ...deliveryOf, egressTo: [{ cidr: '10.1.0.8/32', port: 587 }] };
    const { resources } = await render({
      ...settings['everything in the cluster'],
      services: { ...services, delivery },
    });
    const blocksOf = (service: string) => {
      const policy = resources.find(
        (item) => item.kind === 'NetworkPolicy' && item.metadata.name === `pinkas-${service}`,
      );
      const rules = (policy?.spec.egress ?? []) as { to: { ipBlock?: object }[] }[];
      return rules.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
    };
    const internet = {
      cidr: '0.0.0.0/0',
      except: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
    };
    expect(blocksOf('allocation')).toEqual([internet]);
    expect(blocksOf('delivery')).toEqual([{ cidr: '10.1.0.8/32' }, internet]);
    expect(blocksOf('issuing')).toEqual([]);
  });

  it('the console accepts connections of the ingress controller alone, and reaches the internet only for its issuer', async () => {
    const everything = settings['everything in the cluster'] ?? {};
    const rendered = await render(everything);
    expect(ingressOf(rendered, 'pinkas-console')).toEqual([
      { ports: ['http'], from: [{ 'kubernetes.io/metadata.name': 'ingress-nginx' }] },
    ]);
    const internetOf = ({ resources }: { resources: Resource[] }) => {
      const policy = resources.find(
        (item) => item.kind === 'NetworkPolicy' && item.metadata.name === 'pinkas-console',
      );
      const rules = (policy?.spec.egress ?? []) as {
        to: { ipBlock?: { cidr: string } }[];
        ports: { port: number }[];
      }[];
      return rules
        .filter(({ to }) => to.some(({ ipBlock }) => ipBlock))
        .map(({ ports }) => ports.map(({ port }) => port));
    };
    expect(internetOf(rendered)).toEqual([]);
    const environment = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'pinkas' };
    expect(
      internetOf(await render({ ...everything, services: { ...services, console: { environment } } })),
    ).toEqual([[443]]);
  });

  it('the console has a host and a certificate of its own', async () => {
    const everything = settings['everything in the cluster'] ?? {};
    const { resources } = await render(everything);
    const hosts = resources
      .filter(({ kind }) => kind === 'Ingress')
      .map(({ metadata, spec }) => [metadata.name, spec.tls]);
    expect(hosts).toEqual([
      ['pinkas', [{ hosts: ['api.example.com'], secretName: 'pinkas-tls' }]],
      ['pinkas-console', [{ hosts: ['console.example.com'], secretName: 'pinkas-console-tls' }]],
    ]);
    const sameHost = { console: { origin: 'https://api.example.com:8443' } };
    await expect(render({ ...everything, ...sameHost })).rejects.toThrow(
      /console\.origin must have a host of its own/,
    );
  });

  it('the chart requires the network of the proxies whose X-Forwarded-For is believed', async () => {
    const everything = settings['everything in the cluster'] ?? {};
    await expect(render({ ...everything, ingress: {} })).rejects.toThrow(
      /set ingress\.trustedProxies to the network of the ingress controller's pods/,
    );
  });

  it.each([
    ['postgres: { enabled: false, adminSecretName: admin }', /set postgres\.externalCidr/],
    ['postgres: { enabled: false, externalCidr: 10.1.0.5/32 }', /set postgres\.adminSecretName/],
    ['redis: { enabled: false }', /set redis\.externalCidr/],
    ['nats: { enabled: false }', /set messaging\.externalCidr/],
    ['services: { delivery: { environment: { MAIL_FROM: "" } } }', /set services\.delivery.*MAIL_FROM/],
    ['services: { allocation: { environment: { TAX_AUTHORITY_CLIENT_ID: "" } } }', /TAX_AUTHORITY_CLIENT_ID/],
  ])('the chart rejects %s with the value that is missing', async (values, message) => {
    const own = parse(values) as Record<string, object>;
    const [[name = '', change = {}] = []] = Object.entries(own);
    const base = settings['everything in the cluster'] ?? {};
    await expect(render({ ...base, [name]: { ...(base[name] as object), ...change } })).rejects.toThrow(
      message,
    );
  });

  it('the chart renders a server of our own without an administrator where it provisions nothing', async () => {
    const postgres = { enabled: false, externalCidr: '10.1.0.5/32', provision: false };
    const { resources } = await render({ ...settings['everything in the cluster'], postgres });
    const text = JSON.stringify(resources);
    expect(text).not.toContain('ADMIN_DATABASE_URL');
    expect(text).toContain('10.1.0.5/32');
  });

  it('the chart rejects a release of another name', async () => {
    await expect(render(settings['everything in the cluster'] ?? {}, 'books')).rejects.toThrow(
      /the release must be called pinkas/,
    );
  });

  it('the chart rejects routes without TLS between the servers of NATS', async () => {
    const open = { nats: { config: { cluster: { tls: { enabled: false } } } } };
    await expect(render({ ...settings['everything in the cluster'], ...open })).rejects.toThrow(
      /nats\.config\.cluster\.tls\.enabled must be true/,
    );
  });

  describe.each(Object.keys(settings))('with %s', (name) => {
    let rendered: { file: string; resources: Resource[] };
    beforeAll(async () => {
      rendered = await render(settings[name] ?? {});
    });
    const deploymentOf = (service: string) => {
      const found = rendered.resources.find(
        (resource) => resource.kind === 'Deployment' && resource.metadata.name === `pinkas-${service}`,
      );
      if (!found) {
        throw new Error(`there is no deployment of ${service}`);
      }
      return found.spec.template.spec;
    };

    it.each(serviceNames)('%s gets exactly the variables of its configuration', (service) => {
      const [container] = deploymentOf(service).containers;
      const names = container?.env.map((variable) => variable.name) ?? [];
      expect(names.sort()).toEqual(namesOf(configs[service]));
      for (const field of secretsOf(service)) {
        expect(container?.env.find((item) => item.name === field.name)?.valueFrom).toBeDefined();
      }
    });

    it.each(serviceNames)('the database of %s is prepared by the image of the service', (service) => {
      const pod = deploymentOf(service);
      const [provision, migrate] = pod.initContainers;
      expect(provision?.env.map((item) => item.name).sort()).toEqual(namesOf(provisioningFields));
      expect(migrate?.env.map((item) => item.name)).toEqual(namesOf(migrationFields));
      expect([provision?.args, migrate?.args]).toEqual([['dist/provision.js'], ['dist/migrate.js']]);
      expect(new Set([...pod.initContainers, ...pod.containers].map((item) => item.image)).size).toBe(1);
    });

    it.each(serviceNames)('%s has probes on its health port and time to drain', (service) => {
      const pod = deploymentOf(service);
      const [container] = pod.containers;
      const port = container?.env.find((item) => item.name === 'HEALTH_PORT')?.value;
      expect(container?.ports).toContainEqual({ name: 'health', containerPort: Number(port) });
      expect(container?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'health' });
      expect(container?.livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'health' });
      // A drain of up to 40 s, the gateway's lingering included.
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(5 + 40);
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(container?.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    });

    it('network policies deny all traffic that is not named, and what prints reaches nothing', () => {
      const policies = rendered.resources.filter((resource) => resource.kind === 'NetworkPolicy');
      const nobody = policies.find((policy) => policy.metadata.name === 'pinkas-nobody');
      expect(nobody?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
      expect(nobody?.spec.ingress ?? nobody?.spec.egress).toBeUndefined();
      const server = settings[name]?.printServer ?? 'printer';
      const printing = policies.find((policy) => policy.metadata.name === `pinkas-${server}`);
      expect(printing?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
      expect(printing?.spec.egress).toBeUndefined();
      for (const service of serviceNames) {
        expect(policies.some((policy) => policy.metadata.name === `pinkas-${service}`)).toBe(true);
      }
    });

    it('one server prints: the printer, hardened, unless a Gotenberg is wanted', () => {
      const server = String(settings[name]?.printServer ?? 'printer');
      const printing = rendered.resources.filter(
        (resource) => resource.kind === 'Deployment' && /-(printer|gotenberg)$/.test(resource.metadata.name),
      );
      expect(printing.map((item) => item.metadata.name)).toEqual([`pinkas-${server}`]);
      const service = rendered.resources.find(
        (resource) => resource.kind === 'Service' && resource.metadata.name === 'pinkas-gotenberg',
      );
      expect(service?.spec.selector).toMatchObject({ 'app.kubernetes.io/component': server });
      if (server === 'gotenberg') {
        return;
      }
      const pod = deploymentOf('printer');
      const [container] = pod.containers;
      expect(container?.env.map((variable) => variable.name).sort()).toEqual(namesOf(printer));
      expect(
        container?.env.find((item) => item.name === printer.basicAuthPassword.name)?.valueFrom,
      ).toBeDefined();
      expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(40);
    });

    it('no rendered resource contains a secret', () => {
      expect(rendered.resources.filter((resource) => resource.kind === 'Secret')).toEqual([]);
    });

    if (installed['kubernetes-validate']) {
      it('the rendered resources match the schemas of Kubernetes', async () => {
        const { stdout, stderr } = await run('kubernetes-validate', [
          '-k',
          '1.33',
          '--strict',
          rendered.file,
        ]).catch((error: Error & { stdout?: string }) => {
          throw new Error(error.stdout || error.message);
        });
        expect(stdout + stderr).toContain('passed for resource deployment');
      });
    }
  });
};
if (installed.helm) {
  describe('the rendered chart', renderedChart);
}
