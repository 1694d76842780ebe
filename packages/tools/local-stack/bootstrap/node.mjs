import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';

/** What a platform without a package may bring itself. */
const oldestOther = 24;

/** The Node of the lock file for this platform, and where npm installs it. */
export const nodePackage = `node-${process.platform}-${process.arch}`;
const installed = join(root, 'node_modules', nodePackage, 'bin/node');

/** The version of `package.json`, which the images have as well; undefined where it names none for this platform. */
const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies?.[
  nodePackage
];

/**
 * Goes on in the Node of the lock file: resolves in that Node, and does not return in any other. npm puts it on the PATH of scripts as
 * soon as it is installed, so only the first command of a clone begins in another one.
 */
export async function continueInOwnNode() {
  if (process.versions.node === wanted) {
    return;
  }
  if (wanted !== undefined && existsSync(installed)) {
    process.exit(await runInstead(installed));
  }
  const major = Number(process.versions.node.split('.')[0]);
  const because = `npm has no ${nodePackage} in the lock file`;
  if (major < oldestOther) {
    throw new Error(
      `${because}: put Node ${oldestOther} or later on the PATH; this is ${process.versions.node}`,
    );
  }
  process.stderr.write(`  · ${because}: this is Node ${process.versions.node} of the PATH\n`);
}

/** Runs the same command in another Node, which gets every signal that ends this process; returns its exit code. */
function runInstead(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends its interrupt to both.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) {
        child.kill(signal);
      }
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
