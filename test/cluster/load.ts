import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { percentile } from '../bench/report.js';
import { repositoryRoot } from '../harness/sources.js';
import type { Cluster } from './cluster.js';

interface Printed {
  issued: { at: number; ms: number; type: string; number: number }[];
  failures: { at: string; attempt: number; ms: number; outcome: string }[];
}

/** What callers saw. */
export interface LoadReport {
  readonly documents: number;
  /** Requests that failed at their first try. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly maxMs: number;
  /** The longest time without a document. */
  readonly longestPauseS: number;
  /** The outcomes of what failed, with how many of each. */
  readonly outcomes: readonly string[];
}

/**
 * Issues documents while something happens to the cluster.
 * @throws when a document was not issued in the end, or the numbers of a series have a gap or a double.
 */
export async function underLoad(
  cluster: Cluster,
  apiKey: string,
  happening: () => Promise<unknown>,
  rate = 5,
): Promise<LoadReport> {
  const script = await readFile(join(repositoryRoot, 'test/cluster/load.mjs'), 'utf8');
  const load = cluster.script(
    '-n ingress-nginx caller',
    script,
    ['http://pinkas-gateway.pinkas', apiKey, String(rate)],
    { timeoutMs: 1_800_000 },
  );
  try {
    await settle(5);
    await happening();
    await settle(5);
  } finally {
    load.end();
  }
  const { issued, failures } = JSON.parse(await load.done) as Printed;
  for (const series of new Set(issued.map(({ type }) => type))) {
    const numbers = issued.filter(({ type }) => type === series).map(({ number }) => number);
    numbers.sort((a, b) => a - b);
    const wrong = numbers.findIndex((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1);
    if (wrong > 0) {
      throw new Error(`${series}: ${numbers[wrong]} follows ${numbers[wrong - 1]}`);
    }
  }
  const times = issued.map(({ at }) => at).sort((a, b) => a - b);
  const pauses = times.map((at, index) => at - (times[index - 1] ?? at));
  const first = failures.filter(({ attempt }) => attempt === 1);
  const counts = new Map<string, number>();
  for (const { outcome } of failures) {
    const words = outcome.replace(/"request_id":"[^"]*"/, '').slice(0, 400);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const durations = issued.map(({ ms }) => ms);
  return {
    documents: issued.length,
    refused: first.length,
    p50Ms: percentile(durations, 0.5),
    maxMs: Math.max(...durations),
    longestPauseS: Math.max(...pauses) / 1000,
    outcomes: [...counts].map(([words, count]) => `${count} × ${words}`),
  };
}

const settle = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
