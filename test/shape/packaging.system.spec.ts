import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { reservePort } from '@pinkas/local-stack/servers';
import { adminUrl, eventually, startTestNats } from '@pinkas/testkit';
import { npmSettings } from '../harness/npm-settings.js';
import { repositoryRoot } from '../harness/sources.js';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'pinkas-packaging-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const committedFiles = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: repositoryRoot, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '');

function copyTo(target: string, paths: readonly string[]): string {
  for (const path of paths) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(repositoryRoot, path), join(target, path));
  }
  return target;
}

/** The environment of a shell in which no one has configured anything. */
const plainEnvironment = { PATH: process.env.PATH, HOME: process.env.HOME, ...npmSettings() };

describe('the lock file', () => {
  const manifests = copyTo(
    join(folder, 'manifests'),
    committedFiles('package-lock.json', '.npmrc', 'package.json', '*/package.json'),
  );

  // Offline, since a complete lock needs no registry to be checked.
  it.each([
    ['linux', 'x64', 'glibc'],
    ['linux', 'x64', 'musl'],
    ['linux', 'arm64', 'glibc'],
    ['darwin', 'arm64', ''],
  ])('npm ci accepts the lock file on %s/%s %s', async (os, cpu, libc) => {
    const platform = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === '' ? [] : [`--libc=${libc}`])];
    const { stdout } = await run('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', ...platform], {
      cwd: manifests,
      env: plainEnvironment,
    });
    expect(stdout).toMatch(/added \d+ packages/);
  });
});

/** The commands of the Dockerfile's build stage, as a shell runs them. */
function buildCommands(): string[] {
  const stages = readFileSync(join(repositoryRoot, 'deploy/Dockerfile'), 'utf8').split(/^FROM /m);
  const stage = stages.find((text) => text.includes(' AS build')) ?? '';
  const commands = [...stage.matchAll(/^RUN (?:--\S+ )*(.+)$/gm)].map((match) => match[1] ?? '');
  expect(commands.length).toBeGreaterThan(0);
  return commands;
}

/** What is packed: a service like most others, and the one with files of its own beside its programs. */
const packages: readonly {
  service: ServiceName;
  /** The variables that it needs besides those of every service. @param httpPort where it serves HTTP. */
  environment(httpPort: number): Record<string, string>;
  /** What it serves when it is ready. @param origin where it serves HTTP. */
  expectServed(origin: string): Promise<void>;
}[] = [
  {
    service: 'customer',
    environment: () => ({}),
    expectServed: async () => {},
  },
  {
    service: 'console',
    environment: (httpPort) => ({
      HTTP_PORT: String(httpPort),
      SHUTDOWN_DELAY_MS: '0',
      CONSOLE_URL: `http://127.0.0.1:${httpPort}`,
      COOKIE_SECRET: '0f'.repeat(32),
      BASE_URL: 'https://api.example.com/v1',
      VIEW_URL_BASE: 'https://api.example.com/d',
      DOCS_URL: 'https://api.example.com/docs',
    }),
    expectServed: async (origin) => {
      const page = await (await fetch(`${origin}/no-such-page`)).text();
      const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        expect([file, (await fetch(`${origin}${file}`)).status]).toEqual([file, 200]);
      }
    },
  },
];

describe('the images', () => {
  const source = join(folder, 'source');
  const packed = join(folder, 'packed');
  beforeAll(async () => {
    copyTo(source, committedFiles('.'));
    // What `npm ci` installs: the preparation of this clone ran it. Links, where the file system allows them, are no copies.
    const modules = join(repositoryRoot, 'node_modules');
    await run('sh', ['-c', 'cp -al "$0" "$1" 2>/dev/null || cp -a "$0" "$1"', modules, source]);
    const [install, ...others] = buildCommands();
    expect(install).toBe('npm ci --ignore-scripts');
    for (const command of others) {
      await run('sh', ['-c', command.replaceAll('/packed', packed)], {
        cwd: source,
        env: {
          ...plainEnvironment,
          CI: 'true',
          TURBO_TELEMETRY_DISABLED: '1',
          // Builds what no command has built of the same sources.
          TURBO_CACHE_DIR: join(repositoryRoot, '.turbo/cache'),
          npm_config_prefer_offline: 'true',
        },
        maxBuffer: 16 * 1024 * 1024,
      });
    }
  }, 600_000);

  it('an image has the packages that its programs do not contain, and a list of all', () => {
    const installed = readdirSync(packed).map((name) => {
      const { dependencies = {} } = JSON.parse(readFileSync(join(packed, name, 'package.json'), 'utf8'));
      const { components, metadata } = JSON.parse(readFileSync(join(packed, name, 'sbom.cdx.json'), 'utf8'));
      expect(metadata.component.name).toBe('pinkas');
      const listed = (components as { name: string }[]).map((component) => component.name);
      expect(listed).toEqual(expect.arrayContaining(['typebox', 'contracts', ...Object.keys(dependencies)]));
      expect(listed.filter((part) => ['typescript', 'jest', 'testkit', 'turbo'].includes(part))).toEqual([]);
      return [name, existsSync(join(packed, name, 'node_modules')) ? Object.keys(dependencies) : []];
    });
    const packages = { one: ['sharp'], printer: ['playwright-core'], rendering: ['sharp'] };
    const names = [...serviceNames, 'one', 'printer', 'cli'];
    expect(Object.fromEntries(installed)).toEqual({
      ...Object.fromEntries(names.map((name) => [name, []])),
      ...packages,
    });
  });

  it.each(packages)('$service runs from its image alone', ({ service, environment, expectServed }) =>
    expectToServe(join(packed, service), environment, expectServed),
  );

  it('the command of the operator runs from its image alone', async () => {
    const { stdout } = await run(join(packed, 'cli/bin/pinkas'), ['--help'], { env: plainEnvironment });
    expect(stdout).toContain('business create');
  });
});

/** Makes its database, migrates, serves until it is ready, and stops, as its container does. */
async function expectToServe(
  service: string,
  environment: (httpPort: number) => Record<string, string>,
  expectServed: (origin: string) => Promise<void>,
): Promise<void> {
  const nats = await startTestNats();
  const [port, httpPort] = [await reservePort(), await reservePort()];
  await Promise.all([port.release(), httpPort.release()]);
  const database = `packed_${process.pid}_${Date.now()}`;
  const as = (role: string) => {
    const url = new URL(adminUrl());
    return Object.assign(url, { pathname: `/${database}`, username: role, password: 'of-a-test' }).href;
  };
  const env = {
    ...plainEnvironment,
    NODE_ENV: 'production',
    PRODUCTION: 'false',
    ADMIN_DATABASE_URL: adminUrl(),
    DATABASE_URL: as(`${database}_login`),
    MIGRATION_DATABASE_URL: as(`${database}_owner`),
    NATS_URL: nats.url,
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: String(port.port),
    ...environment(httpPort.port),
  };
  try {
    await run(process.execPath, ['dist/provision.js'], { cwd: service, env });
    await run(process.execPath, ['dist/migrate.js'], { cwd: service, env });
    const serving = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
      cwd: service,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(serving, 'exit');
    try {
      await eventually(
        'the packed service is ready',
        async () => (await fetch(`http://127.0.0.1:${port.port}/readyz`)).ok,
      );
      await expectServed(`http://127.0.0.1:${httpPort.port}`);
      serving.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      serving.kill('SIGKILL');
    }
  } finally {
    await nats.stop();
  }
}
