import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunningStack } from '../../harness/running-stack.js';

const startTimeoutMs = 30_000;

/** The two processes that serve the floor, and everything else that is held against it. */
export interface FloorProcesses {
  /** The HTTP API of the gateway with the route more. */
  baseUrl: string;
  stop(): Promise<void>;
}

/** Starts a second gateway of the running system, with the one route more, and what answers it. */
export async function startFloor(stack: RunningStack): Promise<FloorProcesses> {
  const { base_url, nats_url } = await stack.file();
  const answer = await start(stack, 'answer', 'issuing', 'service ready');
  const gateway = await start(stack, 'gateway', 'gateway', 'http server listening', nats_url);
  return {
    baseUrl: `${gateway.said.origin as string}${new URL(base_url).pathname}`,
    stop: async () => {
      await Promise.all([gateway, answer].map(({ process }) => stop(process)));
    },
  };
}

/**
 * Starts a process in the environment of a running service, with ports of its own, and waits until it logs a line with this
 * message.
 */
async function start(
  stack: RunningStack,
  name: string,
  service: string,
  message: string,
  ...args: string[]
): Promise<{ process: ChildProcess; said: Record<string, unknown> }> {
  const variables = (await readFile(`/proc/${await stack.pidOf(service)}/environ`, 'utf8')).split('\0');
  const pairs = variables.filter(Boolean).map((variable) => {
    const end = variable.indexOf('=');
    return [variable.slice(0, end), variable.slice(end + 1)];
  });
  const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, entry, ...args], {
    env: { ...Object.fromEntries(pairs), HTTP_PORT: '0', HEALTH_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  try {
    for await (const line of lines) {
      const said = JSON.parse(line) as Record<string, unknown>;
      if (said.msg === message) {
        return { process: child, said };
      }
    }
    throw new Error(`the process "${name}" of the measurement did not start`);
  } finally {
    clearTimeout(timer);
    // Read on, or the process would wait for somebody to read its log.
    child.stdout.resume();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}
