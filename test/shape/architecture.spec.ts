import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { importsOf, type Source, sourcesBelow } from '../harness/sources.js';

/** The workspaces that a service may import besides those that all may. */
const additionally: Partial<Record<ServiceName, readonly string[]>> = {
  gateway: ['@pinkas/ui', '@pinkas/pdf'],
  delivery: ['@pinkas/ui'],
  rendering: ['@pinkas/ui', '@pinkas/pdf'],
  console: ['@pinkas/ui', '@pinkas/exports'],
};

/** The workspaces that each workspace may import. */
const mayImport: Record<string, readonly string[]> = {
  'packages/domain': [],
  'packages/contracts': ['@pinkas/domain'],
  'packages/service-kit': ['@pinkas/contracts'],
  'packages/ui': ['@pinkas/domain'],
  // File in, file out: it knows nothing of a service.
  'packages/pdf': [],
  'services/printer': ['@pinkas/service-kit'],
  // Starts the services, and has no code of theirs: the one workspace that imports others' roots.
  'services/one': [
    '@pinkas/contracts',
    '@pinkas/service-kit',
    ...serviceNames.map((name) => `@pinkas/${name}`),
  ],
  // Callers install it alone.
  'packages/client': [],
  // Its package has the client in it.
  'packages/mcp': ['@pinkas/client'],
  'packages/tools/simulators': ['@pinkas/service-kit', '@pinkas/ui'],
  'packages/tools/local-stack': ['@pinkas/contracts', '@pinkas/service-kit', '@pinkas/simulators'],
  'packages/tools/testkit': [
    '@pinkas/contracts',
    '@pinkas/service-kit',
    '@pinkas/simulators',
    '@pinkas/local-stack',
  ],
  // Of the kit only the errors of a call.
  'packages/exports': ['@pinkas/contracts', '@pinkas/service-kit', '@pinkas/domain'],
  'packages/cli': [
    '@pinkas/contracts',
    '@pinkas/service-kit',
    '@pinkas/domain',
    '@pinkas/exports',
    '@pinkas/pdf',
  ],
  ...Object.fromEntries(
    serviceNames.map((name) => [
      `services/${name}`,
      ['@pinkas/contracts', '@pinkas/service-kit', '@pinkas/domain', ...(additionally[name] ?? [])],
    ]),
  ),
};

/**
 * The rooms of a workspace, the lowest first: folders, single files, and as `*.ts` the other files of `src`; where that is not among
 * them, such as for the module of a service, they are above all.
 */
const roomsOf: Record<string, readonly string[]> = {
  'packages/domain': [
    'money',
    'text-direction.ts',
    'text',
    '*.ts',
    'delivery',
    'donation',
    'uniform',
    'test-mode',
    'delivery.ts',
    'index.ts',
  ],
  'packages/contracts': [
    'time-limits.ts',
    'errors.ts',
    'schema',
    'define.ts',
    '*.ts',
    'issuing',
    'customer',
    'http',
    'event.ts',
    'rendering',
    'allocation',
    'delivery',
    'gateway',
    'console',
    'catalogue.ts',
    'network',
    'openapi',
    'index.ts',
    'generate',
  ],
  'packages/cli': [
    'builder',
    '*.ts',
    'commands',
    'export',
    'audit',
    'verify',
    'doctor',
    'run-command.ts',
    'main.ts',
  ],
  'packages/pdf': ['file', 'signature'],
  'packages/exports': [
    '*.ts',
    'vat',
    'documents',
    'donations',
    'withheld',
    'uniform',
    'book.ts',
    'write-single-file.ts',
    'verify',
    'verify.ts',
    'index.ts',
  ],
  'services/printer': [
    '*.ts',
    'warm-page.ts',
    'chromium.ts',
    'page-pool.ts',
    'printer-metrics.ts',
    'print-server.ts',
    'start-printer.ts',
    'main.ts',
  ],
  'packages/service-kit': [
    'clock.ts',
    'concurrency',
    'process',
    'tracing',
    'db',
    'rpc',
    'trail',
    'test-mode',
    'jobs',
    'events',
    'diagnosis',
    'http',
    'service',
  ],
  'services/gateway': [
    'config.ts',
    'db',
    'kill-switch',
    'business',
    'api-key',
    'request-log',
    'http',
    'routes',
    'pages',
    'test-mode',
  ],
  'services/issuing': [
    'config.ts',
    'db',
    'document',
    'account',
    'chain',
    'book',
    'health',
    'cancel',
    'report',
    'test-mode',
    'outcome',
    'settle',
    'issue',
    'list',
  ],
  'services/customer': ['config.ts', 'db', 'card'],
  'services/rendering': [
    'config.ts',
    'circuit-breaker.ts',
    'db',
    'typeface',
    'signature',
    'heads',
    'logo',
    'document',
    'print',
    'store',
    'artifact',
    'report',
    'test-mode',
  ],
  'services/allocation': [
    'config.ts',
    'db',
    'authority',
    'attempt',
    'allocation',
    'donation',
    'refusal',
    'by-hand',
    'connection',
    'probe',
    'transmission',
    'test-mode',
  ],
  'services/delivery': [
    'dkim-keys.ts',
    'public-address.ts',
    'config.ts',
    'db',
    'message',
    'mail',
    'whatsapp',
    'notice',
    'webhook',
    'suppression',
    'plan',
    'send',
    'document',
    'reminder',
    'operator',
    'test-mode',
  ],
  'services/console': [
    'config.ts',
    'db',
    'assets',
    'session',
    'notice',
    'http',
    'frame',
    'reports',
    'debts',
    'issue',
    'connection',
    'access',
    'files',
    'settings',
    'customer',
    'list',
    'document',
    'email',
    'today',
    'trail',
  ],
};

/** The folders or files in which a library that shapes the system may be imported. */
const keptIn: Record<string, readonly string[]> = {
  // Only Nest's transport needs it (ADR 0029).
  nats: [],
  '@nats-io/nats-core': ['packages/service-kit/src/', 'packages/tools/testkit/src/'],
  '@nats-io/jetstream': ['packages/service-kit/src/', 'packages/tools/testkit/src/'],
  '@nats-io/transport-node': ['packages/service-kit/src/process/nats-connection.ts'],
  pg: ['packages/service-kit/src/'],
  pino: ['packages/service-kit/src/'],
  'prom-client': ['packages/service-kit/src/'],
  '@opentelemetry/api': ['packages/service-kit/src/'],
  '@opentelemetry/sdk-trace': ['packages/service-kit/src/tracing/trace-export.ts'],
  '@opentelemetry/resources': ['packages/service-kit/src/tracing/trace-export.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['packages/service-kit/src/tracing/trace-export.ts'],
  ioredis: ['services/gateway/src/'],
  fastify: ['packages/service-kit/src/http/', 'services/gateway/src/http/', 'services/console/src/http/'],
  '@fastify/cookie': ['services/console/src/http/'],
  '@fastify/csrf': ['services/console/src/http/'],
  '@fastify/multipart': ['services/console/src/http/'],
  'openid-client': ['services/console/src/access/sign-in/'],
  '@simplewebauthn/server': ['services/console/src/access/sign-in/'],
  '@simplewebauthn/browser': ['services/console/browser/'],
  'subset-font': ['services/console/src/assets/build-assets.ts', 'services/rendering/src/typeface/'],
  esbuild: ['services/console/src/assets/build-assets.ts'],
  'playwright-core': ['services/printer/src/'],
  '@fastify/busboy': ['services/printer/src/conversion-form.ts'],
  'gotenberg-js-client': ['services/rendering/src/print/gotenberg-client.ts'],
  pkijs: ['packages/pdf/src/signature/', 'packages/tools/simulators/src/self-signed-certificate.ts'],
  asn1js: ['packages/pdf/src/signature/', 'packages/tools/simulators/src/self-signed-certificate.ts'],
  sharp: ['services/rendering/src/logo/rasterize-logo.ts'],
  '@libpdf/core': ['packages/pdf/src/'],
  nodemailer: ['services/delivery/src/'],
  'libphonenumber-js': ['packages/domain/src/text/phone-number.ts'],
  yazl: ['packages/exports/src/'],
  yauzl: ['packages/cli/src/export/check/zip-check.ts', 'services/console/src/files/export/stored-zip.ts'],
  'd3-scale': ['packages/ui/src/chart.ts'],
  undici: [
    'services/allocation/src/authority/authority-http.ts',
    'services/delivery/src/webhook/webhook-client.ts',
  ],
  standardwebhooks: ['services/delivery/src/webhook/endpoint-secrets.ts', 'packages/client/src/'],
  'ipaddr.js': ['packages/service-kit/src/http/', 'services/delivery/src/public-address.ts'],
};

const bannedWords = [
  'common',
  'shared',
  'core',
  'lib',
  'utils',
  'util',
  'helpers',
  'helper',
  'base',
  'manager',
  'processor',
];

const isSpec = (source: Source) => source.path.endsWith('.spec.ts') || source.path.includes('/test/');
const packageName = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

describe('the architecture', () => {
  let sources: Source[];
  let production: Source[];
  beforeAll(async () => {
    sources = (await Promise.all(['packages', 'services'].map(sourcesBelow))).flat();
    production = sources.filter((source) => !isSpec(source));
  });

  const offences = (of: readonly Source[], wrong: (source: Source, specifier: string) => boolean) =>
    of.flatMap((source) =>
      importsOf(source)
        .filter((specifier) => wrong(source, specifier))
        .map((specifier) => `${source.path} imports ${specifier}`),
    );
  /** The file that a relative import leads to. */
  const targetOf = ({ path }: Source, specifier: string) =>
    new URL(specifier.replace(/\.js$/, '.ts'), `file:///${path}`).pathname.slice(1);
  const workspaceOf = (source: Source) =>
    /^packages\/tools\/[^/]+|^[^/]+\/[^/]+/.exec(source.path)?.[0] ?? '';

  it('the check finds the source files', () => {
    expect(production.length).toBeGreaterThan(100);
    for (const workspace of Object.keys(mayImport)) {
      expect(production.some((source) => workspaceOf(source) === workspace)).toBe(true);
    }
  });

  it('a workspace imports only the workspaces it may import', () => {
    const wrong = offences(production, (source, specifier) => {
      const imported = packageName(specifier);
      return imported.startsWith('@pinkas/') && !mayImport[workspaceOf(source)]?.includes(imported);
    });
    expect(wrong).toEqual([]);
  });

  it('no relative import leaves its workspace', () => {
    const wrong = offences(sources, (source, specifier) => {
      if (!specifier.startsWith('.')) {
        return false;
      }
      return !targetOf(source, specifier).startsWith(`${workspaceOf(source)}/`);
    });
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(roomsOf))(
    'no import runs back up inside %s: each room imports only those below it',
    (workspace, rooms) => {
      const root = `${workspace}/src/`;
      const inside = production.filter(({ path }) => path.startsWith(root));
      const roomOf = (path: string) => path.slice(root.length).split('/')[0] ?? '';
      const heightOf = (path: string) => {
        const height = rooms.indexOf(roomOf(path));
        const others = path.slice(root.length).includes('/') ? -1 : rooms.indexOf('*.ts');
        return [height, others, rooms.length].find((found) => found !== -1) ?? 0;
      };
      const folders = inside.filter(({ path }) => path.slice(root.length).includes('/'));
      expect(new Set(folders.map(({ path }) => roomOf(path)))).toEqual(
        new Set(rooms.filter((room) => !room.endsWith('.ts'))),
      );
      const wrong = offences(
        inside,
        (source, specifier) =>
          specifier.startsWith('.') && heightOf(targetOf(source, specifier)) > heightOf(source.path),
      );
      expect(wrong).toEqual([]);
    },
  );

  it('no file imports itself over others', () => {
    const imports = new Map(
      production.map((source) => [
        source.path,
        importsOf(source)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => targetOf(source, specifier)),
      ]),
    );
    // What imports nothing of what is left, or is imported by none of it, is in no circle.
    for (let before = -1; before !== imports.size; ) {
      before = imports.size;
      const imported = new Set([...imports.values()].flat());
      for (const [path, targets] of imports) {
        if (!imported.has(path) || !targets.some((target) => imports.has(target))) {
          imports.delete(path);
        }
      }
    }
    expect([...imports.keys()]).toEqual([]);
  });

  it('each shaping library is imported only where it belongs', () => {
    const wrong = offences(production, (source, specifier) => {
      const places = keptIn[packageName(specifier)];
      return places !== undefined && !places.some((place) => source.path.startsWith(place));
    });
    expect(wrong).toEqual([]);
  });

  it('only tests import the test kit', () => {
    expect(
      offences(
        production,
        (source, specifier) =>
          packageName(specifier) === '@pinkas/testkit' && workspaceOf(source) !== 'packages/tools/testkit',
      ),
    ).toEqual([]);
  });

  it('the domain imports nothing but the parser of phone numbers, and reads no clock and no environment', () => {
    const domain = production.filter((source) => workspaceOf(source) === 'packages/domain');
    const isAllowed = (specifier: string) =>
      /^\.{1,2}\//.test(specifier) || packageName(specifier) === 'libphonenumber-js';
    expect(offences(domain, (_source, specifier) => !isAllowed(specifier))).toEqual([]);
    for (const source of domain) {
      expect(source.text).not.toMatch(/Date\.now|new Date\(\)|\bprocess\./);
    }
  });

  it('test mode is a layer: only folders of its own know which book is a test book and what its items provoke', () => {
    const knowing = production.filter(({ text }) => /\b(isTestBook|provokedOutcomes)\b/.test(text));
    const folder = /^(packages|services)\/.*\/test-mode\//;
    expect(knowing.length).toBeGreaterThan(5);
    expect(knowing.map(({ path }) => path).filter((path) => !folder.test(path))).toEqual([]);
    const law = production.filter(({ path }) =>
      /^packages\/domain\/src\/(?!test-mode\/|delivery\.ts$|.*index\.ts$)/.test(path),
    );
    expect(offences(law, (_source, specifier) => specifier.includes('test-mode'))).toEqual([]);
  });

  it('services leave conversions between shekels and agorot to the domain', () => {
    const byHand = production
      .filter((source) => !source.path.startsWith('packages/domain/'))
      .filter((source) => /Math\.round\([^)]*\* ?100\b/.test(source.text))
      .map((source) => source.path);
    expect(byHand).toEqual([]);
  });

  it('the client has no dependencies', () => {
    const client = production.filter((source) => workspaceOf(source) === 'packages/client');
    // Callers who receive webhooks install the one package that verifies them.
    expect(offences(client, (_source, specifier) => !/^(?:\.|node:)/.test(specifier))).toEqual([
      'packages/client/src/webhooks.ts imports standardwebhooks',
    ]);
    // The library runs wherever `fetch` does; its command runs on Node.
    const library = client.filter(({ path }) => !path.startsWith('packages/client/src/listen/'));
    expect(offences(library, (_source, specifier) => specifier.startsWith('node:'))).toEqual([]);
  });

  it('the check of the uniform structure shares nothing with its writer', () => {
    const check = production.filter(({ path }) => path.startsWith('packages/cli/src/export/check/'));
    expect(check.length).toBeGreaterThan(5);
    const ofWriter = (_source: Source, specifier: string) =>
      ['@pinkas/domain/uniform', '@pinkas/exports'].includes(specifier) || specifier.includes('/uniform/');
    expect(offences(check, ofWriter)).toEqual([]);
  });

  it('only config.ts files read the environment', () => {
    const readers = production
      .filter((source) => /\bprocess\.env\b/.test(source.text))
      .map((source) => source.path)
      .filter(
        (path) =>
          !path.endsWith('/config.ts') &&
          !path.startsWith('packages/tools/simulators/') &&
          !path.startsWith('packages/tools/testkit/'),
      );
    expect(readers).toEqual([]);
  });

  it('no service imports the simulators or the local stack', () => {
    expect(
      offences(
        production,
        (source, specifier) =>
          source.path.startsWith('services/') && /^@pinkas\/(simulators|local-stack)/.test(specifier),
      ),
    ).toEqual([]);
  });

  it('no file has a banned name', () => {
    const junk = sources
      .map((source) => source.path)
      .filter((path) => path.split(/[/.]/).some((word) => bannedWords.includes(word)));
    expect(junk).toEqual([]);
    const odd = sources.map((source) => source.path).filter((path) => !/^[a-z0-9/.-]+$/.test(path));
    expect(odd).toEqual([]);
  });
});
