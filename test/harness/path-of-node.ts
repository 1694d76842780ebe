import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@pinkas/testkit';
import { repositoryRoot } from './sources.js';

const run = promisify(execFile);
const fetchTimeoutMs = 120_000;

const versionIn = (file: string, pattern: RegExp): string => {
  const version = pattern.exec(readFileSync(join(repositoryRoot, file), 'utf8'))?.[1];
  if (version === undefined) {
    throw new Error(`${file} names no version of Node`);
  }
  return version;
};

/** Versions of Node that Pinkas must run on, beside the one that runs the tests. */
const versions = {
  /** The oldest one that `package.json` allows. */
  oldest: () => `${versionIn('package.json', /"node": ">=(\d+\.\d+)"/)}.0`,
  /** The one of the images. */
  image: () => versionIn('deploy/Dockerfile', /^ARG NODE_IMAGE=node:(\d+)/m),
};
export type NodeVersion = keyof typeof versions;

const paths = new Map<NodeVersion, Promise<string>>();

/** Path of a Node from npm's package of that name, which npm keeps for the next time. */
export function pathOfNode(version: NodeVersion): Promise<string> {
  const path = paths.get(version) ?? onceInRun(`node-${version}`, () => fetchNode(versions[version]()));
  paths.set(version, path);
  return path;
}

/** npm installs what two processes ask for at once twice, into one folder: one of a run's test files asks, and the others wait. */
async function onceInRun(name: string, make: () => Promise<string>): Promise<string> {
  const home = process.env.PINKAS_TEST_HOME;
  if (home === undefined) {
    return make();
  }
  const file = join(home, name);
  const isFirst = await open(`${file}.lock`, 'wx').then(
    (lock) => lock.close().then(() => true),
    () => false,
  );
  if (!isFirst) {
    return eventually(
      `${file} is there`,
      () => readFile(file, 'utf8').catch(() => undefined),
      fetchTimeoutMs,
    );
  }
  const made = await make();
  await writeFile(`${file}.part`, made);
  await rename(`${file}.part`, file);
  return made;
}

async function fetchNode(wanted: string): Promise<string> {
  const { stdout } = await run(
    'npm',
    ['exec', '--yes', `--package=node@${wanted}`, '--', 'node', '-p', 'process.execPath'],
    { timeout: fetchTimeoutMs },
  );
  const path = stdout.trim();
  const found = (await run(path, ['--version'])).stdout.trim();
  if (!`${found}.`.startsWith(`v${wanted}.`)) {
    throw new Error(`node@${wanted} is ${found}`);
  }
  return path;
}
