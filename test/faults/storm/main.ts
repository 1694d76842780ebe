import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../../sources.js';
import { killPointSteps } from './schedule.js';
import { figuresOf, runStorm, type StormReport } from './storm.js';
import { StormSystem } from './storm-system.js';

/**
 * `npm run storm -- --minutes N --seed N`: the faults of a seed; with `--kill-points` a death at each kill point in their place.
 * Ends with 1 where an invariant was broken.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    'longest-fault': { type: 'string', default: '60' },
    pause: { type: 'string', default: '500' },
    'kill-points': { type: 'boolean', default: false },
    patience: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const longestFaultS = Number(values['longest-fault']);
const pauseMs = Number(values.pause);
const patience = Number(values.patience);
if (!(minutes > 0 && Number.isInteger(seed) && longestFaultS >= 1 && pauseMs > 0 && patience >= 1)) {
  throw new Error(
    '--minutes is above zero, --seed a whole number, --longest-fault seconds and --pause milliseconds and --patience from 1',
  );
}
const progress = (text: string) =>
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    progress('interrupted');
    interrupted.abort();
  });
}

const extent = values['kill-points'] ? 'every kill point' : `${minutes} minutes`;
progress(`seed ${seed}, ${extent}: starting a system with two replicas of each service …`);
const system = await StormSystem.start(patience);
let report: StormReport;
try {
  report = await runStorm(system, {
    seed,
    ...(values['kill-points']
      ? { steps: killPointSteps(), forMs: Number.POSITIVE_INFINITY }
      : { forMs: minutes * 60_000 }),
    longestFaultMs: longestFaultS * 1_000,
    pauseMs,
    stepsPerBook: 5,
    progress,
    signal: interrupted.signal,
  });
  if (report.broken) {
    const kept = join(repositoryRoot, '.pinkas', `storm-${seed}-logs`);
    await cp(join(system.stack.home, 'logs'), kept, { recursive: true });
    progress(`the logs are in ${kept}`);
  }
} finally {
  progress('stopping the system …');
  await system.stop();
}
printReport(report);
process.exitCode = report.broken === null ? 0 : 1;

function printReport({ broken, ...report }: StormReport): void {
  if (broken) {
    progress(`seed ${seed} (--longest-fault ${longestFaultS}) broke an invariant in the step ${broken.step}`);
    for (const finding of broken.findings.slice(0, 20)) {
      progress(`  ${finding}`);
    }
    progress(`the schedule so far:\n  ${report.schedule.join('\n  ')}`);
  }
  const figures = figuresOf({ ...report, broken });
  const facts = {
    ...figures,
    seed,
    answers: report.answers,
    refusals: report.refusals,
    pages: report.pages,
    credits: report.credits,
    applied: report.applied,
    kill_points: report.killPoints,
  };
  process.stdout.write(
    `${JSON.stringify(values.json ? figures : { ...facts, slowest_heal: report.slowestHeal })}\n`,
  );
}
