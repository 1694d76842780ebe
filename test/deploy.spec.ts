import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deployedNatsUsers, natsUsers, type ServiceName, serviceNames } from '@pinkas/contracts';
import {
  connectNats,
  type EnvField,
  migrationFields,
  provisioningFields,
  serviceFields,
} from '@pinkas/service-kit';
import { startTestNats } from '@pinkas/testkit';
import { parse, parseAllDocuments } from 'yaml';
import { fields as allocation } from '../services/allocation/src/config.js';
import { fields as customer } from '../services/customer/src/config.js';
import { fields as delivery } from '../services/delivery/src/config.js';
import { fields as gateway } from '../services/gateway/src/config.js';
import { fields as issuing } from '../services/issuing/src/config.js';
import { fields as rendering } from '../services/rendering/src/config.js';
import { samplesOf, wrongNames } from './metric-names.js';
import { repositoryRoot, sourcesBelow } from './sources.js';

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
};
const namesOf = (...of: Fields[]) =>
  [...new Set(of.flatMap((fields) => Object.values(fields).map((field) => field.name)))].sort();
const secretsOf = (service: ServiceName) => Object.values(configs[service]).filter((field) => field.secret);

interface ComposeService {
  image?: string;
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

  it.each(serviceNames)('gives %s every variable of its configuration, and none besides', (service) => {
    expect(Object.keys(services[service]?.environment ?? {}).sort()).toEqual(namesOf(configs[service]));
  });

  it.each(serviceNames)('gives the preparation of %s what provisioning and migrating want', (service) => {
    const environment = services[`prepare-${service}`]?.environment ?? {};
    expect(Object.keys(environment).sort()).toEqual(namesOf(migrationFields, provisioningFields));
    expect(environment.DATABASE_URL).toBe(services[service]?.environment?.DATABASE_URL);
  });

  it.each(serviceNames)('takes every secret of %s from outside, without a default', (service) => {
    for (const field of secretsOf(service)) {
      const value = services[service]?.environment?.[field.name] ?? '';
      expect([field.name, value]).toEqual([
        field.name,
        expect.stringMatching(field.fallback === undefined ? /\$\{[A-Z0-9_]+:\?/ : /^\$\{[A-Z0-9_]+:-\}$/),
      ]);
    }
  });

  it('pins what it does not build, and prints with a Gotenberg that is new enough', () => {
    for (const [name, { image }] of Object.entries(services)) {
      if (image?.startsWith('pinkas-')) continue;
      expect([name, image]).toEqual([name, expect.stringMatching(/:\d+\.\d+/)]);
    }
    const [major = 0, minor = 0] = (services.gotenberg?.image?.split(':')[1] ?? '').split('.').map(Number);
    expect(major === 8 && minor >= 36).toBe(true);
  });

  it('probes every server, and starts a service when what it needs is there', () => {
    for (const server of ['postgres', 'nats', 'redis', 'gotenberg'])
      expect(services[server]?.healthcheck).toBeDefined();
    for (const service of serviceNames) {
      expect(services[service]?.depends_on).toMatchObject({
        [`prepare-${service}`]: { condition: 'service_completed_successfully' },
        nats: { condition: 'service_healthy' },
      });
    }
  });

  it('lets no service write or gain rights, and only those reach the world that have to', () => {
    for (const service of serviceNames) {
      expect(services[service]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
    const outside = Object.keys(services).filter((name) => services[name]?.networks?.includes('outside'));
    expect(outside.sort()).toEqual(['allocation', 'delivery', 'gateway']);
    expect(networks.inside?.internal && networks.printing?.internal).toBe(true);
    expect(services.gotenberg?.networks).toEqual(['printing']);
    for (const name of Object.keys(services))
      expect([name, services[name]?.ports]).toEqual([
        name,
        name === 'gateway' ? ['127.0.0.1:8080:8080'] : undefined,
      ]);
  });

  it('has a file of secrets made for it that holds all it asks for', async () => {
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
  it('are those of the contracts (renew the file with npm run nats-users -w @pinkas/contracts)', async () => {
    expect(await read('deploy/helm/pinkas/files/nats-users.conf')).toBe(deployedNatsUsers());
  });

  it('are let in by the deployed file, with passwords from the environment of the server', async () => {
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
  it('runs without root, prepares and serves with one file, and is asked whether it is ready', async () => {
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
    expect(instructions.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
    expect(instructions.filter((line) => line.startsWith('COPY --from=build'))).toHaveLength(1);
    for (const service of serviceNames) {
      const files = await readdir(at(`services/${service}/src`));
      expect(files).toEqual(expect.arrayContaining(['main.ts', 'migrate.ts', 'provision.ts']));
    }
  });
});

interface ServiceValues {
  secrets: string[];
  optionalSecrets: string[];
  environment: Record<string, string>;
  replicas: number;
}

/** The variables that the chart derives from other values for a service; read from the template, as no helm may be here. */
async function derivedVariables(service: ServiceName): Promise<string[]> {
  const template = await read('deploy/helm/pinkas/templates/_names.tpl');
  const [, body = ''] = template.split('{{- define "pinkas.derivedEnvironment" -}}');
  const names: string[] = [];
  let part: string | undefined;
  for (const line of body.split('\n')) {
    const condition = /if eq \.part "([a-z]+)"/.exec(line)?.[1];
    if (condition) part = condition;
    else if (line.includes('{{- end }}')) part = undefined;
    const name = /^([A-Z0-9_]+): /.exec(line)?.[1];
    if (name && (part === undefined || part === service)) names.push(name);
  }
  return names;
}

describe('the chart', () => {
  let values: { services: Record<ServiceName, ServiceValues>; environment: Record<string, string> };
  beforeAll(async () => {
    values = parse(await read('deploy/helm/pinkas/values.yaml'), { merge: true });
  });

  it('has the six services', () => {
    expect(Object.keys(values.services).sort()).toEqual([...serviceNames].sort());
  });

  it.each(serviceNames)('takes what is secret of %s from its secret, and nothing else', (service) => {
    const { secrets, optionalSecrets } = values.services[service];
    const must = secretsOf(service).filter((field) => field.fallback === undefined);
    const may = secretsOf(service).filter((field) => field.fallback !== undefined);
    expect([...secrets].sort()).toEqual(must.map((field) => field.name).sort());
    expect([...optionalSecrets].sort()).toEqual(may.map((field) => field.name).sort());
  });

  it.each(serviceNames)('gives %s every variable of its configuration, and none besides', async (service) => {
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

  it('has every secret made for it', async () => {
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
  });
});

describe('what is watched', () => {
  let samples: Map<string, Set<string>>;
  beforeAll(async () => {
    samples = await samplesOf((await Promise.all(['packages', 'services'].map(sourcesBelow))).flat());
  });

  it('is alarmed by metrics that a service has, and leads to a page that says what to do', async () => {
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

  it('tells when any service is gone altogether', async () => {
    const alerts = await read('deploy/helm/pinkas/files/alerts.yaml');
    for (const service of serviceNames)
      expect(alerts).toContain(`absent(pinkas_ready{app_kubernetes_io_component="${service}"})`);
  });

  it('is shown on a dashboard, every panel by metrics and labels that a service has', async () => {
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

  it('is explained: every metric of ours stands on the page about observing', async () => {
    const page = await read('docs/operating/observing.md');
    const names = [...samples.keys()]
      .filter((name) => name.startsWith('pinkas_'))
      .map((name) => name.replace(/_seconds_(bucket|sum|count)$/, '_seconds'));
    expect(names.length).toBeGreaterThan(20);
    expect([...new Set(names)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

/** The Helm binary of this machine, if it has one. */
async function findHelm(): Promise<boolean> {
  return run('helm', ['version', '--short']).then(
    () => true,
    () => false,
  );
}

const hasHelm = await findHelm();
if (!hasHelm) process.stderr.write('deploy.spec.ts: no helm on the PATH, so the chart was NOT rendered\n');

/** A Kubernetes object, as far as it is looked at here. */
interface Resource {
  kind: string;
  metadata: { name: string };
  spec: {
    template: {
      spec: {
        automountServiceAccountToken: boolean;
        terminationGracePeriodSeconds: number;
        securityContext: object;
        initContainers: Container[];
        containers: Container[];
      };
    };
    [key: string]: unknown;
  };
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

const settings: Record<string, Record<string, unknown>> = {
  'everything in the cluster': { postgres: { backup: { destinationPath: 's3://example/' } } },
  'servers of our own': {
    postgres: { enabled: false, externalCidr: '10.1.0.5/32', adminSecretName: 'postgres-admin' },
    redis: { enabled: false, externalCidr: '10.1.0.6/32' },
    nats: { enabled: false },
    messaging: { externalCidr: '10.1.0.7/32', caSecretName: '' },
  },
  'small, watched, and scaled by itself': {
    postgres: { instances: 1, backup: { enabled: false } },
    messaging: { streamReplicas: 1 },
    monitoring: { enabled: true },
    tracing: { endpoint: 'http://otel-collector.monitoring:4318' },
    services: { delivery: { autoscaling: { enabled: true, consumerLag: 100 } } },
    ingress: { enabled: false },
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
    // The chart of NATS is fetched at install; what stands in for it here renders nothing.
    await mkdir(join(chart, 'charts/nats'), { recursive: true });
    await writeFile(join(chart, 'charts/nats/Chart.yaml'), 'apiVersion: v2\nname: nats\nversion: 1.3.0\n');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function render(values: object): Promise<{ file: string; resources: Resource[] }> {
    const valuesFile = join(folder, 'values.json');
    await writeFile(valuesFile, JSON.stringify(values));
    const { stdout } = await run(
      'helm',
      ['template', 'pinkas', chart, '--kube-version', '1.33.0', '--values', valuesFile],
      { maxBuffer: 16 * 1024 * 1024 },
    );
    const file = join(folder, 'rendered.yaml');
    await writeFile(file, stdout);
    const resources = parseAllDocuments(stdout)
      .map((document) => document.toJS() as Resource | null)
      .filter((resource) => resource !== null);
    return { file, resources };
  }

  it('passes helm lint', async () => {
    const valuesFile = join(folder, 'lint.json');
    await writeFile(valuesFile, JSON.stringify(settings['everything in the cluster']));
    await run('helm', ['lint', '--strict', chart, '--values', valuesFile, '--kube-version', '1.33.0']);
  });

  it('refuses a value that is mistyped', async () => {
    const mistyped = ['template', 'pinkas', chart, '--set', 'services.gateway.replica=3'];
    await expect(run('helm', mistyped)).rejects.toThrow(/additional properties 'replica' not allowed/);
  });

  it('brings the dashboard where it is watched, unless that is switched off', async () => {
    const everything = settings['everything in the cluster'];
    const dashboardIn = async (monitoring: object) => {
      const { resources } = await render({ ...everything, monitoring });
      return resources.find((one) => one.metadata.name === 'pinkas-dashboard');
    };
    const brought = await dashboardIn({ enabled: true });
    expect(brought).toMatchObject({ kind: 'ConfigMap', metadata: { labels: { grafana_dashboard: '1' } } });
    const text = (brought as unknown as { data: Record<string, string> }).data['pinkas.json'] ?? '';
    expect(JSON.parse(text)).toEqual(JSON.parse(await read('deploy/helm/pinkas/files/dashboard.json')));
    expect(await dashboardIn({ enabled: true, dashboard: { enabled: false } })).toBeUndefined();
    expect(await dashboardIn({ enabled: false })).toBeUndefined();
  });

  it('lets the services reach the collector of traces where there is one', async () => {
    const everything = settings['everything in the cluster'];
    const egressOf = async (tracing: object) => {
      const { resources } = await render({ ...everything, tracing });
      return serviceNames.map((service) => {
        const policy = resources.find(
          (one) => one.kind === 'NetworkPolicy' && one.metadata.name === `pinkas-${service}`,
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

  describe.each(Object.keys(settings))('with %s', (name) => {
    let rendered: { file: string; resources: Resource[] };
    beforeAll(async () => {
      rendered = await render(settings[name] ?? {});
    });
    const deploymentOf = (service: string) => {
      const found = rendered.resources.find(
        (one) => one.kind === 'Deployment' && one.metadata.name === `pinkas-${service}`,
      );
      if (!found) throw new Error(`there is no deployment of ${service}`);
      return found.spec.template.spec;
    };

    it.each(serviceNames)('gives %s every variable of its configuration, and none besides', (service) => {
      const [container] = deploymentOf(service).containers;
      const names = container?.env.map((variable) => variable.name) ?? [];
      expect(names.sort()).toEqual(namesOf(configs[service]));
      for (const field of secretsOf(service))
        expect(container?.env.find((one) => one.name === field.name)?.valueFrom).toBeDefined();
    });

    it.each(serviceNames)('prepares the database of %s with the image that serves', (service) => {
      const pod = deploymentOf(service);
      const [provision, migrate] = pod.initContainers;
      expect(provision?.env.map((one) => one.name).sort()).toEqual(namesOf(provisioningFields));
      expect(migrate?.env.map((one) => one.name)).toEqual(namesOf(migrationFields));
      expect([provision?.args, migrate?.args]).toEqual([['dist/provision.js'], ['dist/migrate.js']]);
      expect(new Set([...pod.initContainers, ...pod.containers].map((one) => one.image)).size).toBe(1);
    });

    it.each(serviceNames)('probes %s where it answers, and lets it drain', (service) => {
      const pod = deploymentOf(service);
      const [container] = pod.containers;
      const port = container?.env.find((one) => one.name === 'HEALTH_PORT')?.value;
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

    it('lets nobody speak to anybody where no policy names it, Gotenberg least of all', () => {
      const policies = rendered.resources.filter((one) => one.kind === 'NetworkPolicy');
      const nobody = policies.find((one) => one.metadata.name === 'pinkas-nobody');
      expect(nobody?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
      expect(nobody?.spec.ingress ?? nobody?.spec.egress).toBeUndefined();
      const gotenberg = policies.find((one) => one.metadata.name === 'pinkas-gotenberg');
      expect(gotenberg?.spec.egress).toBeUndefined();
      for (const service of serviceNames)
        expect(policies.some((one) => one.metadata.name === `pinkas-${service}`)).toBe(true);
    });

    it('keeps every secret out of what is rendered', () => {
      expect(rendered.resources.filter((one) => one.kind === 'Secret')).toEqual([]);
    });

    it('matches the schemas of Kubernetes', async () => {
      const checked = await run('kubernetes-validate', ['-k', '1.33', '--strict', rendered.file]).catch(
        (error: NodeJS.ErrnoException & { stdout?: string }) => {
          if (error.code !== 'ENOENT') throw new Error(error.stdout ?? error.message);
          process.stderr.write('deploy.spec.ts: no kubernetes-validate on the PATH: schemas NOT checked\n');
          return null;
        },
      );
      if (checked) expect(checked.stdout + checked.stderr).toContain('passed for resource deployment');
    });
  });
};
if (hasHelm) describe('the rendered chart', renderedChart);
