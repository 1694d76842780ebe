import { execFile } from 'node:child_process';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { deployedNatsUsers, natsUsers, type ServiceName, serviceNames } from '@pinkas/contracts';
import { connectNats } from '@pinkas/service-kit';
import {
  type EnvField,
  environmentOf,
  migrationFields,
  provisioningFields,
  serviceFields,
} from '@pinkas/service-kit/config';
import { startTestNats } from '@pinkas/testkit';
import { parse } from 'yaml';
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
  profiles?: string[];
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: object;
  ports?: string[];
  networks?: string[];
}

describe('the compose file', () => {
  let text: string;
  let services: Record<string, ComposeService>;
  let networks: Record<string, { internal?: boolean } | null>;
  beforeAll(async () => {
    text = await read('deploy/compose.yaml');
    ({ services, networks } = parse(text, { merge: true }));
  });

  const variablesOf = (name: string) => Object.keys(services[name]?.environment ?? {}).sort();

  it.each(serviceNames)(
    '%s gets exactly the variables of its configuration, its preparation those of provisioning, and secrets come from outside',
    (service) => {
      expect(variablesOf(service)).toEqual(namesOf(configs[service]));
      expect(variablesOf(`prepare-${service}`)).toEqual(namesOf(migrationFields, provisioningFields));
      const [own, prepared] = [service, `prepare-${service}`].map((name) => services[name]?.environment);
      expect(prepared?.DATABASE_URL).toBe(own?.DATABASE_URL);
      const given = secretsOf(service).filter(
        ({ name, fallback }) =>
          !(fallback === undefined ? /\$\{[A-Z0-9_]+:\?/ : /^\$\{[A-Z0-9_]+:-\}$/).test(own?.[name] ?? ''),
      );
      expect(given.map(({ name }) => name)).toEqual([]);
    },
  );

  it.each(serviceNames)(
    '%s gets the same variables in one process, which starts with its profile alone',
    (service) => {
      expect(services.one?.profiles).toEqual(['one']);
      const own = environmentOf(service, services.one?.environment ?? {});
      expect(own).toMatchObject({ ...services[service]?.environment, HEALTH_PORT: '0' });
      const prepared = environmentOf(service, services['prepare-one']?.environment ?? {});
      expect(prepared).toMatchObject(services[`prepare-${service}`]?.environment ?? {});
    },
  );

  it('the printer gets exactly the variables of its configuration, and its password from outside', () => {
    expect(variablesOf('printer')).toEqual(namesOf(printer));
    expect(services.printer?.environment?.[printer.basicAuthPassword.name]).toMatch(
      /^\$\{GOTENBERG_PASSWORD:\?\}$/,
    );
  });

  it('images that are not built here are pinned, and Gotenberg is recent enough', () => {
    const foreign = Object.values(services).filter(({ image }) => !image?.startsWith('pinkas-'));
    expect(foreign.filter(({ image }) => !/:\d+\.\d+/.test(image ?? ''))).toEqual([]);
    expect(Number(services.gotenberg?.image?.split(':8.')[1]?.split('-')[0])).toBeGreaterThanOrEqual(36);
  });

  const gotenbergFlags = [
    '--webhook-disable=true',
    '--api-disable-download-from=true',
    '--api-enable-basic-auth=true',
  ];
  it('Gotenberg fetches nothing, calls no one and prints for rendering alone, in containers and in the cluster', async () => {
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
    expect(['postgres', 'nats', 'redis', 'gotenberg'].filter((name) => !services[name]?.healthcheck)).toEqual(
      [],
    );
    for (const service of serviceNames) {
      expect(services[service]).toMatchObject({
        depends_on: {
          [`prepare-${service}`]: { condition: 'service_completed_successfully' },
          nats: { condition: 'service_healthy' },
        },
      });
    }
  });

  it('services have a read-only file system and no privileges, and only those that need it reach the internet', () => {
    for (const service of [...serviceNames, 'one', 'printer']) {
      expect(services[service]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
    const outside = Object.keys(services).filter((name) => services[name]?.networks?.includes('outside'));
    expect(outside.sort()).toEqual(['allocation', 'console', 'delivery', 'gateway', 'one']);
    expect(networks.inside?.internal && networks.printing?.internal).toBe(true);
    expect([services.printer, services.gotenberg].map((server) => server?.networks)).toEqual([
      ['printing'],
      ['printing'],
    ]);
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    // Of the services, and of the one process that replaces them.
    const ports = ['127.0.0.1:8080:8080', '127.0.0.1:8090:8090'];
    expect(published).toEqual([...ports, ...ports]);
  });

  it('make-secrets.mjs writes every secret that the compose file needs', async () => {
    const { stdout } = await run(process.execPath, [at('deploy/make-secrets.mjs'), 'compose'], {
      env: { PATH: process.env.PATH },
    });
    const made = new Map(
      [...stdout.matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
    const wanted = [...text.matchAll(/\$\{([A-Z0-9_]+):\?/g)].map((match) => match[1] ?? '');
    // Not secret, and known to no one else.
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
      container: { merge: object };
      reloader: { merge: object };
      podTemplate: object;
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

  it.each(serviceNames)(
    '%s gets exactly the variables of its configuration, its secrets from its Secret',
    async (service) => {
      const { secrets, optionalSecrets, environment } = values.services[service];
      const namesWhere = (isRequired: boolean) =>
        secretsOf(service).flatMap(({ name, fallback }) =>
          (fallback === undefined) === isRequired ? [name] : [],
        );
      expect([...secrets].sort()).toEqual(namesWhere(true).sort());
      expect([...optionalSecrets].sort()).toEqual(namesWhere(false).sort());
      const open = [
        ...Object.keys({ ...values.environment, ...environment }),
        ...(await derivedVariables(service)),
      ];
      expect([...open, ...secrets, ...optionalSecrets].sort()).toEqual(namesOf(configs[service]));
    },
  );

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
      expect(merge).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        },
      });
    }
    expect(podTemplate).toMatchObject({
      topologySpreadConstraints: { 'kubernetes.io/hostname': expect.any(Object) },
      merge: {
        spec: {
          securityContext: {
            runAsNonRoot: true,
            runAsUser: expect.any(Number),
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      },
    });
  });

  it('NATS closes silent connections in the chart as under compose', async () => {
    const pings = { ping_interval: '2s', ping_max: 4 };
    expect(values.nats.config.merge).toMatchObject(pings);
    const conf = await read('deploy/nats.conf');
    expect(conf).toMatch(/^ping_interval: "2s"$[\s\S]*^ping_max: 4$/m);
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
    const madeFor = (name: string) => items.find((item) => item.metadata.name === name)?.stringData ?? {};
    for (const service of serviceNames) {
      const wanted = [...values.services[service].secrets, 'MIGRATION_DATABASE_URL'];
      expect(Object.keys(madeFor(`pinkas-${service}`)).sort()).toEqual(wanted.sort());
    }
    const { username, password } = new URL(madeFor('pinkas-rendering').GOTENBERG_URL ?? '');
    const printing = madeFor(values.gotenberg.secretName).GOTENBERG_PASSWORD;
    expect([username, password]).toEqual(['rendering', printing]);
    const routes = madeFor(values.nats.config.cluster.tls.secretName);
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
    const verbs = ['helm repo', 'helm dependency', 'helm install', 'helm test'];
    expect(chart.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual(verbs);
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
