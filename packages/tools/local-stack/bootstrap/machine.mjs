import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withLock } from './lock.mjs';
import { root } from './root.mjs';
import { runLogged } from './run-logged.mjs';

const timeoutMs = 20 * 60_000;

/** The servers of the machine: the program, its Debian package, and the variable that makes it unnecessary. */
const servers = [
  { program: 'postgres', name: 'PostgreSQL', debian: 'postgresql', replacedBy: 'POSTGRES_URL' },
  { program: 'nats-server', name: 'NATS', debian: 'nats-server', replacedBy: 'NATS_URL' },
  { program: 'redis-server', name: 'Redis', debian: 'redis-server', replacedBy: 'REDIS_URL' },
  // The headless shell starts in a third of the time of the whole browser, and prints the same PDF.
  {
    program: 'chromium-headless-shell',
    name: 'Chromium',
    debian: 'chromium-headless-shell',
    replacedBy: 'GOTENBERG_URL',
  },
];

/** Only tests need these: they inspect PDFs and emails, and create certificates. */
const testTools = [
  { program: 'openssl', name: 'openssl', debian: 'openssl' },
  { program: 'pdfsig', name: 'pdfsig', debian: 'poppler-utils' },
  { program: 'pdftotext', name: 'pdftotext', debian: 'poppler-utils' },
  { program: 'pdffonts', name: 'pdffonts', debian: 'poppler-utils' },
  { program: 'pdfinfo', name: 'pdfinfo', debian: 'poppler-utils' },
  { program: 'qpdf', name: 'qpdf', debian: 'qpdf' },
  { program: 'dkimverify', name: 'dkimpy', debian: 'python3-dkim' },
];

const succeeds = (file, args) => spawnSync(file, args, { stdio: 'ignore' }).status === 0;

/** The command prefix that runs a program as root without a password, or null. */
function rootPrefix() {
  if (process.getuid?.() === 0) {
    return [];
  }
  return succeeds('sudo', ['-n', 'true']) ? ['sudo', '-n'] : null;
}

function adviceFor(missing) {
  const names = missing.map(({ name }) => name).join(', ');
  const debian = [...new Set(missing.map(({ debian }) => debian))].join(' ');
  const lines = [`on Debian or Ubuntu: sudo apt-get install --no-install-recommends ${debian}`];
  lines.push('elsewhere: install them so that they are on the PATH');
  const replaceable = missing.flatMap(({ replacedBy }) => (replacedBy ? [replacedBy] : []));
  if (replaceable.length > 0) {
    lines.push(`or run them yourself and set ${replaceable.join(', ')}`);
    if (succeeds('docker', ['info'])) {
      lines.push(
        'Docker is available: docs/operating/install.md describes how to run the whole system in it',
      );
    }
  }
  return Object.assign(new Error(`this machine lacks ${names}`), { lines });
}

/** Installs the missing servers where this user may; otherwise throws an error that lists what to install. */
export async function ensureMachine(steps, { forTests }) {
  const { findBinary } = await import(
    pathToFileURL(join(root, 'packages/tools/local-stack/dist/servers/index.js')).href
  );
  const needed = forTests
    ? [...servers, ...testTools]
    : servers.filter(({ replacedBy }) => !process.env[replacedBy]);
  const missing = () => needed.filter(({ program }) => findBinary(program) === null);
  if (missing().length === 0) {
    return;
  }

  await steps.run('machine', async (detail) => {
    const prefix = rootPrefix();
    if (prefix === null || !succeeds('apt-get', ['--version'])) {
      throw adviceFor(missing());
    }
    await withLock(
      () => detail('another command prepares this clone'),
      async () => {
        const packages = [...new Set(missing().map(({ debian }) => debian))];
        if (packages.length === 0) {
          return;
        }
        detail(`apt-get install ${packages.join(' ')}`);
        const script = join(root, 'packages/tools/local-stack/bootstrap/install-debian.sh');
        const [file, ...args] = [...prefix, 'sh', script, ...packages];
        await runLogged('machine', file, args, { timeoutMs });
        if (missing().length > 0) {
          throw adviceFor(missing());
        }
      },
    );
  });
}
