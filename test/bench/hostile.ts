import { readFile } from 'node:fs/promises';
import { sendHostile } from '../hostile/send-hostile.js';
import { newIssuer } from './callers.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const seed = 20260615;
/** Sent before memory is looked at for the first time: code is compiled, pools are filled. */
const warmRequests = 5_000;

/** Hostile bodies, headers and paths against the HTTP API: what they get, how long it takes, what they cost in memory. */
export async function measureHostile(
  stack: BenchStack,
  progress: (text: string) => void,
  requests = 20_000,
): Promise<Row[]> {
  const { key } = await newIssuer(stack);
  const target = { baseUrl: stack.file.base_url, key };
  progress(`${requests} hostile requests …`);
  await sendHostile(target, { count: warmRequests, seed: seed - 1 });
  const before = await memoryOf(stack);
  const report = await sendHostile(target, {
    count: requests,
    seed,
    progress: (sent) => progress(`  ${sent} of ${requests}`),
  });
  const after = await memoryOf(stack);
  progress(`  answers: ${JSON.stringify(report.statuses)}`);
  for (const finding of report.findings) {
    progress(`  ${finding}`);
  }
  const failed = Object.entries(report.statuses)
    .filter(([status]) => status.startsWith('5') || status === 'closed')
    .reduce((sum, [, count]) => sum + count, 0);
  return [
    figure('hostile_requests', report.requests, 'hostile requests sent'),
    figure('hostile_5xx', failed, 'of them answered 5xx, or not at all'),
    figure('hostile_p50_ms', percentile(report.latenciesMs, 0.5), 'time of an answer, median'),
    figure('hostile_p99_ms', percentile(report.latenciesMs, 0.99), 'time of an answer, 99th percentile'),
    figure(
      'hostile_memory_growth_mb',
      (after - before) / 1024,
      'growth of the memory of gateway and issuing',
    ),
  ];
}

/** The resident memory of gateway and issuing, in KB. */
async function memoryOf(stack: BenchStack): Promise<number> {
  const pids = stack.file.services
    .filter(({ name }) => ['gateway', 'issuing'].includes(name))
    .map(({ pid }) => pid);
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
