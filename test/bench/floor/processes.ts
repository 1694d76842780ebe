import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BenchStack } from '../stack.js';

const startTimeoutMs = 30_000;

/** The two processes that serve the floor, and everything else that is held against it. */
export interface FloorProcesses {
  /** The HTTP API of the gateway with the route more. */
  baseUrl: string;
  stop(): Promise<void>;
}

/** Starts a second gateway of the running system, with the one route more, and what answers it. */
export async function startFloor(stack: BenchStack): Promise<FloorProcesses> {
  const answer = await start('answer', [], await environmentOf(stack, 'issuing'), 'service ready');
  const gateway = await start(
    'gateway',
    [stack.file.nats_url],
    await environmentOf(stack, 'gateway'),
    'http server listening',
  );
  const path = new URL(stack.file.base_url).pathname;
  return {
    baseUrl: `${gateway.said.origin as string}${path}`,
    stop: async () => {
      await Promise.all([gateway, answer].map(({ process }) => stop(process)));
    },
  };
}

/** The environment of the running process of a service, with ports of its own. */
async function environmentOf(stack: BenchStack, service: string): Promise<NodeJS.ProcessEnv> {
  const running = stack.file.services.find(({ name }) => name === service);
  if (!running) {
    throw new Error(`${service} does not run`);
  }
  const variables = (await readFile(`/proc/${running.pid}/environ`, 'utf8')).split('\0').filter(Boolean);
  const pairs = variables.map((variable) => [
    variable.slice(0, variable.indexOf('=')),
    variable.slice(variable.indexOf('=') + 1),
  ]);
  return { ...Object.fromEntries(pairs), HTTP_PORT: '0', HEALTH_PORT: '0' };
}

/** Starts a process and waits until it logs a line with this message. */
async function start(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  message: string,
): Promise<{ process: ChildProcess; said: Record<string, unknown> }> {
  const entry = fileURLToPath(new URL(`${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [entry, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
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
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
