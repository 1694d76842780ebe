import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { cpuSecondsOf, memoryMbOf } from '../harness/processes.js';
import { repositoryRoot } from '../harness/sources.js';

/** Runs the operator's command as a process. @returns what it used. @throws where it does not end with 0. */
export async function runPinkas(
  natsUrl: string,
  args: readonly string[],
): Promise<{ s: number; cpuS: number; peakMb: number }> {
  const program = join(repositoryRoot, 'packages/cli/dist/bundle/main.js');
  const begunMs = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, NATS_URL: natsUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { pid = 0 } = child;
  let cpuS = 0;
  let peakMb = 0;
  const timer = setInterval(() => {
    cpuS = Math.max(cpuS, cpuSecondsOf(pid));
    peakMb = Math.max(peakMb, memoryMbOf(pid, 'VmHWM'));
  }, 50);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  }).finally(() => clearInterval(timer));
  if (code !== 0) {
    throw new Error(`pinkas ${args.slice(0, 2).join(' ')} ended with ${code}`);
  }
  return { s: (performance.now() - begunMs) / 1_000, cpuS, peakMb };
}
