import { readlinkSync } from 'node:fs';
import { expect } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { type NodeVersion, pathOfNode } from './path-of-node.js';
import type { RunningStack } from './running-stack.js';

/** Expects that each service of a system runs on that Node. */
export async function expectServicesOn(stack: RunningStack, version: NodeVersion): Promise<void> {
  const path = await pathOfNode(version);
  for (const name of serviceNames) {
    expect([name, readlinkSync(`/proc/${await stack.pidOf(name)}/exe`)]).toEqual([name, path]);
  }
}
