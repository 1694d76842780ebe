import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alone } from './lock.mjs';
import { root } from './root.mjs';
import { runLogged } from './run-logged.mjs';

const timeoutMs = 10 * 60_000;

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/**
 * Whether every package of the lock file is installed in its version. npm keeps a list of what it installed, which tells
 * the truth where file times do not.
 */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
    ([path, { version, link, optional }]) =>
      !path.includes('node_modules/') ||
      // Optional ones belong to other machines.
      optional === true ||
      (present[path] !== undefined && present[path].version === version && present[path].link === link),
  );
}

async function runNpm(args) {
  const npm = process.env.npm_execpath;
  const all = [...args, '--include=dev', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=warn'];
  await runLogged('packages', npm ? process.execPath : 'npm', npm ? [npm, ...all] : all, {
    timeoutMs,
    // Set to 'production' in some shells, and then npm leaves the compiler out.
    env: { NODE_ENV: 'development' },
  });
}

async function install() {
  try {
    await runNpm(['ci']);
  } catch (error) {
    // A registry that lacks other machines' optional packages yields a lock file without them, which `npm ci` refuses.
    // `npm install` takes the same versions from it, and leaves the file as it is.
    if (!readFileSync(error.logFile, 'utf8').includes('EUSAGE')) throw error;
    await runNpm(['install', '--no-save']);
  }
}

/** Installs what the lock file says, when it is not there. */
export async function ensurePackages(steps) {
  if (isInstalled()) return;
  await steps.run('packages', (detail) =>
    alone(
      () => detail('another command prepares this clone'),
      async () => {
        if (isInstalled()) return;
        detail('npm');
        await install();
        detail('');
      },
    ),
  );
}
