import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { importsOf, type Source, sourcesBelow } from './sources.js';

/** What each workspace may import of the others. */
const mayImport: Record<string, readonly string[]> = {
  'packages/money': [],
  'packages/contracts': [],
  'packages/service-kit': ['@pinkas/contracts'],
  // Callers install it alone.
  'packages/client': [],
  'packages/local-servers': [],
  'packages/testkit': ['@pinkas/contracts', '@pinkas/service-kit', '@pinkas/local-servers'],
  // It proves the book's totals anew.
  'packages/cli': ['@pinkas/contracts', '@pinkas/service-kit', '@pinkas/money'],
  'services/issuing': ['@pinkas/contracts', '@pinkas/service-kit', '@pinkas/money'],
  ...Object.fromEntries(
    serviceNames
      .filter((name) => name !== 'issuing')
      .map((name) => [`services/${name}`, ['@pinkas/contracts', '@pinkas/service-kit']]),
  ),
  'deploy/local': ['@pinkas/contracts', '@pinkas/service-kit', '@pinkas/local-servers'],
};

/** Where a library that shapes the system may be imported, as folders or files. */
const keptIn: Record<string, readonly string[]> = {
  nats: ['packages/service-kit/src/', 'packages/testkit/src/'],
  pg: ['packages/service-kit/src/'],
  pino: ['packages/service-kit/src/'],
  'prom-client': ['packages/service-kit/src/'],
  '@opentelemetry/api': ['packages/service-kit/src/'],
  '@opentelemetry/sdk-trace': ['packages/service-kit/src/tracing/trace-export.ts'],
  '@opentelemetry/resources': ['packages/service-kit/src/tracing/trace-export.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['packages/service-kit/src/tracing/trace-export.ts'],
  ioredis: ['services/gateway/src/'],
  fastify: ['services/gateway/src/'],
  'gotenberg-js-client': ['services/rendering/src/artifact/chromium-pdf.ts'],
  '@libpdf/core': ['services/rendering/src/artifact/', 'services/rendering/src/signature/'],
  nodemailer: ['services/delivery/src/'],
  undici: ['services/allocation/src/authority/authority-http.ts'],
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
    sources = (await Promise.all(['packages', 'services', 'deploy'].map(sourcesBelow))).flat();
    production = sources.filter((source) => !isSpec(source));
  });

  const offences = (of: readonly Source[], wrong: (source: Source, specifier: string) => boolean) =>
    of.flatMap((source) =>
      importsOf(source)
        .filter((specifier) => wrong(source, specifier))
        .map((specifier) => `${source.path} imports ${specifier}`),
    );
  const workspaceOf = (source: Source) => source.path.split('/').slice(0, 2).join('/');

  it('sees the code', () => {
    expect(production.length).toBeGreaterThan(100);
    for (const workspace of Object.keys(mayImport)) {
      expect(production.some((source) => workspaceOf(source) === workspace)).toBe(true);
    }
  });

  it('lets a workspace import only the workspaces below it', () => {
    const wrong = offences(production, (source, specifier) => {
      const imported = packageName(specifier);
      return imported.startsWith('@pinkas/') && !mayImport[workspaceOf(source)]?.includes(imported);
    });
    expect(wrong).toEqual([]);
  });

  it('never reaches into another workspace by a relative path', () => {
    const wrong = offences(sources, (source, specifier) => {
      if (!specifier.startsWith('.')) return false;
      const target = new URL(specifier, `file:///${source.path}`).pathname.slice(1);
      return !target.startsWith(`${workspaceOf(source)}/`);
    });
    expect(wrong).toEqual([]);
  });

  it('keeps each shaping library in its place', () => {
    const wrong = offences(production, (source, specifier) => {
      const places = keptIn[packageName(specifier)];
      // The machine's stand-ins are other people's programs, written small; they are no part of a service.
      return (
        places !== undefined &&
        !source.path.startsWith('deploy/') &&
        !places.some((place) => source.path.startsWith(place))
      );
    });
    expect(wrong).toEqual([]);
  });

  it('leaves the test kit to tests', () => {
    expect(
      offences(
        production,
        (source, specifier) =>
          packageName(specifier) === '@pinkas/testkit' && workspaceOf(source) !== 'packages/testkit',
      ),
    ).toEqual([]);
  });

  it('keeps money free of everything, clock and input included', () => {
    const money = production.filter((source) => workspaceOf(source) === 'packages/money');
    expect(offences(money, (_source, specifier) => !specifier.startsWith('./'))).toEqual([]);
    for (const source of money) expect(source.text).not.toMatch(/\bDate\b|\bprocess\./);
  });

  it('keeps the client free of everything, so that callers install nothing else', () => {
    const client = production.filter((source) => workspaceOf(source) === 'packages/client');
    expect(offences(client, (_source, specifier) => !specifier.startsWith('./'))).toEqual([]);
  });

  it('reads the environment in config files only', () => {
    const readers = production
      .filter((source) => /\bprocess\.env\b/.test(source.text))
      .map((source) => source.path)
      .filter(
        (path) =>
          !path.endsWith('/config.ts') &&
          !path.startsWith('deploy/local/src/stand-ins/') &&
          !path.startsWith('packages/testkit/'),
      );
    expect(readers).toEqual([]);
  });

  it('imports stand-ins from no service', () => {
    expect(
      offences(
        production,
        (source, specifier) => source.path.startsWith('services/') && /stand-ins|local-stack/.test(specifier),
      ),
    ).toEqual([]);
  });

  it('names files by what they hold', () => {
    const junk = sources
      .map((source) => source.path)
      .filter((path) => path.split(/[/.]/).some((word) => bannedWords.includes(word)));
    expect(junk).toEqual([]);
    const odd = sources.map((source) => source.path).filter((path) => !/^[a-z0-9/.-]+$/.test(path));
    expect(odd).toEqual([]);
  });
});
