import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { root } from './root.mjs';
import { runLogged } from './run-logged.mjs';

const timeoutMs = 10 * 60_000;

/** Its modification time is the start of the last successful build. */
const stampFile = join(root, 'node_modules/.cache/pinkas-built');

function workspaces() {
  const inside = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(root, folder, entry.name));
  return ['packages', 'packages/tools', 'services']
    .flatMap(inside)
    .filter((folder) => existsSync(join(folder, 'package.json')));
}

/** The newest modification time at and below a path; a folder's own time changes when a file is removed. */
function newestIn(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    return 0;
  }
  if (!stat.isDirectory()) {
    return stat.mtimeMs;
  }
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, newestIn(join(path, name))),
    stat.mtimeMs,
  );
}

/** Whether nothing changed since the last build. Comparing file times takes milliseconds, a build without changes a second. */
function isBuilt() {
  const builtAt = statSync(stampFile, { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined) {
    return false;
  }
  const all = workspaces();
  const sources = [
    join(root, 'tsconfig.base.json'),
    join(root, 'bundle.mjs'),
    join(root, 'compile.mjs'),
    ...all.flatMap((folder) =>
      ['src', 'jest', 'tsconfig.json', 'package.json'].map((name) => join(folder, name)),
    ),
  ];
  return (
    all.every((folder) => existsSync(join(folder, 'dist')) || !existsSync(join(folder, 'src'))) &&
    sources.every((path) => newestIn(path) <= builtAt)
  );
}

/** Compiles every workspace that changed. The tests of the complete system run from sources and need no build. */
export async function ensureBuilt(steps) {
  if (isBuilt()) {
    return;
  }
  await steps.run('build', (detail) =>
    withLock(
      () => detail('another command prepares this clone'),
      async () => {
        if (isBuilt()) {
          return;
        }
        detail('turbo compiles and bundles what has changed');
        const startedAt = new Date();
        await runLogged(
          'build',
          join(root, 'node_modules/.bin/turbo'),
          ['run', 'build', '--filter=!./test', '--output-logs=errors-only'],
          {
            timeoutMs,
            noise: /:build:( npm (error|warn)| >|\s*$)|cache (miss|hit)/,
            env: { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1' },
          },
        );
        mkdirSync(dirname(stampFile), { recursive: true });
        writeFileSync(stampFile, '');
        detail('');
        utimesSync(stampFile, startedAt, startedAt);
      },
    ),
  );
}
