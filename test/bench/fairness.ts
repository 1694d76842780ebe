import { Caller, type Issuer, issueQuote, newIssuer } from './callers.js';
import { inLanes } from './lanes.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

/** The quiet and the loud turns alternate, since machines are shared. */
const turns = 4;
const turnMs = 15_000;
/** More than the limits of the loud business let through. */
const loudLanes = 16;
const pauseMs = 100;

/** How much slower one business is served while another calls far above its limits. */
export async function measureFairness(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const modest = await newIssuer(stack);
  const loud: Issuer = await newIssuer(stack, {}, []);
  const modestCaller = new Caller(stack.file.base_url, modest.key);
  const loudCaller = new Caller(stack.file.base_url, loud.key);
  const aloneMs: number[] = [];
  const besideMs: number[] = [];
  try {
    await issueQuote(modestCaller);
    progress('one business alone, and beside one that calls far above its limits …');
    for (let turn = 0; turn < turns; turn += 1) {
      aloneMs.push(...(await modestLane(modestCaller)));
      const others = inLanes(loudLanes, turnMs, () => attempt(loudCaller));
      besideMs.push(...(await modestLane(modestCaller)));
      await others;
    }
  } finally {
    modestCaller.close();
    loudCaller.close();
  }
  return [
    figure(
      'fairness_alone_p99_ms',
      percentile(aloneMs, 0.99),
      'issuing for one business alone, 99th percentile',
    ),
    figure(
      'fairness_p99_ratio',
      percentile(besideMs, 0.99) / percentile(aloneMs, 0.99),
      'the same beside a business that calls far above its limits, against that',
    ),
  ];
}

async function modestLane(caller: Caller): Promise<number[]> {
  const { latenciesMs } = await inLanes(1, turnMs, async () => {
    await issueQuote(caller);
  });
  return latenciesMs;
}

/** One request of the loud business, refused or not. */
async function attempt(caller: Caller): Promise<void> {
  await issueQuote(caller).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
}
