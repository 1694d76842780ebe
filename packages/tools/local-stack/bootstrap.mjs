/**
 * The entry of `npm start`, `npm test` and most scripts of the root's `package.json`; each names its command.
 *
 * It works in a fresh clone, so it uses only Node's own modules. It updates the packages, goes on in the Node that is one of them,
 * updates the build and the machine's servers, then calls the compiled code.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './bootstrap/build.mjs';
import { ensureMachine } from './bootstrap/machine.mjs';
import { continueInOwnNode } from './bootstrap/node.mjs';
import { ensurePackages } from './bootstrap/packages.mjs';
import { root } from './bootstrap/root.mjs';
import { createSteps, wasShown } from './bootstrap/steps.mjs';

const oldestNode = [20, 19];

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    throw new Error(`Pinkas needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}`);
  }
}

/** Runs the operator's command in this process: it must start fast, and only it may write to standard output. */
async function runPinkas(args) {
  // npm changes to the clone; a relative path on the command line starts where the command was typed.
  process.chdir(process.env.INIT_CWD ?? process.cwd());
  process.env.PINKAS_HOME = resolve(root, process.env.PINKAS_HOME || '.pinkas');
  const entry = join(root, 'packages/cli/dist/main.js');
  process.argv = [process.execPath, entry, ...args];
  await import(pathToFileURL(entry).href);
}

async function run(command, args) {
  checkNode();
  const steps = createSteps();
  const built = join(root, 'packages/tools/local-stack/dist/main.js');
  // A running system can be stopped even when the sources do not compile.
  if (command !== 'down' || !existsSync(built)) {
    await ensurePackages(steps);
    await continueInOwnNode();
    await ensureBuilt(steps);
  }
  if (command === 'pinkas') {
    await runPinkas(args);
    return;
  }
  // A cluster has servers of its own.
  if (command !== 'down' && command !== 'cluster') {
    await ensureMachine(steps, {
      forTests: ['test', 'test:loaded', 'test:system', 'gallery'].includes(command),
    });
  }
  const { main } = await import(pathToFileURL(built).href);
  // Pending timers of a finished command must not keep the process alive.
  process.exit(await main(command, args, steps));
}

const [command, ...args] = process.argv.slice(2);
run(command ?? 'start', args).catch((error) => {
  if (!wasShown(error)) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  process.exit(1);
});
