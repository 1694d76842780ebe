import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '../hostile/hostile-request.js';
import { type Caller, callersOfSeries, issueInvoice } from './callers.js';
import { inLanes, timed } from './lanes.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const seriesCounts = [1, 8] as const;
/** So many callers keep every page of the printer busy: their rate is the highest. */
const callerCount = 32;
const share = 0.7;
const rounds = 3;
const highestMs = 8_000;
const arrivalsMs = 20_000;
const warmUpMs = 8_000;
const seed = 20260615;

/** What was answered, and what was not. */
interface Arrived {
  latenciesMs: number[];
  refused: number;
  rates: number[];
}

/**
 * How long a caller waits at 70 % of the highest rate, where arrivals follow a Poisson clock and not the answers: the 99th
 * percentile by the median.
 */
export async function measureOpenLoop(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const callers = await callersOfSeries(stack, Math.max(...seriesCounts));
  const random = randomFrom(seed);
  progress('warming up …');
  await inLanes(callerCount, warmUpMs, (lane) => attempt(callers, lane));
  const arrived = new Map<number, Arrived>(
    seriesCounts.map((count) => [count, { latenciesMs: [], refused: 0, rates: [] }]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const [count, sum] of arrived) {
      const used = callers.slice(0, count);
      let refused = 0;
      const counted = await inLanes(callerCount, highestMs, async (lane) => {
        refused += (await attempt(used, lane)) ? 0 : 1;
      });
      const perS = (share * (counted.done - refused)) / (counted.ms / 1_000);
      progress(`round ${round + 1} of ${rounds}, ${count} series: ${perS.toFixed(1)} arrivals a second …`);
      sum.rates.push(perS);
      await arrivals(sum, perS, random, (index) => attempt(used, index));
    }
  }
  for (const caller of callers) {
    caller.close();
  }
  return [...arrived].flatMap(([count, { latenciesMs, refused, rates }]) => {
    const suffix = `${count}_series`;
    const p50 = percentile(latenciesMs, 0.5);
    const p99 = percentile(latenciesMs, 0.99);
    return [
      figure(
        `open_loop_per_s_${suffix}`,
        percentile(rates, 0.5),
        'arrivals a second, 70 % of the highest rate',
      ),
      figure(`open_loop_p50_ms_${suffix}`, p50, 'POST /v1/documents from its arrival, median'),
      figure(`open_loop_p99_ms_${suffix}`, p99, '99th percentile'),
      figure(`open_loop_p99_ratio_${suffix}`, p99 / p50, 'the 99th percentile by the median'),
      figure(`open_loop_refused_${suffix}`, refused, 'requests that were answered with an error'),
    ];
  });
}

/** Starts work at the times of a Poisson clock, and waits for all of it. */
async function arrivals(
  sum: Arrived,
  perS: number,
  random: () => number,
  work: (index: number) => Promise<boolean>,
): Promise<void> {
  const started = performance.now();
  const all: Promise<void>[] = [];
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random()) * 1_000) / perS;
    if (at > arrivalsMs) {
      break;
    }
    await delay(Math.max(0, started + at - performance.now()));
    const index = all.length;
    const lateMs = performance.now() - started - at;
    all.push(
      timed(async () => {
        sum.refused += (await work(index)) ? 0 : 1;
      }).then((ms) => {
        sum.latenciesMs.push(lateMs + ms);
      }),
    );
  }
  await Promise.all(all);
}

async function attempt(callers: readonly Caller[], index: number): Promise<boolean> {
  const caller = callers[index % callers.length];
  return caller === undefined
    ? false
    : issueInvoice(caller).then(
        () => true,
        () => false,
      );
}
