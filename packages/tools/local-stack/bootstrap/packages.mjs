import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { nodePackage } from './node.mjs';
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

/** Whether every package of the lock file is installed in its version, by npm's own list of installed packages. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
    ([path, { version, link, resolved, optional }]) =>
      !path.includes('node_modules/') ||
      // Optional packages may belong to other platforms; the Node of this one is needed in its version.
      (optional === true && !path.endsWith(`/${nodePackage}`)) ||
      (present[path] !== undefined &&
        present[path].version === version &&
        present[path].link === link &&
        // A workspace may have another folder.
        (link !== true || present[path].resolved === resolved)),
  );
}

async function runNpm(args) {
  const npm = process.env.npm_execpath;
  const all = [...args, '--include=dev', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=warn'];
  await runLogged('packages', npm ? process.execPath : 'npm', npm ? [npm, ...all] : all, {
    timeoutMs,
    // With 'production', which some shells set, npm omits the compiler.
    env: { NODE_ENV: 'development' },
  });
}

/** Installs the packages of the lock file when one is missing or has another version. */
export async function ensurePackages(steps) {
  if (isInstalled()) {
    return;
  }
  await steps.run('packages', (detail) =>
    withLock(
      () => detail('another command prepares this clone'),
      async () => {
        if (isInstalled()) {
          return;
        }
        detail('npm installs the packages of the lock file');
        await runNpm(['ci']);
        detail('');
      },
    ),
  );
}
