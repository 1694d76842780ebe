import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import type { RunningStack } from './running-stack.js';
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
  const path = paths.get(version) ?? fetchNode(versions[version]());
  paths.set(version, path);
  return path;
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

/** Expects that each service of a system runs on that Node. */
export async function expectServicesOn(stack: RunningStack, version: NodeVersion): Promise<void> {
  const path = await pathOfNode(version);
  for (const name of serviceNames) {
    expect([name, readlinkSync(`/proc/${await stack.pidOf(name)}/exe`)]).toEqual([name, path]);
  }
}
